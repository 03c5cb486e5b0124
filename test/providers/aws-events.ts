// Messages of an AWS event stream, written independently of the code that reads them.
import { crc32 } from "node:zlib";
import { wireText } from "../support/fixtures.ts";
import { framesOf } from "../support/laws.ts";

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(7), size, Buffer.from(value)]);
}

/** One message with headers that are already bytes. */
export function rawMessage(headers: Buffer, payload: Buffer): Buffer {
  const lengths = Buffer.concat([uint32(headers.length + payload.length + 16), uint32(headers.length)]);
  const body = Buffer.concat([lengths, uint32(crc32(lengths)), headers, payload]);
  return Buffer.concat([body, uint32(crc32(body))]);
}

export function message(headers: Record<string, string>, payload: string): Buffer {
  return rawMessage(
    Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value))),
    Buffer.from(payload),
  );
}

export const event = (type: string, payload: string): Buffer =>
  message({ ":event-type": type, ":content-type": "application/json", ":message-type": "event" }, payload);

/** A fixture of the dialect as the service sends it. */
export function messagesOf(name: string): Buffer[] {
  return framesOf([Buffer.from(wireText(`bedrock-converse/${name}.sse`))]).map(({ event: type = "", data }) => {
    if (type !== "exception") return event(type, data);
    const { __type = "" } = JSON.parse(data) as { __type?: string };
    return message({ ":exception-type": __type, ":message-type": "exception" }, data);
  });
}
