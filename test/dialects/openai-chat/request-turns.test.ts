// From a client's body to an ask: roles and their order, calls with their results, thinking that comes back.
import { describe, expect, test } from "bun:test";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import { parse, parseMessages } from "./helpers.ts";

describe("roles and their order", () => {
  test("every leading system message is the prefix, a later one keeps its place (bugs 23, 24)", () => {
    const request = parseMessages(
      { role: "developer", content: "one" },
      { role: "system", content: [{ type: "text", text: "two" }] },
      { role: "user", content: "hi", name: "ann" },
      { role: "system", content: "three" },
    );
    expect(request.system.map((block) => block.text)).toEqual(["one", "two"]);
    expect(request.messages).toEqual([
      { role: "user", name: "ann", blocks: [{ type: "text", text: "hi" }] },
      { role: "system", blocks: [{ type: "text", text: "three" }] },
    ]);
  });

  test("null content with calls is legal (bug 22), and empty arguments are an empty object (bug 13)", () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: "" } };
    const custom = { id: "b", type: "custom", custom: { name: "c", input: "" } };
    const { messages: turns } = parseMessages({ role: "assistant", content: null, tool_calls: [call, custom] });
    expect(turns[0]?.blocks).toEqual([
      { type: "tool-call", id: "a", name: "f", kind: "function", input: "{}" },
      { type: "tool-call", id: "b", name: "c", kind: "custom", input: "" },
    ]);
  });

  test("results stand behind the turn that made the calls, whatever came between", () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
    const { messages: turns } = parseMessages(
      { role: "assistant", tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: "A" },
      { role: "user", content: "wait" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "B" }] },
      { role: "assistant", tool_calls: [call("a")] },
      { role: "tool", tool_call_id: "a", content: "second A" },
      { role: "tool", tool_call_id: "gone", content: "orphan" },
    );
    expect(turns.map((message) => message.role)).toEqual(["assistant", "tool", "user", "assistant", "tool", "tool"]);
    expect(turns[1]?.blocks.map((block) => "callId" in block && block.callId)).toEqual(["a", "b"]);
    expect(turns[4]?.blocks).toMatchObject([{ callId: "a", content: [{ text: "second A" }], isError: false }]);
    expect(turns[5]?.blocks).toMatchObject([{ callId: "gone" }]);
  });

  test("an assistant's refusal, stored speech, thinking and signed calls", () => {
    const envelope = wrapProviderState({ origin: "claude", data: "sig" });
    const { messages: turns } = parseMessages({
      role: "assistant",
      content: "answer",
      refusal: "no",
      reasoning_content: "hm",
      reasoning_details: [{ type: "reasoning.text", text: "hm", signature: envelope, index: 0 }],
      audio: { id: "audio_1" },
      tool_calls: [
        {
          id: "a",
          type: "function",
          function: { name: "f", arguments: "{}" },
          extra_content: { google: { thought_signature: wrapProviderState({ origin: "gem", data: "ts" }) } },
        },
      ],
    });
    expect(turns[0]?.blocks).toEqual([
      { type: "thinking", text: "hm", signature: { origin: "claude", data: "sig" } },
      { type: "text", text: "answer" },
      { type: "refusal", text: "no" },
      { type: "foreign", origin: "openai-chat", wire: { audio: { id: "audio_1" } }, path: "messages[0].audio" },
      {
        type: "tool-call",
        id: "a",
        name: "f",
        kind: "function",
        input: "{}",
        signature: { origin: "gem", data: "ts" },
      },
    ]);
  });

  test("plain reasoning_content, and details whose text stands there alone", () => {
    const details = [{ type: "reasoning.text", signature: wrapProviderState({ origin: "c", data: "s" }) }];
    const one = parseMessages({ role: "assistant", content: "a", reasoning_content: "hm" });
    const two = parseMessages({ role: "assistant", content: "a", reasoning: "hm", reasoning_details: details });
    expect(one.messages[0]?.blocks[0]).toEqual({ type: "thinking", text: "hm" });
    expect(two.messages[0]?.blocks[0]).toEqual({ type: "thinking", text: "hm", signature: { origin: "c", data: "s" } });
  });

  test("the form from before tools becomes tools, calls and results", () => {
    const request = parse({
      functions: [{ name: "f", parameters: { type: "object" } }],
      function_call: { name: "f" },
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: "" } },
        { role: "function", name: "f", content: "42" },
      ],
    });
    expect(request.tools).toEqual([{ kind: "function", name: "f", parameters: { type: "object" } }]);
    expect(request).toMatchObject({ toolChoice: { type: "tool", name: "f" }, parallelToolCalls: false });
    expect(request.unmappedFields).toEqual([{ path: "functions", rule: "ignore" }]);
    const [, assistant, tool] = request.messages;
    expect(assistant?.blocks).toMatchObject([{ type: "tool-call", name: "f", input: "{}" }]);
    const call = assistant?.blocks[0];
    const id = call?.type === "tool-call" ? call.id : "";
    expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
    expect(tool?.blocks).toMatchObject([{ type: "tool-result", callId: id, content: [{ text: "42" }] }]);
  });
});
