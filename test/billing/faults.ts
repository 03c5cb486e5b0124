// The faults of the billing matrix: what each upstream does, and what may be booked for it.
import type { Reply } from "../support/upstream.ts";
import type { Count, UpstreamWire } from "./wires.ts";

/**
 * `reported`: as the provider said. `estimated`: charged by the gateway's estimate. `possible`: estimated and not charged.
 * `nothing`: refused, or never sent.
 */
export type Booked = "reported" | "estimated" | "possible" | "nothing";

export interface Fault {
  readonly name: string;
  readonly stream: boolean;
  readonly booked: Booked;
  /** The providers with short timeouts are asked. */
  readonly hangs?: true;
  readonly leaves?: "when asked" | "after first bytes";
  reply(wire: UpstreamWire, text: string, pieces: readonly string[]): Reply;
}

/** What providers report, to be told from any estimate. */
export const reported: readonly [number, number] = [1_234, 567];

const json = { "content-type": "application/json" };
const refusals = [400, 401, 402, 403, 404, 405, 409, 413, 422, 429, 451];
const failures = [500, 501, 502, 503, 504, 520, 529];
const badUsages: readonly (readonly [string, readonly [Count, Count] | undefined])[] = [
  ["no usage", undefined],
  ["a negative input", [-5, 7]],
  ["a negative output", [5, -7]],
  ["a text for input", ["many", 7]],
  ["a text for output", [5, "many"]],
  ["an absurd input", [1e15, 7]],
  ["an absurd output", [5, 1e15]],
  ["zeros", [0, 0]],
  ["an empty input", [0, 7]],
  ["an empty output", [5, 0]],
  ["nulls", [null, null]],
  ["an object for input", [{}, 7]],
];

const statusFaults = (stream: boolean): Fault[] =>
  [...refusals, ...failures].map((status) => ({
    name: `status ${status}`,
    stream,
    booked: status < 500 ? "nothing" : "possible",
    reply: () => ({ status, json: { error: { message: "no", type: "x", code: status, status: "X" } } }),
  }));

const beforeHead = (stream: boolean): Fault[] => [
  {
    name: "redirect",
    stream,
    booked: "possible",
    reply: () => ({ status: 302, headers: { location: "/x" }, json: {} }),
  },
  { name: "reset before the head", stream, booked: "possible", reply: () => ({ head: "", text: "", ending: "reset" }) },
  { name: "closed before the head", stream, booked: "possible", reply: () => ({ head: "", text: "", ending: "cut" }) },
  {
    name: "half a head",
    stream,
    booked: "possible",
    reply: () => ({ head: "HTTP/1.1 200 OK\r\nconte", text: "", ending: "cut" }),
  },
  {
    name: "no HTTP",
    stream,
    booked: "possible",
    reply: () => ({ head: "hello world\r\n\r\n", text: "", ending: "cut" }),
  },
  {
    name: "a page",
    stream,
    booked: "possible",
    reply: () => ({ text: "<html>", headers: { "content-type": "text/html" } }),
  },
  { name: "silence", stream, booked: "possible", hangs: true, reply: () => ({ head: "", text: "", ending: "hang" }) },
  {
    name: "silence behind the head",
    stream,
    booked: "possible",
    hangs: true,
    reply: () => ({ frames: [], ending: "hang" }),
  },
  {
    name: "an error with status 200",
    stream,
    booked: "possible",
    reply: () => ({ json: { error: { message: "boom", code: 500, type: "server_error", status: "INTERNAL" } } }),
  },
  {
    name: "the client leaves before the head",
    stream,
    booked: "estimated",
    leaves: "when asked",
    reply: () => ({ head: "", text: "", ending: "hang" }),
  },
];

const wholeFaults: Fault[] = [
  ...statusFaults(false),
  ...beforeHead(false),
  {
    name: "reported",
    stream: false,
    booked: "reported",
    reply: (wire, text) => ({ json: wire.whole(text, reported) }),
  },
  ...badUsages.map(
    ([name, usage]): Fault => ({
      name,
      stream: false,
      booked: "estimated",
      reply: (wire, text) => ({ json: wire.whole(text, usage) }),
    }),
  ),
  ...(
    [
      ["broken JSON", { text: '{"id":', headers: json }],
      ["an empty body", { text: "", headers: json }],
      ["a list", { json: [1] }],
      ["an object that is no reply", { json: { hello: 1 } }],
      ["a lie about the length", { text: '{"id":1', headers: json, contentLength: 9_999, ending: "cut" }],
      ["a reset in the body", { text: '{"id":1', headers: json, contentLength: 9_999, ending: "reset" }],
      ["status 204", { status: 204, headers: { "content-length": "0" } }],
    ] as const
  ).map(([name, reply]): Fault => ({ name, stream: false, booked: "possible", reply: () => reply as Reply })),
  {
    name: "silence in the body",
    stream: false,
    booked: "possible",
    hangs: true,
    reply: () => ({ text: '{"id":1', headers: json, contentLength: 9_999, ending: "hang" }),
  },
];

/** A stream that ends, in the given way, after the opening and so many pieces. */
const cutAfter = (count: number, ending: "reset" | "cut" | "hang"): Fault => ({
  name: `${ending} after ${count} pieces`,
  stream: true,
  booked: "estimated",
  ...(ending === "hang" ? { hangs: true } : {}),
  reply(wire, _text, pieces) {
    const { opening, pieces: frames } = wire.stages(pieces, reported);
    return { frames: [...opening, ...frames.slice(0, count)], ending };
  },
});

const streamFaults: Fault[] = [
  ...statusFaults(true),
  ...beforeHead(true),
  {
    name: "reported",
    stream: true,
    booked: "reported",
    reply: (wire, _text, pieces) => ({ frames: framesOf(wire, pieces, reported) }),
  },
  ...badUsages.map(
    ([name, usage]): Fault => ({
      name,
      stream: true,
      booked: "estimated",
      reply: (wire, _text, pieces) => ({ frames: framesOf(wire, pieces, usage) }),
    }),
  ),
  ...[1, 3, 5].flatMap((count) => (["reset", "cut", "hang"] as const).map((ending) => cutAfter(count, ending))),
  { name: "an error event first", stream: true, booked: "possible", reply: (wire) => ({ frames: [wire.errorFrame] }) },
  {
    name: "an error event in the middle",
    stream: true,
    booked: "estimated",
    reply(wire, _text, pieces) {
      const { opening, pieces: frames } = wire.stages(pieces, reported);
      return { frames: [...opening, ...frames.slice(0, 3), wire.errorFrame] };
    },
  },
  {
    name: "a broken frame in the middle",
    stream: true,
    booked: "estimated",
    reply(wire, _text, pieces) {
      const { opening, pieces: frames } = wire.stages(pieces, reported);
      return { frames: [...opening, ...frames.slice(0, 3), "data: {broken\n\n"] };
    },
  },
  {
    name: "the client leaves after the first bytes",
    stream: true,
    booked: "estimated",
    leaves: "after first bytes",
    reply(wire, _text, pieces) {
      const { opening, pieces: frames } = wire.stages(pieces, reported);
      return { frames: [...opening, ...frames.slice(0, 3)], ending: "hang" };
    },
  },
];

function framesOf(wire: UpstreamWire, pieces: readonly string[], usage: readonly [Count, Count] | undefined): string[] {
  const { opening, pieces: frames, finish, end } = wire.stages(pieces, usage);
  return [...opening, ...frames, ...finish, ...end];
}

export const faults: readonly Fault[] = [...wholeFaults, ...streamFaults];
