// One cell of the table: makes the call, sees what became of it, and fails where that was said to nobody.
import { expect } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { clearUpstreams, type World } from "../support/fixture-gateway.ts";
import { bodySent, type Call, make } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";
import { collectBy } from "../support/stream-writers.ts";
import type { Seen } from "../support/upstream.ts";
import { carried } from "./carried.ts";
import { type Client, type Feature, stopText } from "./clients.ts";
import { type ExpectedReply, expectedReply, type Far, replyOf, scriptOf } from "./upstreams.ts";

export interface Pair {
  client: Client;
  far: Far;
  feature: Feature;
  stream: boolean;
}

/** What became of what the client asked, as anybody can see from outside. `field`: the one that it was about. */
export interface Outcome {
  class: "passthrough" | "mapped" | "emulated" | "refused" | "dropped with a warning";
  field?: string;
}

/** Runs one cell and gives its class; throws where the answer is not what the upstream said. */
export async function outcomeOf(pair: Pair, world: World): Promise<Outcome> {
  clearUpstreams(world.upstreams);
  const upstream = world.upstreams[pair.far.at];
  const receivedFirst = Promise.withResolvers<void>();
  upstream.on("*", scriptOf(pair.far, pair.feature, pair.stream, receivedFirst.promise));
  const call: Call = { ...callOf(pair), onFirst: () => receivedFirst.resolve() };
  const { received } = await make(call, world);
  if (!received) throw new Error("there was no answer");
  const seen = upstream.requests.at(-1);
  const outcome = observed(pair, call, received, seen);
  // A server without text completions is found out by asking it.
  const heeded = upstream.requests.filter(({ path }) => path !== "/v1/completions");
  if (outcome.class === "refused") expect(heeded).toEqual([]);
  else if (pair.feature.startsWith("error")) checkError(pair, received);
  else checkAnswer(pair, received, seen, outcome);
  return outcome;
}

function callOf({ client, far, feature, stream }: Pair): Call {
  const streamed = stream ? { stream, ...client.streams } : {};
  const none = client.name === "gemini" ? { contents: undefined } : { messages: undefined, input: undefined };
  return {
    to: client.name,
    key: "good",
    body: { ...none, ...client.base, ...client.asks[feature], ...streamed, model: far.model },
  };
}

const warningIn = (received: Received, code: string): string | undefined =>
  new RegExp(`${code};field=([^,\\s]+)`).exec(received.headers.get("x-turnpike-warnings") ?? "")?.[1];

function observed(pair: Pair, call: Call, received: Received, seen: Seen | undefined): Outcome {
  if (received.status === 400) return { class: "refused", field: String(at(received.json, "error", "param")) };
  const dropped = warningIn(received, "dropped");
  if (dropped) return { class: "dropped with a warning", field: dropped };
  const emulated = warningIn(received, "emulated");
  if (emulated) return { class: "emulated", field: emulated };
  const expected = pair.feature.startsWith("error") ? null : replyOf(pair.far, pair.feature, pair.stream).join("");
  const isUnchanged = seen?.text === JSON.stringify(bodySent(call)) && sameReply(received.text, expected);
  const approximated = warningIn(received, "approximated");
  return { class: isUnchanged ? "passthrough" : "mapped", ...(approximated ? { field: approximated } : {}) };
}

/** Byte for byte; a response may have the gateway's own id in place of the upstream's. */
function sameReply(received: string, expected: string | null): boolean {
  if (expected === null || received === expected) return received === expected;
  const withoutId = (text: string) =>
    text.split("\n").map((line) => line.replace(/^(data: )?(\{.*"object":"response".*)$/, namelessResponse));
  return received.includes('"object":"response"') && withoutId(received).join("\n") === withoutId(expected).join("\n");
}

function namelessResponse(_line: string, label: string | undefined, json: string): string {
  const named = JSON.parse(json) as { response?: object };
  return (
    (label ?? "") + JSON.stringify(named.response ? { ...named, response: nameless(named.response) } : nameless(named))
  );
}

const nameless = (response: object) => ({ ...response, id: "" });

function checkAnswer(pair: Pair, received: Received, seen: Seen | undefined, outcome: Outcome): void {
  const { client, far, feature } = pair;
  const expected = expectedReply(far, feature);
  expect({ status: received.status, error: at(received.json, "error") ?? null }).toEqual({ status: 200, error: null });
  const result = collectBy[client.name](received);
  const isWatched = outcome.class === "emulated" && feature === "stop";
  const text = isWatched ? expected.text.slice(0, expected.text.indexOf(stopText)) : expected.text;
  expect(result.error).toBeUndefined();
  expect(result.isEnded).toBe(true);
  if (!(expected.end === "refusal" && result.refusal === undefined && expected.text === ""))
    expect(result.text).toBe(text);
  if (isWatched) expect(result.stop).toBe(client.stops.sequence);
  else checkEnd(client, expected, result.stop);
  if (client.reads.calls && expected.calls) expect(result.calls).toMatchObject(expected.calls);
  if (client.reads.thinking && feature === "thinking") expect(result.thinking).toBe(expected.thinking ?? "");
  if (feature === "text" && expected.usage) checkUsage(client, expected.usage, result.usage);
  if (client.reads.logprobs && expected.logprobs) expect(result.logprobs).toEqual(expected.logprobs);
  const isDropped = outcome.class === "dropped with a warning";
  const isCarried = client.asks[feature] === undefined || carried(far, feature, seen?.json);
  const arrived = { carried: isCarried, as: outcome };
  if (!isWatched) expect(arrived).toEqual({ carried: !isDropped, as: outcome });
}

function checkEnd({ stops, reads }: Client, expected: ExpectedReply, stop: string | undefined): void {
  if (expected.end === "error") return;
  if (expected.end === "refusal") expect(stop).toMatch(stops.refusal);
  else expect(stop).toBe(expected.end === "tools" && !reads.calls ? stops.end : stops[expected.end]);
}

function checkUsage(client: Client, [input, output]: readonly [number, number], usage: object | undefined): void {
  const [inputName, outputName] = client.usage;
  expect(usage).toMatchObject({ [inputName]: input, [outputName]: output });
}

/** Before anything was said an error has a status; within a stream it is an event, and no clean end follows. */
function checkError({ client, feature, stream }: Pair, received: Received): void {
  const result = collectBy[client.name](received);
  expect(String(result.error?.["message"] ?? "")).toMatch(/\S/);
  if (feature === "error before") expect(received.status).toBe(429);
  else if (stream)
    expect({ status: received.status, isEnded: result.isEnded }).toEqual({ status: 200, isEnded: false });
  else expect(received.status).toBeGreaterThanOrEqual(500);
}
