// Classic translation bugs 31 to 37: reasoning.
import { describe, expect, test } from "bun:test";
import { openaiChat } from "../../src/dialects/index.ts";
import { at, list, text } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { plainAsk } from "../support/sample-requests.ts";
import { scenarios } from "../support/scenario.ts";
import type { Reply } from "../support/upstream.ts";
import { askAgain, blocksOf, bug, message, ofType, sent, streamed, textOf } from "./support.ts";

const user = { role: "user", content: "Think." };
const signed = (thinking: string, signature: string) => ({ type: "thinking", thinking, signature });
const bare = message([signed("", "EpYBCkYIBRgC"), { type: "text", text: "Done." }]);
const interleaved = message([
  signed("One.", "c2lnb25l"),
  { type: "text", text: "First." },
  signed("Two.", "c2lndHdv"),
  { type: "text", text: "Second." },
]);
const bareStream = streamed([signed("", "EpYBCkYIBRgC"), { type: "text", text: "Done." }]);
const receivedUser = { role: "user", parts: [{ text: "Think." }] };
const responses = (model: string, input: unknown = [user], stream = false) =>
  ({
    to: "responses",
    body: { model, input, stream, reasoning: { effort: "high", summary: "auto" }, store: false },
  }) as const;
/** A server that leaves its thinking in the text, cut within the tags. */
const tagged = (stream: boolean): Reply => {
  const choice = (more: object) => ({
    id: "c",
    object: "chat.completion",
    model: "r",
    choices: [{ index: 0, ...more }],
  });
  const pieces = ["<th", "ink>\nTwo", " and two.\n</", "think>", "\n\nFo", "ur."];
  if (!stream) {
    return { json: choice({ message: { role: "assistant", content: pieces.join("") }, finish_reason: "stop" }) };
  }
  const chunks = [
    ...pieces.map((content) => choice({ delta: { content }, finish_reason: null })),
    choice({ delta: {}, finish_reason: "stop" }),
  ];
  return { frames: [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"] };
};
/** A round with a tool, whose thinking nobody has signed. */
const afterCall = [
  user,
  {
    role: "assistant",
    content: [signed("Need f.", "gw1.none."), { type: "tool_use", id: "a", name: "f", input: {} }],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
];
const thinkingOf = (turn: unknown) => ofType(blocksOf(turn), "thinking");

scenarios("classic bugs: reasoning", [
  ...[false, true].flatMap((stream) => [
    bug(31, `thought of which only the signature is shown is kept and goes back (responses, stream ${stream})`, {
      call: responses("claude-x", [user], stream),
      upstream: { claude: stream ? bareStream : bare },
      also: async (received, world) => {
        const output = list(received.json ?? at(received.frames.at(-1)?.data, "response"), "output");
        expect(text(ofType(output, "reasoning")[0], "encrypted_content")).toMatch(/./);
        await askAgain(world, "claude", bare, responses("claude-x", [user, ...output, user]));
        expect(thinkingOf(list(sent(world, "claude"), "messages")[1])).toEqual([signed("", "EpYBCkYIBRgC")]);
      },
    }),
    bug(31, `thought of which only the signature is shown is kept and goes back (gemini, stream ${stream})`, {
      call: { to: "gemini", body: { model: "claude-x", stream } },
      upstream: { claude: stream ? bareStream : bare },
      also: async (received, world) => {
        const replies = received.json === undefined ? received.frames.map(({ data }) => data) : [received.json];
        const parts = replies.flatMap((reply) => list(reply, "candidates", 0, "content", "parts"));
        const contents = [receivedUser, { role: "model", parts }, receivedUser];
        await askAgain(world, "claude", bare, { to: "gemini", body: { model: "claude-x", contents } });
        expect(thinkingOf(list(sent(world, "claude"), "messages")[1])).toEqual([signed("", "EpYBCkYIBRgC")]);
      },
    }),
  ]),
  bug(31, "what is redacted stays so", {
    call: responses("claude-x"),
    upstream: {
      claude: message([
        { type: "redacted_thinking", data: "EmwKAhgB" },
        { type: "text", text: "Done." },
      ]),
    },
    also: async (received, world) => {
      const output = list(received.json, "output");
      await askAgain(world, "claude", bare, responses("claude-x", [user, ...output, user]));
      const blocks = blocksOf(list(sent(world, "claude"), "messages")[1]);
      expect(ofType(blocks, "redacted_thinking")).toEqual([{ type: "redacted_thinking", data: "EmwKAhgB" }]);
    },
  }),
  bug(32, "thoughts stay where they were, unmerged", {
    call: responses("claude-x"),
    upstream: { claude: interleaved },
    also: async (received, world) => {
      const output = list(received.json, "output");
      expect(output.map((item) => at(item, "type"))).toEqual(["reasoning", "message", "reasoning", "message"]);
      await askAgain(world, "claude", bare, responses("claude-x", [user, ...output, user]));
      expect(blocksOf(list(sent(world, "claude"), "messages")[1])).toMatchObject([
        { thinking: "One.", signature: "c2lnb25l" },
        { text: "First." },
        { thinking: "Two.", signature: "c2lndHdv" },
        { text: "Second." },
      ]);
    },
  }),
  bug(33, "a signature of another maker does not reach the upstream, nor does its thought", {
    call: {
      to: "messages",
      body: { model: "gemini-x", thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2000 },
    },
    upstream: { google: says("gemini/thinking.json") },
    also: async (received, world) => {
      const content = list(received.json, "content");
      expect(ofType(content, "thinking").length).toBeGreaterThan(0);
      const messages = [user, { role: "assistant", content }, user];
      await askAgain(world, "claude", bare, { to: "messages", body: { messages } });
      const wire = textOf(sent(world, "claude"));
      expect(wire).toContain("The answer is 4.");
      for (const word of ['"thinking"', "signature", "Two and two"]) expect(wire).not.toContain(word);
    },
  }),
  bug(34, "no reasoning item is invented, and a real one goes back without content", {
    call: { to: "messages", body: { model: "claude-x" } },
    upstream: { claude: interleaved },
    also: async (received, world) => {
      const content = list(received.json, "content");
      const answer = says("openai-responses/reasoning.json");
      const ask = (model: string, blocks: unknown[]) =>
        ({
          to: "messages",
          body: {
            model,
            thinking: { type: "adaptive" },
            messages: [user, { role: "assistant", content: blocks }, user],
          },
        }) as const;
      const own = await askAgain(world, "responder", answer, ask("gpt-r", content));
      expect(textOf(sent(world, "responder"))).not.toMatch(/"type":"reasoning"|rs_/);
      await askAgain(world, "responder", answer, ask("gpt-r", list(own.json, "content")));
      const items = ofType(list(sent(world, "responder"), "input"), "reasoning");
      expect(items).toMatchObject([{ encrypted_content: "gAAAAABpDnwsAAA" }, { encrypted_content: "gAAAAABpDnwsBBB" }]);
      for (const item of items) expect(item).not.toHaveProperty("content");
    },
  }),
  bug(36, "the budget is below the bound on output, and no temperature stands beside it", {
    call: {
      body: {
        model: "claude/claude-sonnet-4-0",
        reasoning_effort: "high",
        max_completion_tokens: 2000,
        temperature: 0.2,
        messages: [user],
      },
    },
    upstream: { claude: says("anthropic-messages/text.json") },
    also: (_received, world) => {
      const body = sent(world, "claude");
      expect(at(body, "thinking", "type")).toBe("enabled");
      expect(Number(at(body, "thinking", "budget_tokens"))).toBeLessThan(Number(at(body, "max_tokens")));
      expect(at(body, "temperature") ?? 1).toBe(1);
    },
  }),
  ...[false, true].flatMap((stream) => [
    bug(37, `thought within the text is told apart where the server leaves it there (chat, stream ${stream})`, {
      call: { body: { model: "thinker/r-x", stream } },
      upstream: { delta: stream ? tagged(true) : tagged(false) },
      sees: { result: { thinking: "Two and two.", text: "Four.", stop: "stop" }, lacks: ["think>"] },
    }),
    bug(37, `thought within the text is told apart where the server leaves it there (messages, stream ${stream})`, {
      call: { to: "messages", body: { model: "thinker/r-x", stream } },
      upstream: { delta: stream ? tagged(true) : tagged(false) },
      sees: { result: { thinking: "Two and two.", text: "Four.", stop: "end_turn" }, lacks: ["think>"] },
    }),
  ]),
  bug(37, "elsewhere the text is the text", {
    call: { body: { model: "gpt-x" } },
    upstream: { alpha: tagged(false) },
    sees: { result: { thinking: "", text: "<think>\nTwo and two.\n</think>\n\nFour." } },
  }),
  bug(35, "thinking goes back where the configuration says that the server wants it", {
    call: { to: "messages", body: { model: "thinker/r-x", messages: afterCall } },
    upstream: { delta: tagged(false) },
    also: (_received, world) => expect(textOf(sent(world, "delta"))).toContain('"reasoning_content":"Need f."'),
  }),
  bug(35, "thinking does not go back elsewhere", {
    call: { to: "messages", body: { model: "gpt-x", messages: afterCall } },
    upstream: { alpha: tagged(false) },
    also: (_received, world) => expect(textOf(sent(world, "alpha"))).not.toContain("Need f."),
  }),
]);

describe("classic bugs: reasoning of servers that insist", () => {
  test("#35: thinking goes back beside its calls where the server wants it, and only there", () => {
    const call = { type: "tool-call", id: "a", name: "f", kind: "function", input: "{}" } as const;
    const ask = {
      ...plainAsk,
      messages: [
        { role: "user", blocks: [{ type: "text", text: "Go." }] },
        { role: "assistant", blocks: [{ type: "thinking", text: "Need f." }, call] },
        { role: "tool", blocks: [{ type: "tool-result", callId: "a", content: [], isError: false }] },
      ],
    } as const;
    const sentWith = (replaysThinking: boolean) =>
      textOf(
        openaiChat.request.render(ask, {
          model: "m",
          origin: "deepseek",
          fieldPath: String,
          options: { replaysThinking },
        }).call.body,
      );
    expect(sentWith(true)).toContain('"reasoning_content":"Need f."');
    expect(sentWith(false)).not.toContain("reasoning_content");
  });
});
