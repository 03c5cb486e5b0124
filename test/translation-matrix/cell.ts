// One cell of the table: makes the call, sees what became of it, and fails where that was said to nobody.
import { expect } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { clearUpstreams, type World } from "../support/fixture-gateway.ts";
import { bodySent, type Call, make } from "../support/http-client.ts";
import type { Heard } from "../support/response-oracle.ts";
import { toldBy } from "../support/stream-writers.ts";
import type { Seen } from "../support/upstream.ts";
import { carried } from "./carried.ts";
import { type Client, type Feature, stopText } from "./clients.ts";
import { type Far, replyOf, type Said, saidBy, scriptOf } from "./upstreams.ts";

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
  const heardFirst = Promise.withResolvers<void>();
  upstream.on("*", scriptOf(pair.far, pair.feature, pair.stream, heardFirst.promise));
  const call: Call = { ...callOf(pair), onFirst: () => heardFirst.resolve() };
  const { heard } = await make(call, world);
  if (!heard) throw new Error("there was no answer");
  const seen = upstream.requests.at(-1);
  const outcome = observed(pair, call, heard, seen);
  // A server without text completions is found out by asking it.
  const heeded = upstream.requests.filter(({ path }) => path !== "/v1/completions");
  if (outcome.class === "refused") expect(heeded).toEqual([]);
  else if (pair.feature.startsWith("error")) checkError(pair, heard);
  else checkAnswer(pair, heard, seen, outcome);
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

const warningIn = (heard: Heard, code: string): string | undefined =>
  new RegExp(`${code};field=([^,\\s]+)`).exec(heard.headers.get("x-turnpike-warnings") ?? "")?.[1];

function observed(pair: Pair, call: Call, heard: Heard, seen: Seen | undefined): Outcome {
  if (heard.status === 400) return { class: "refused", field: String(at(heard.json, "error", "param")) };
  const dropped = warningIn(heard, "dropped");
  if (dropped) return { class: "dropped with a warning", field: dropped };
  const emulated = warningIn(heard, "emulated");
  if (emulated) return { class: "emulated", field: emulated };
  const said = pair.feature.startsWith("error") ? null : replyOf(pair.far, pair.feature, pair.stream).join("");
  const isVerbatim = seen?.text === JSON.stringify(bodySent(call)) && sameReply(heard.text, said);
  const approximated = warningIn(heard, "approximated");
  return { class: isVerbatim ? "passthrough" : "mapped", ...(approximated ? { field: approximated } : {}) };
}

/** Byte for byte; a response may have the gateway's own id in place of the upstream's. */
function sameReply(heard: string, said: string | null): boolean {
  if (said === null || heard === said) return heard === said;
  const withoutId = (text: string) =>
    text.split("\n").map((line) => line.replace(/^(data: )?(\{.*"object":"response".*)$/, namelessResponse));
  return heard.includes('"object":"response"') && withoutId(heard).join("\n") === withoutId(said).join("\n");
}

function namelessResponse(_line: string, label: string | undefined, json: string): string {
  const named = JSON.parse(json) as { response?: object };
  return (
    (label ?? "") + JSON.stringify(named.response ? { ...named, response: nameless(named.response) } : nameless(named))
  );
}

const nameless = (response: object) => ({ ...response, id: "" });

function checkAnswer(pair: Pair, heard: Heard, seen: Seen | undefined, outcome: Outcome): void {
  const { client, far, feature } = pair;
  const said = saidBy(far, feature);
  expect({ status: heard.status, error: at(heard.json, "error") ?? null }).toEqual({ status: 200, error: null });
  const told = toldBy[client.name](heard);
  const isWatched = outcome.class === "emulated" && feature === "stop";
  const text = isWatched ? said.text.slice(0, said.text.indexOf(stopText)) : said.text;
  expect(told.error).toBeUndefined();
  expect(told.isEnded).toBe(true);
  if (!(said.end === "refusal" && told.refusal === undefined && said.text === "")) expect(told.text).toBe(text);
  if (isWatched) expect(told.stop).toBe(client.stops.sequence);
  else checkEnd(client, said, told.stop);
  if (client.hears.calls && said.calls) expect(told.calls).toMatchObject(said.calls);
  if (client.hears.thinking && feature === "thinking") expect(told.thinking).toBe(said.thinking ?? "");
  if (feature === "text" && said.usage) checkUsage(client, said.usage, told.usage);
  if (client.hears.logprobs && said.logprobs) expect(told.logprobs).toEqual(said.logprobs);
  const isDropped = outcome.class === "dropped with a warning";
  const isCarried = client.asks[feature] === undefined || carried(far, feature, seen?.json);
  const arrived = { carried: isCarried, as: outcome };
  if (!isWatched) expect(arrived).toEqual({ carried: !isDropped, as: outcome });
}

function checkEnd({ stops, hears }: Client, said: Said, stop: string | undefined): void {
  if (said.end === "error") return;
  if (said.end === "refusal") expect(stop).toMatch(stops.refusal);
  else expect(stop).toBe(said.end === "tools" && !hears.calls ? stops.end : stops[said.end]);
}

function checkUsage(client: Client, [input, output]: readonly [number, number], usage: object | undefined): void {
  const [inputName, outputName] = client.usage;
  expect(usage).toMatchObject({ [inputName]: input, [outputName]: output });
}

/** Before anything was said an error has a status; within a stream it is an event, and no clean end follows. */
function checkError({ client, feature, stream }: Pair, heard: Heard): void {
  const told = toldBy[client.name](heard);
  expect(String(told.error?.["message"] ?? "")).toMatch(/\S/);
  if (feature === "error before") expect(heard.status).toBe(429);
  else if (stream) expect({ status: heard.status, isEnded: told.isEnded }).toEqual({ status: 200, isEnded: false });
  else expect(heard.status).toBeGreaterThanOrEqual(500);
}
