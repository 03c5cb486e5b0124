// The four upstreams of the pairs: what each says for a feature, as real wire text, and what a reader must have received then.

import type { UpstreamName } from "../support/fixture-gateway.ts";
import { wireFrames, wireText } from "../support/fixtures.ts";
import type { Script } from "../support/upstream.ts";
import type { Feature } from "./clients.ts";

export interface ExpectedReply {
  text: string;
  thinking?: string;
  calls?: { name: string; input: unknown }[];
  /** The tokens of the text, each with its log probability. */
  logprobs?: [token: string, logprob: number][];
  end: "end" | "tools" | "length" | "refusal" | "error";
  /** All tokens of prompt and reply. */
  usage?: readonly [input: number, output: number];
}

export interface Far {
  speaks: "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";
  at: UpstreamName;
  model: string;
  /** Fixture names by feature; a feature without one is answered with a plain text. */
  fixtures: Partial<Record<Feature, string>>;
  /** Words in a fixture that another feature replaces, where no fixture has them. */
  twists?: Partial<Record<Feature, readonly [from: string, to: string]>>;
  replies: { [feature in Feature]?: ExpectedReply } & { text: ExpectedReply };
}

const calls = [
  { name: "get_time", input: { zone: "UTC" } },
  { name: "get_day", input: {} },
];
const structured: ExpectedReply = { text: '{"hour":12}', end: "end" };
/** One character may be two tokens, neither of which is text. */
const halves: ExpectedReply = {
  text: "Hi 🙂",
  logprobs: [
    ["Hi", -0.0625],
    [" \\xf0\\x9f\\x99", -0.5],
    ["\\x82", -0.125],
  ],
  end: "end",
};
const traveller: ExpectedReply = { text: "Hello there, traveller.", end: "end", usage: [12, 5] };

export const fars: readonly Far[] = [
  {
    speaks: "openai-chat",
    at: "alpha",
    model: "gpt-x",
    fixtures: {
      "structured output": "structured",
      "log probabilities": "logprobs",
      "parallel tools": "tools",
      thinking: "reasoning",
      refusal: "refusal",
    },
    twists: { length: ['"finish_reason":"stop"', '"finish_reason":"length"'] },
    replies: {
      text: traveller,
      "structured output": structured,
      "log probabilities": halves,
      "parallel tools": { text: "Let me check.", calls, end: "tools" },
      thinking: { text: "It is noon.", thinking: "Need the clock.", end: "end" },
      length: { ...traveller, end: "length" },
      refusal: { text: "", end: "refusal" },
    },
  },
  {
    speaks: "openai-responses",
    at: "responder",
    model: "gpt-r",
    fixtures: {
      "structured output": "structured",
      "log probabilities": "logprobs",
      "parallel tools": "tools",
      thinking: "reasoning",
      length: "length",
      refusal: "refusal",
    },
    replies: {
      text: { text: "Hello there, how can I help?", end: "end", usage: [13, 9] },
      "structured output": structured,
      "log probabilities": halves,
      "parallel tools": { text: "Let me check.", calls, end: "tools" },
      thinking: { text: "42.", thinking: "**Weighing** the question.\n\n**Answering** it.", end: "end" },
      length: { text: "One, two, three", end: "length" },
      refusal: { text: "", end: "refusal" },
    },
  },
  {
    speaks: "anthropic-messages",
    at: "claude",
    model: "claude-x",
    fixtures: {
      "structured output": "structured",
      "parallel tools": "tools",
      thinking: "thinking",
      refusal: "refusal",
    },
    twists: { length: ['"stop_reason":"end_turn"', '"stop_reason":"max_tokens"'] },
    replies: {
      text: traveller,
      "structured output": structured,
      "parallel tools": { text: "Let me check.", calls, end: "tools" },
      thinking: { text: "Let me check.", thinking: "Need two lookups.", calls, end: "tools" },
      length: { ...traveller, end: "length" },
      refusal: { text: "", end: "refusal" },
    },
  },
  {
    speaks: "gemini",
    at: "google",
    model: "gemini-x",
    fixtures: {
      "structured output": "structured",
      "log probabilities": "logprobs",
      "parallel tools": "tools",
      thinking: "thinking",
      length: "length",
      refusal: "safety",
    },
    replies: {
      text: { text: "Hello, world!", end: "end", usage: [8, 4] },
      "structured output": structured,
      "log probabilities": {
        text: "Hi there.",
        logprobs: [
          ["Hi", -0.1],
          [" there", -0.25],
          [".", -0.5],
        ],
        end: "end",
      },
      "parallel tools": { text: "Let me check.", calls, end: "tools" },
      thinking: { text: "The answer is 4.", thinking: "**Adding**\n\nTwo and two make four.", end: "end" },
      length: { text: "", end: "length" },
      refusal: { text: "First you", end: "refusal" },
    },
  },
];

/** What a reader of this upstream must have received. */
export function expectedReply(far: Far, feature: Feature): ExpectedReply {
  if (feature.startsWith("error")) return { text: "", end: "error" };
  return far.replies[feature] ?? far.replies.text;
}

const compactJson = (path: string): string => JSON.stringify(JSON.parse(wireText(path)));

/** The wire text of a reply: the frames of a stream, or one document. */
export function replyOf(far: Far, feature: Feature, stream: boolean): string[] {
  const name = far.fixtures[feature] ?? "text";
  const [from, to] = far.twists?.[feature] ?? ["", ""];
  const twisted = (text: string) => (from === "" ? text : text.replace(from, to));
  if (stream) return wireFrames(`${far.speaks}/${name}.sse`).map(twisted);
  return [twisted(compactJson(`${far.speaks}/${name}.json`))];
}

const json = { "content-type": "application/json" };

/** The error of a stream comes when the client has received its first bytes; before that it would have a status of its own. */
function errorWithin(far: Far, receivedFirst: Promise<void>): Script {
  const frames = wireFrames(`${far.speaks}/error-midstream.sse`);
  return { frames, gate: receivedFirst, gateAfter: frames.length - 1 };
}

/** What the upstream does in a cell. `error within` of a whole reply: an error in a body of status 200. */
export function scriptOf(far: Far, feature: Feature, stream: boolean, receivedFirst: Promise<void>): Script {
  const fixture = (name: string) => wireText(`${far.speaks}/${name}`);
  if (feature === "error before") return { status: 429, text: fixture("error-429.json"), headers: json };
  if (feature === "error within" && stream) return errorWithin(far, receivedFirst);
  if (feature === "error within") return { text: fixture("error-500.json"), headers: json };
  const reply = replyOf(far, feature, stream);
  return stream ? { frames: reply } : { text: reply.join(""), headers: json };
}
