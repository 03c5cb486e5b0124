// Classic translation bugs 1 to 10: ids, order and results of tool calls.
import { expect } from "bun:test";
import { chatRound, clockTool } from "../scenarios/bodies.ts";
import { at, list, text } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { scenarios } from "../support/scenario.ts";
import {
  ask,
  askAgain,
  blocksOf,
  bug,
  called,
  chatCall,
  chatResult,
  ofType,
  sent,
  textOf,
  twoCalls,
} from "./support.ts";

const toClaude = { model: "claude-x" };
const toGoogle = { model: "gemini-x" };
const claudeText = says("anthropic-messages/text.json");
const googleText = says("gemini/text.json");

scenarios("classic bugs: ids, order and results of calls", [
  bug(1, "parallel calls keep their own index and arguments", {
    call: { body: { ...toClaude, stream: true, tools: [clockTool] } },
    upstream: { claude: says("anthropic-messages/tools.sse") },
    sees: { result: { calls: twoCalls as never } },
  }),
  bug(2, "the index of a call counts calls, not blocks", {
    call: { body: { ...toClaude, stream: true, tools: [clockTool] } },
    upstream: { claude: says("anthropic-messages/tools.sse") },
    also: (received) => {
      const receivedCalls = received.frames.flatMap(({ data }) => list(data, "choices", 0, "delta", "tool_calls"));
      expect([...new Set(receivedCalls.map((call) => at(call, "index")))]).toEqual([0, 1]);
    },
  }),
  bug(3, "results of parallel calls are one user message, results first", {
    call: { body: { ...toClaude, messages: [...chatRound, { role: "user", content: "And now?" }] } },
    upstream: { claude: claudeText },
    also: (_received, world) => {
      const turns = list(sent(world, "claude"), "messages");
      expect(turns.map((turn) => at(turn, "role"))).toEqual(["user", "assistant", "user"]);
      expect(blocksOf(turns[2]).map((block) => at(block, "type"))).toEqual(["tool_result", "tool_result", "text"]);
    },
  }),
  bug(4, "all responses are one content, in the order of the calls", {
    call: {
      body: { ...toGoogle, messages: [ask, called, chatResult("call_b", "Monday"), chatResult("call_a", "12:00")] },
    },
    upstream: { google: googleText },
    also: (_received, world) => {
      const contents = list(sent(world, "google"), "contents");
      expect(contents).toHaveLength(3);
      const names = list(contents[2], "parts").map((part) => at(part, "functionResponse", "name"));
      expect(names).toEqual(["get_time", "get_day"]);
    },
  }),
  bug(5, "parallel calls are replayed as one content", {
    call: {
      to: "responses",
      body: {
        ...toGoogle,
        input: [
          ask,
          { type: "function_call", call_id: "a", name: "get_time", arguments: "{}" },
          { type: "function_call", call_id: "b", name: "get_day", arguments: "{}" },
          { type: "function_call_output", call_id: "a", output: "12:00" },
          { type: "function_call_output", call_id: "b", output: "Monday" },
        ],
      },
    },
    upstream: { google: googleText },
    also: (_received, world) => {
      const contents = list(sent(world, "google"), "contents");
      expect(contents.map((content) => at(content, "role"))).toEqual(["user", "model", "user"]);
      expect(list(contents[1], "parts").filter((part) => at(part, "functionCall"))).toHaveLength(2);
    },
  }),
  bug(6, "a call without a result gets one that says so", {
    call: {
      body: {
        ...toClaude,
        messages: [ask, called, chatResult("call_a", "12:00"), { role: "user", content: "Go on." }],
      },
    },
    upstream: { claude: claudeText },
    also: (_received, world) => {
      const results = ofType(blocksOf(list(sent(world, "claude"), "messages")[2]), "tool_result");
      expect(results).toMatchObject([{ tool_use_id: "call_a" }, { tool_use_id: "call_b", is_error: true }]);
    },
  }),
  bug(7, "a result whose call is gone becomes text", {
    call: {
      body: { ...toClaude, messages: [ask, chatResult("call_gone", "12:00 sharp"), { role: "user", content: "So?" }] },
    },
    upstream: { claude: claudeText },
    also: (_received, world) => {
      const wire = textOf(sent(world, "claude"));
      expect(wire).toContain("12:00 sharp");
      expect(wire).not.toContain("tool_result");
    },
  }),
  bug(8, "ids that the upstream left out are made, unlike each other and the same each time", {
    call: { body: { ...toGoogle, tools: [clockTool] } },
    upstream: { google: says("gemini/calls-without-ids.json") },
    also: async (expected, world) => {
      const ids = (json: unknown) => list(json, "choices", 0, "message", "tool_calls").map((call) => at(call, "id"));
      const again = await askAgain(world, "google", says("gemini/calls-without-ids.json"), {
        body: { ...toGoogle, tools: [clockTool] },
      });
      expect(new Set(ids(expected.json)).size).toBe(ids(expected.json).length);
      expect(ids(expected.json).length).toBeGreaterThan(1);
      expect(ids(again.json)).toEqual(ids(expected.json));
    },
  }),
  bug(9, "ids of a foreign alphabet are cleaned, the call and its result alike", {
    call: {
      body: {
        ...toClaude,
        messages: [
          ask,
          { ...called, tool_calls: [chatCall(`call:1/x.y${"z".repeat(80)}`, "get_time", "{}")] },
          chatResult(`call:1/x.y${"z".repeat(80)}`, "12:00"),
        ],
      },
    },
    upstream: { claude: claudeText },
    also: (_received, world) => {
      const turns = list(sent(world, "claude"), "messages");
      const id = at(ofType(blocksOf(turns[1]), "tool_use")[0], "id");
      expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(at(blocksOf(turns[2])[0], "tool_use_id")).toBe(id);
    },
  }),
  bug(10, "the signature of a call travels through chat, and a stand-in where there is none", {
    call: { body: { ...toGoogle, tools: [clockTool] } },
    upstream: { google: says("gemini/tools.json") },
    also: async (received, world) => {
      const message = at(received.json, "choices", 0, "message");
      const ids = list(message, "tool_calls").map((call) => text(call, "id"));
      const results = ids.map((id) => chatResult(id, "noon"));
      await askAgain(world, "google", googleText, { body: { ...toGoogle, messages: [ask, message, ...results] } });
      expect(textOf(sent(world, "google"))).toContain("EsQDCsEDAXLI2nzToolSignature/+ab==");
      await askAgain(world, "google", googleText, { body: { ...toGoogle, messages: chatRound } });
      const parts = list(sent(world, "google"), "contents", 1, "parts").filter((part) => at(part, "functionCall"));
      expect(parts.map((part) => at(part, "thoughtSignature"))).toEqual([
        "skip_thought_signature_validator",
        undefined,
      ]);
    },
  }),
]);
