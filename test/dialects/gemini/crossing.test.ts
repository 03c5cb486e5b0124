// State of this dialect's upstreams travels through clients of the others and comes back to the very same part.
import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, ChatResponse } from "../../../src/canonical/chat.ts";
import { collectEvents, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import { anthropicMessages, gemini, openaiChat } from "../../../src/dialects/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { envelopeOf, writeContextOf } from "../../support/laws.ts";
import { askOf, contentsOf, messageOf, wholeFixture } from "./bench.ts";

/** Its client expects thinking in the reply. */
const asking = askOf({ reasoning: { adaptive: true } });

type Chat = Dialect<ChatRequest, ChatResponse>;

const anthropicHistory = (reply: JsonObject): JsonObject => ({
  model: "m",
  max_tokens: 1,
  messages: [
    { role: "user", content: "hi" },
    { role: "assistant", content: reply.content },
  ],
});
const chatHistory = (reply: JsonObject): JsonObject => ({
  model: "m",
  messages: [{ role: "user", content: "hi" }, (reply.choices as JsonObject[])[0]?.message ?? null],
});

/** A client's dialect, and how its clients send a reply back. */
const clients: [string, Chat, (reply: JsonObject) => JsonObject][] = [
  ["anthropic-messages", anthropicMessages, anthropicHistory],
  ["openai-chat", openaiChat, chatHistory],
];

/** What comes back of a reply that went to a client whole. */
function whole(client: Chat, history: (reply: JsonObject) => JsonObject, response: ChatResponse): readonly Block[] {
  const reply = JSON.parse(JSON.stringify(client.response.render(response, writeContextOf(asking)))) as JsonObject;
  const { messages: turns } = client.request.parse(history(reply), envelopeOf());
  return turns.find((message) => message.role === "assistant")?.blocks ?? [];
}

/** What a client of a stream has put together at its end. */
function streamed(client: Chat, response: ChatResponse): readonly Block[] {
  const writer = client.stream?.writer(writeContextOf({ ...asking, stream: true }));
  const reader = client.stream?.reader({ origin: "somebody" });
  const frames = [...streamEventsOf(response)].flatMap((event) => writer?.write(event) ?? []);
  const events = [...frames.flatMap((frame) => reader?.read(frame) ?? []), ...(reader?.end() ?? [])];
  return collectEvents(events)?.choices[0]?.blocks ?? [];
}

/** The model's parts that go back upstream. */
function partsOf(blocks: readonly Block[]): JsonObject[] {
  const { contents } = contentsOf([
    messageOf("user", "hi"),
    messageOf("assistant", ...blocks),
    messageOf("user", "on"),
  ]);
  return (contents as JsonObject[]).flatMap(({ role, parts }) => (role === "model" ? (parts as JsonObject[]) : []));
}

describe.each(clients)("through a client of %s", (_, client, history) => {
  const ways: [string, (response: ChatResponse) => readonly Block[]][] = [
    ["whole", (response) => whole(client, history, response)],
    ["stream", (response) => streamed(client, response)],
  ];

  test.each(ways)("the proof of a call: %s (bug 10)", (_way, back) => {
    expect(partsOf(back(wholeFixture("tools")))).toEqual([
      { text: "Let me check." },
      {
        functionCall: { id: "8f2b1a0e", name: "get_time", args: { zone: "UTC" } },
        thoughtSignature: "EsQDCsEDAXLI2nzToolSignature/+ab==",
      },
      { functionCall: { id: "77c0d1ff", name: "get_day", args: {} } },
    ]);
  });

  test.each(ways)("the state of a text: %s", (_way, back) => {
    expect(partsOf(back(wholeFixture("thinking")))).toEqual([
      { text: "The answer is 4.", thoughtSignature: "EuIBCt8BAXLI2nyJ5o+thinkingTextSignature==" },
    ]);
  });

  test.each(ways)("a picture has no place there: %s", (_way, back) => {
    expect(back(wholeFixture("image"))).toEqual([{ type: "text", text: "Here is a dot." }]);
  });
});

test.each(clients)("thought of %s comes back through a client of this dialect", (_, maker) => {
  const theirs = { origin: "maker", data: "EqQB+/==" };
  const response: ChatResponse = {
    operation: "chat",
    id: "r1",
    model: "m",
    choices: [
      {
        index: 0,
        blocks: [
          { type: "thinking", text: "Hm.", signature: theirs },
          { type: "thinking", text: "", signature: theirs, redacted: true },
          { type: "text", text: "Hi" },
        ],
        finishReason: { kind: "end" },
      },
    ],
  };
  const reply = gemini.response.render(response, writeContextOf(askOf()));
  const [candidate] = reply.candidates as JsonObject[];
  const contents = [{ role: "user", parts: [{ text: "hi" }] }, candidate?.content ?? null];
  const request = gemini.request.parse(
    { contents },
    { ...envelopeOf(), params: { model: "m", verb: "generateContent" } },
  );
  expect(request.messages[1]?.blocks).toEqual(response.choices[0]?.blocks ?? []);
  const context = { model: "x", origin: "maker", fieldPath: () => "" };
  expect(JSON.stringify(maker.request.render({ ...request, maxOutputTokens: 10 }, context).call.body)).toContain(
    "EqQB+/==",
  );
});
