// Turns on their way to a chat upstream: roles, calls and results, media in results.
import { describe, expect, test } from "bun:test";
import type { Block, Message, ResultPart } from "../../../src/canonical/chat.ts";
import { call, callWire, end, messagesOf, render, result, says, text, thrown } from "./helpers.ts";

const approximated = [{ code: "approximated", path: "their.messages" }];
const endWire = { role: "user", content: "go on" };

describe("turns", () => {
  test("one text is a string, several are parts, a prefix keeps its blocks, a middle system message its place", () => {
    const { call: made } = render({
      system: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
      messages: [{ ...says("user", "a"), name: "ann" }, says("system", "mid"), says("user", "b", "c")],
    });
    expect(made.body.messages).toEqual([
      {
        role: "system",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      { role: "user", name: "ann", content: "a" },
      { role: "system", content: "mid" },
      {
        role: "user",
        content: [
          { type: "text", text: "b" },
          { type: "text", text: "c" },
        ],
      },
    ]);
  });

  test("assistant turns in a row are one message, their calls together", () => {
    const turns: Message[] = [
      says("assistant", "one"),
      { role: "assistant", blocks: [text("two"), call("a")] },
      { role: "assistant", blocks: [call("b")] },
      { role: "tool", blocks: [result("b"), result("a")] },
      end,
    ];
    const { messages, warnings } = messagesOf(turns);
    expect(messages).toEqual([
      { role: "assistant", content: "one\n\ntwo", tool_calls: [callWire("a"), callWire("b")] },
      { role: "tool", tool_call_id: "a", content: "R a" },
      { role: "tool", tool_call_id: "b", content: "R b" },
      endWire,
    ]);
    expect(warnings).toEqual([]);
  });

  test("a refusal, a call without text, an empty turn", () => {
    const { messages } = messagesOf([
      { role: "assistant", blocks: [{ type: "refusal", text: "no" }] },
      says("user"),
      { role: "assistant", blocks: [call("a", { input: "" })] },
      { role: "tool", blocks: [result("a", [])] },
      end,
    ]);
    expect(messages).toEqual([
      { role: "assistant", content: null, refusal: "no" },
      { role: "user", content: "" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "" },
      endWire,
    ]);
  });

  test("an answer that was begun for the model is not continued, and that is told", () => {
    expect(messagesOf([end, says("assistant", "Sure,")]).warnings).toEqual(approximated);
  });

  test("what an assistant cannot show here is refused by its place", () => {
    const image: Block = { type: "image", source: { kind: "url", url: "https://a" }, path: "contents[1].parts[0]" };
    expect(thrown(() => messagesOf([{ role: "assistant", blocks: [image] }]))).toMatchObject({
      kind: "unsupported_parameter",
      param: "contents[1].parts[0]",
    });
  });
});

describe("calls and results", () => {
  const caller: Message = { role: "assistant", blocks: [call("a"), call("b")] };
  const callerWire = { role: "assistant", content: null, tool_calls: [callWire("a"), callWire("b")] };

  test("a missing result is made up (bug 6)", () => {
    const { messages, warnings } = messagesOf([caller, { role: "tool", blocks: [result("a")] }, end]);
    expect(messages).toEqual([
      callerWire,
      { role: "tool", tool_call_id: "a", content: "R a" },
      { role: "tool", tool_call_id: "b", content: "Error: no result was provided" },
      endWire,
    ]);
    expect(warnings).toEqual(approximated);
  });

  test("a result without its call becomes text (bug 7)", () => {
    const { messages, warnings } = messagesOf([{ role: "tool", blocks: [result("gone")] }, end]);
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Result of an earlier tool call (gone):" },
          { type: "text", text: "R gone" },
        ],
      },
      endWire,
    ]);
    expect(warnings).toEqual(approximated);
  });

  test("of two results the last counts; words between results come after them", () => {
    const { messages } = messagesOf([
      caller,
      { role: "tool", blocks: [result("a")] },
      says("user", "between"),
      says("system", "rule"),
      { role: "tool", blocks: [result("b"), result("a", [{ type: "text", text: "newer" }])] },
      end,
    ]);
    expect(messages).toEqual([
      callerWire,
      { role: "tool", tool_call_id: "a", content: "newer" },
      { role: "tool", tool_call_id: "b", content: "R b" },
      { role: "user", content: "between" },
      { role: "system", content: "rule" },
      endWire,
    ]);
  });

  test("an error is marked", () => {
    const { messages, warnings } = messagesOf([
      { role: "assistant", blocks: [call("a")] },
      { role: "tool", blocks: [result("a", [{ type: "text", text: "no such file" }], true)] },
      end,
    ]);
    expect(messages).toContainEqual({ role: "tool", tool_call_id: "a", content: "Error: no such file" });
    expect(warnings).toEqual(approximated);
  });

  test("pictures in results come in one message behind all results (bug 19)", () => {
    const image: ResultPart = { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "AAAA" } };
    const pdf: ResultPart = {
      type: "document",
      source: { kind: "bytes", mediaType: "application/pdf", base64: "JVBE" },
    };
    const { messages, warnings } = messagesOf([
      caller,
      { role: "tool", blocks: [result("a", [{ type: "text", text: "look" }, image]), result("b", [pdf])] },
      end,
    ]);
    expect(messages).toEqual([
      callerWire,
      { role: "tool", tool_call_id: "a", content: "look\n[attachment 1: see the next user message]" },
      { role: "tool", tool_call_id: "b", content: "[attachment 2: see the next user message]" },
      {
        role: "user",
        content: [
          { type: "text", text: "Attachment 1, from tool call a:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "text", text: "Attachment 2, from tool call b:" },
          { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBE" } },
        ],
      },
      endWire,
    ]);
    expect(warnings).toEqual(approximated);
  });

  test("long ids are shortened, the same for the call and its result (bug 9)", () => {
    const id = `toolu_${"x".repeat(60)}`;
    const { messages } = messagesOf([
      { role: "assistant", blocks: [call(id)] },
      { role: "tool", blocks: [result(id)] },
      end,
    ]);
    const [assistant, tool] = messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    const short = assistant?.tool_calls?.[0]?.id ?? "";
    expect(short).toHaveLength(40);
    expect(tool?.tool_call_id).toBe(short);
    const other = messagesOf([{ role: "assistant", blocks: [call(`${id}y`)] }, end]).messages as typeof messages &
      { tool_calls: { id: string }[] }[];
    expect(other[0]?.tool_calls[0]?.id).not.toBe(short);
  });

  test("bad JSON in a call's input goes on as it is (bug 14)", () => {
    const { messages } = messagesOf([
      { role: "assistant", blocks: [call("a", { input: '{"x":' })] },
      { role: "tool", blocks: [result("a")] },
      end,
    ]);
    expect(messages).toMatchObject([{ tool_calls: [{ function: { arguments: '{"x":' } }] }, {}, {}]);
  });
});
