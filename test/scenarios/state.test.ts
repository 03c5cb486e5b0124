// State that proves thought travels through clients that drop empty parts, thoughts and unknown members, and comes back.
import { expect } from "bun:test";
import { askAgain, message, sent, streamed } from "../regressions/support.ts";
import { at, list, text } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";
import type { Reply } from "../support/upstream.ts";

type Part = Record<string, unknown>;

const user = { role: "user", parts: [{ text: "What time is it?" }] };
const answer = { functionResponse: { name: "get_time", response: { output: "noon" } } };
const thought = { type: "thinking", thinking: "Need the time.", signature: "c2lnLXRob3VnaHQ=" };
const call = { type: "tool_use", id: "toolu_1", name: "get_time", input: { zone: "UTC" } };
const claudeSays = (stream: boolean): Reply => (stream ? streamed : message)([thought, call], "tool_use");

/** A client that keeps every part, each chunk of a stream as a content of its own. */
const keepsAll = (chunks: Part[][]): object[] => chunks.map((parts) => ({ role: "model", parts }));

/** A client that keeps one content, without thoughts and without parts that say nothing. */
const keepsCalls = (chunks: Part[][]): object[] => [
  { role: "model", parts: chunks.flat().filter((part) => !part.thought && part.text !== "") },
];

const throughGemini: Scenario[] = [false, true].flatMap((stream) =>
  [keepsAll, keepsCalls].map(
    (client): Scenario => ({
      name: `a thought of Claude comes back through a Google client that ${client.name} (stream ${stream})`,
      call: { to: "gemini", body: { model: "claude-x", contents: [user], stream } },
      upstream: { claude: claudeSays(stream) },
      also: async (received, world) => {
        const replies = received.json === undefined ? received.frames.map(({ data }) => data) : [received.json];
        const chunks = replies.map((reply) => list(reply, "candidates", 0, "content", "parts") as Part[]);
        expect(chunks.flat().filter((part) => part.thought && part.text === "")).toEqual([]);
        const contents = [user, ...client(chunks), { role: "user", parts: [answer] }];
        await askAgain(world, "claude", says("anthropic-messages/text.json"), {
          to: "gemini",
          body: { model: "claude-x", contents },
        });
        const content = list(sent(world, "claude"), "messages", 1, "content");
        expect(content).toMatchObject([thought, { type: "tool_use", input: { zone: "UTC" } }]);
      },
    }),
  ),
);

/** A Gemini upstream that shows a thought and signs the call right behind it. */
const signed = {
  thoughtSignature: "c2lnLWNhbGw=",
  functionCall: { name: "get_time", args: { zone: "UTC" }, id: "f1" },
};
const geminiSays = (stream: boolean, parts: object[]): Reply => {
  const reply = (own: object[], more: object = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts: own }, ...more }],
    responseId: "r1",
    modelVersion: "gemini-x",
  });
  if (!stream) return { json: reply(parts, { finishReason: "STOP" }) };
  const chunks = [...parts.map((part) => reply([part])), reply([], { finishReason: "STOP" })];
  return { frames: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`) };
};
const question = { role: "user", content: "What time is it?" };
const thinking = { type: "enabled", budget_tokens: 1024 };

/** The blocks of a reply, as the official client puts them together. */
function blocksOf(received: { json?: unknown; frames: { data: unknown }[] }): Part[] {
  if (received.json !== undefined) return list(received.json, "content") as Part[];
  const blocks: Part[] = [];
  for (const { data } of received.frames) {
    const index = Number(at(data, "index"));
    if (at(data, "type") === "content_block_start") blocks[index] = { ...(at(data, "content_block") as Part) };
    const [block, delta] = [blocks[index], at(data, "delta") as Part];
    if (at(data, "type") !== "content_block_delta" || block === undefined) continue;
    if (delta.type === "thinking_delta") block.thinking = `${block.thinking}${delta.thinking}`;
    if (delta.type === "text_delta") block.text = `${block.text}${delta.text}`;
    if (delta.type === "signature_delta") block.signature = delta.signature;
    if (delta.type === "input_json_delta") block.input = JSON.parse(String(delta.partial_json));
  }
  return blocks;
}

interface Case {
  readonly name: string;
  readonly body: object;
  readonly parts: object[];
  /** Types of the blocks that the client gets. */
  readonly types: string[];
  /** The signature of the call at the next turn. */
  readonly comesBack: string;
}

const cases: Case[] = [
  {
    name: "a client that did not ask for thinking gets none: the call goes back with the stand-in",
    body: {},
    parts: [signed],
    types: ["tool_use"],
    comesBack: "skip_thought_signature_validator",
  },
  {
    name: "a client that asked for thinking gets the state of a call in a block before it",
    body: { thinking },
    parts: [signed],
    types: ["thinking", "tool_use"],
    comesBack: "c2lnLWNhbGw=",
  },
  {
    name: "a thought before the call carries the state: no two blocks of thinking side by side",
    body: { thinking },
    parts: [{ text: "Need the time.", thought: true }, signed],
    types: ["thinking", "tool_use"],
    comesBack: "c2lnLWNhbGw=",
  },
];

const throughMessages: Scenario[] = [false, true].flatMap((stream) =>
  cases.map(
    ({ name, body, parts, types, comesBack }): Scenario => ({
      name: `${name} (messages, stream ${stream})`,
      call: { to: "messages", body: { model: "gemini-x", max_tokens: 2000, messages: [question], stream, ...body } },
      upstream: { google: geminiSays(stream, parts) },
      also: async (received, world) => {
        const content = blocksOf(received);
        expect(content.map(({ type }) => type)).toEqual(types);
        const result = { type: "tool_result", tool_use_id: text(content.at(-1), "id"), content: "noon" };
        const messages = [question, { role: "assistant", content }, { role: "user", content: [result] }];
        const again = { model: "gemini-x", max_tokens: 2000, messages, ...body };
        await askAgain(world, "google", says("gemini/text.json"), { to: "messages", body: again });
        const back = list(sent(world, "google"), "contents", 1, "parts");
        expect(back.map((part) => [at(part, "functionCall", "name"), at(part, "thoughtSignature")])).toEqual([
          ["get_time", comesBack],
        ]);
        await askAgain(world, "claude", says("anthropic-messages/text.json"), {
          to: "messages",
          body: { ...again, model: "claude-x" },
        });
        const elsewhere = JSON.stringify(list(sent(world, "claude"), "messages"));
        expect(elsewhere).not.toContain("gw1");
      },
    }),
  ),
);

const unasked: Scenario = {
  name: "the state of a text is no block for a client that did not ask for thinking",
  call: { to: "messages", body: { model: "gemini-x", messages: [question] } },
  upstream: { google: geminiSays(false, [{ text: "Noon.", thoughtSignature: "c2ln" }]) },
  sees: { body: { content: [{ type: "text", text: "Noon." }] } },
};

scenarios("state that comes back", [...throughGemini, ...throughMessages, unasked]);
