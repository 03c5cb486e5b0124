// AWS event streams: binary messages, split from chunks, verified by checksum, and returned as the server-sent events
// that dialects read.
import { GatewayError } from "../../canonical/error.ts";
import { exceptionEvent } from "../../dialects/bedrock-converse/error.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { formatFrame } from "../../lib/sse.ts";

/** One message. Only text headers are read; Bedrock sends no others. */
interface EventMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}

/**
 * The messages that a chunk completed. `fault`: the next message is damaged or too large, and nothing can follow it.
 */
interface EventCut {
  readonly messages: readonly EventMessage[];
  readonly fault: GatewayError | null;
}

/** Splits chunks at message boundaries; the bytes of an incomplete message are held back. */
interface EventCutter {
  push(chunk: Uint8Array): EventCut;
}

/** https://smithy.io/2.0/aws/amazon-eventstream.html: total length, length of the headers, checksum of both. */
const preludeBytes = 12;
const sumBytes = 4;
const overheadBytes = preludeBytes + sumBytes;
const maxMessageBytes = 17 * 1024 * 1024;
const decoder = new TextDecoder();

/** Sizes of header values by their type; types 6 and 7 are prefixed with their size in two bytes. */
const valueBytes: readonly (number | "prefixed")[] = [0, 0, 1, 2, 4, 8, "prefixed", "prefixed", 8, 16];
const textType = 7;

const damaged = () => invalidUpstreamResponse("an event stream message is corrupted");

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readHeaders(bytes: Uint8Array): Record<string, string> {
  const view = viewOf(bytes);
  const headers: Record<string, string> = {};
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + view.getUint8(at);
    const name = decoder.decode(bytes.subarray(at + 1, nameEnd));
    const type = view.getUint8(nameEnd);
    const size = valueBytes[type];
    if (size === undefined) throw damaged();
    const start = nameEnd + 1 + (size === "prefixed" ? 2 : 0);
    const end = start + (size === "prefixed" ? view.getUint16(nameEnd + 1) : size);
    if (end > bytes.length) throw damaged();
    if (type === textType) headers[name] = decoder.decode(bytes.subarray(start, end));
    at = end;
  }
  return headers;
}

/** The length of the message that starts here, from its verified prelude. */
function messageLength(bytes: Uint8Array, view: DataView, at: number): number {
  const length = view.getUint32(at);
  const headerLength = view.getUint32(at + 4);
  if (Bun.hash.crc32(bytes.subarray(at, at + 8)) !== view.getUint32(at + 8)) throw damaged();
  if (length > maxMessageBytes || headerLength > length - overheadBytes) throw damaged();
  return length;
}

function readMessage(bytes: Uint8Array): EventMessage {
  const view = viewOf(bytes);
  const end = bytes.length - sumBytes;
  if (Bun.hash.crc32(bytes.subarray(0, end)) !== view.getUint32(end)) throw damaged();
  const payloadStart = preludeBytes + view.getUint32(4);
  try {
    const headers = readHeaders(bytes.subarray(preludeBytes, payloadStart));
    return { headers, payload: bytes.subarray(payloadStart, end) };
  } catch (cause) {
    // The checksums are right, but the lengths of the headers are not.
    throw cause instanceof RangeError ? damaged() : cause;
  }
}

/** Takes complete messages into `messages`, and returns where the incomplete one starts. */
function takeMessages(bytes: Uint8Array, messages: EventMessage[]): number {
  const view = viewOf(bytes);
  let at = 0;
  while (bytes.length - at >= preludeBytes) {
    const length = messageLength(bytes, view, at);
    if (bytes.length - at < length) break;
    messages.push(readMessage(bytes.subarray(at, at + length)));
    at += length;
  }
  return at;
}

/** A cutter for one stream. */
export function eventCutter(): EventCutter {
  let held: Uint8Array = new Uint8Array();
  return {
    push(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const messages: EventMessage[] = [];
      try {
        held = bytes.slice(takeMessages(bytes, messages));
        return { messages, fault: null };
      } catch (thrown) {
        if (thrown instanceof GatewayError) return { messages, fault: thrown };
        throw thrown;
      }
    },
  };
}

const binary = "application/vnd.amazon.eventstream";
const encoder = new TextEncoder();

/** An exception within a stream in the shape of an error response: with its name next to its message. */
function exception(type: string | undefined, body: JsonObject): string {
  return formatFrame({ event: exceptionEvent, data: JSON.stringify({ ...body, __type: type ?? "" }) });
}

function frameOf({ headers, payload }: EventMessage): string {
  const data = decoder.decode(payload);
  switch (headers[":message-type"]) {
    case "exception": {
      const body = parseExactText(data);
      return exception(headers[":exception-type"], isObject(body) ? body : { message: data });
    }
    case "error":
      return exception(headers[":error-code"], { message: headers[":error-message"] ?? "" });
    default:
      return formatFrame({ event: headers[":event-type"] ?? "", data });
  }
}

/**
 * Messages before a damaged one are passed on first. A partial message at the end is dropped: the dialect detects
 * whether the reply was complete.
 */
function eventsAsFrames(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cutter = eventCutter();
  let fault: GatewayError | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        while (fault === null) {
          const { done, value } = await reader.read();
          if (done) return out.close();
          const cut = cutter.push(value);
          fault = cut.fault;
          if (cut.messages.length > 0) return out.enqueue(encoder.encode(cut.messages.map(frameOf).join("")));
        }
        void reader.cancel().catch(() => undefined);
        throw fault;
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The response with its body as events; any other response unchanged. */
export function unwrapEvents(response: Response): Response {
  if (response.body === null || !response.headers.get("content-type")?.startsWith(binary)) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.set("content-type", "text/event-stream");
  return new Response(eventsAsFrames(response.body), { status: response.status, headers });
}
