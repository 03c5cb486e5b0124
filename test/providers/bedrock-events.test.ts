// The binary framing of AWS event streams: cut anywhere, damaged anywhere, and what becomes of each kind of message.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { eventCutter, unwrapEvents } from "../../src/providers/bedrock/event-stream.ts";
import { event, message, messagesOf, rawMessage } from "./aws-events.ts";
import { framesIn } from "./helpers.ts";

const textOf = (payload: Uint8Array) => Buffer.from(payload).toString();

/** What a cutter makes of these chunks. */
function cut(chunks: Iterable<Uint8Array>) {
  const cutter = eventCutter();
  const messages = [...chunks].flatMap((chunk) => cutter.push(chunk).messages);
  return messages.map(({ headers, payload }) => [headers, textOf(payload)]);
}

const faultIn = (bytes: Uint8Array) => eventCutter().push(bytes).fault?.kind;

const stream = Buffer.concat(messagesOf("thinking"));

// https://github.com/awslabs/aws-c-event-stream/tree/main/tests: the messages that all AWS SDKs are tested with
describe("published messages", () => {
  test.each([
    ["000000100000000005c248eb7d98c8ff", {}, ""],
    ["0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936", {}, "{'foo':'bar'}"],
    [
      "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
      { "content-type": "application/json" },
      "{'foo':'bar'}",
    ],
  ])("%s", (hex, headers, payload) => {
    expect(cut([Buffer.from(hex, "hex")])).toEqual([[headers, payload]]);
  });
});

test("messages may be cut at any byte", () => {
  const whole = cut([stream]);
  expect(whole.length).toBe(11);
  expect(cut(Array.from(stream, (byte) => Buffer.of(byte)))).toEqual(whole);
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length)), (places) => {
      const edges = [0, ...places.sort((left, right) => left - right), stream.length];
      expect(cut(edges.slice(1).map((end, index) => stream.subarray(edges[index], end)))).toEqual(whole);
    }),
  );
});

test("what stands before a damaged message is not lost with it", () => {
  const damaged = Buffer.concat([event("messageStart", "{}"), event("messageStop", "{}")]);
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  const { messages, fault } = eventCutter().push(damaged);
  expect(messages.map(({ headers }) => headers[":event-type"])).toEqual(["messageStart"]);
  expect(fault?.kind).toBe("upstream_protocol_error");
});

test("no byte of a message can be changed unnoticed", () => {
  const one = event("contentBlockDelta", '{"delta":{"text":"Hello"}}');
  for (let at = 0; at < one.length; at++) {
    const damaged = Buffer.from(one);
    damaged[at] = (damaged[at] ?? 0) ^ 0x20;
    expect({ at, kind: faultIn(damaged) }).toEqual({ at, kind: "upstream_protocol_error" });
  }
});

describe("sums that fit over nonsense", () => {
  test.each([
    ["a length that cuts the headers off", Buffer.from("0000001000000020", "hex")],
    ["a length that no message has", Buffer.from("7fffffff00000000", "hex")],
    ["a length of less than the frame itself", Buffer.from("0000000400000000", "hex")],
  ])("%s", (_, lengths) => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(Bun.hash.crc32(lengths));
    expect(faultIn(Buffer.concat([lengths, sum]))).toBe("upstream_protocol_error");
  });

  test.each([
    ["a value that ends behind the headers", "03616263070fff61"],
    ["a type that there is none of", "036162630b00"],
    ["a name that ends behind the headers", "ff61"],
  ])("%s", (_, hex) => {
    const damaged = rawMessage(Buffer.from(hex, "hex"), Buffer.from("{}"));
    expect(faultIn(damaged)).toBe("upstream_protocol_error");
  });

  test("headers of other types are stepped over", () => {
    const types =
      "016100" +
      "016202ff" +
      "016304ffffffff" +
      "01640800000000000000ff" +
      "01650600021234" +
      "016609" +
      "00".repeat(16);
    const headers = Buffer.concat([Buffer.from(types, "hex"), Buffer.from("01670700026f6b", "hex")]);
    expect(cut([rawMessage(headers, Buffer.from("x"))])).toEqual([[{ g: "ok" }, "x"]]);
  });
});

describe("as server-sent events", () => {
  const binary = { "content-type": "application/vnd.amazon.eventstream" };
  const unwrapped = (bytes: Uint8Array, headers: Record<string, string> = binary) =>
    unwrapEvents(new Response(bytes, { headers }));

  test("an event keeps its name and its words", async () => {
    const response = unwrapped(event("metadata", '{"usage":{}}'));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await framesIn(response)).toEqual([{ event: "metadata", data: '{"usage":{}}' }]);
  });

  test("exceptions and errors in one shape", async () => {
    const exceptions = Buffer.concat([
      message({ ":message-type": "exception", ":exception-type": "throttlingException" }, '{"message":"slow"}'),
      message({ ":message-type": "exception", ":exception-type": "other" }, "no JSON"),
      message({ ":message-type": "error", ":error-code": "InternalError", ":error-message": "oh" }, ""),
    ]);
    expect((await framesIn(unwrapped(exceptions))).map(({ data }) => JSON.parse(data))).toEqual([
      { message: "slow", __type: "throttlingException" },
      { message: "no JSON", __type: "other" },
      { message: "oh", __type: "InternalError" },
    ]);
  });

  test("a body that ends within a message ends after the one before", async () => {
    const bytes = Buffer.concat([event("messageStart", "{}"), event("messageStop", "{}").subarray(0, 20)]);
    expect((await framesIn(unwrapped(bytes))).map((frame) => frame.event)).toEqual(["messageStart"]);
  });

  test("anything else goes by as it is", () => {
    const response = Response.json({});
    expect(unwrapEvents(response)).toBe(response);
  });
});
