// Thinking within a tool loop: a budget asks for it back, and a model at rest refuses it.
import { describe, expect, test } from "bun:test";
import type { Block, Message } from "../../../src/canonical/chat.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { envelopeOf } from "../../support/laws.ts";
import { call, dialect, hello, messageOf, parsed, rendered, result } from "./bench.ts";

const model = "claude-sonnet-4-5-20250929";
const reasoning = { budgetTokens: 2048 };
const thought: Block = { type: "thinking", text: "Hm.", signature: { origin: "anthropic", data: "c2ln" } };
const assistant = (...blocks: Block[]): Message => ({ role: "assistant", blocks });
const tool = (id: string): Message => ({ role: "tool", blocks: [result(id)] });
const user = messageOf("user", "And now?");
const loss = ["approximated client.reasoning"];

const typesOf = (messages: unknown): string[][] =>
  (messages as { content: string | { type: string }[] }[]).map(({ content }) =>
    typeof content === "string" ? [] : content.map(({ type }) => type),
  );

describe("a budget", () => {
  test.each<[string, Message[], "enabled" | "disabled"]>([
    ["nothing has been called", [user], "enabled"],
    ["the call has its thinking", [user, assistant(thought, call("a")), tool("a")], "enabled"],
    ["the call has lost it", [user, assistant(call("a")), tool("a")], "disabled"],
    [
      "text stands before the call",
      [user, ...[assistant({ type: "text", text: "So." }, call("a")), tool("a")]],
      "disabled",
    ],
    [
      "the second call of the loop has none",
      [user, assistant(thought, call("a")), tool("a"), assistant(call("b")), tool("b")],
      "enabled",
    ],
    [
      "the first call of the loop has none",
      [user, assistant(call("a")), tool("a"), assistant(thought, call("b")), tool("b")],
      "disabled",
    ],
    [
      "an earlier loop has lost it",
      [user, assistant(call("a")), tool("a"), assistant({ type: "text", text: "Noon." }), user],
      "enabled",
    ],
  ])("where %s", (_case, messages, type) => {
    const { body, warnings } = rendered({ messages: messages, reasoning, maxOutputTokens: 4096 }, { model });
    expect((body["thinking"] as JsonObject)["type"]).toBe(type);
    expect(warnings).toEqual(type === "enabled" ? [] : loss);
  });

  test("that is not sent leaves sampling and a forced tool", () => {
    const messages = [user, assistant(call("a")), tool("a")];
    const tools = [{ kind: "function", name: "get_time" }] as const;
    const more = {
      messages: messages,
      reasoning,
      tools,
      toolChoice: { type: "required" },
      sampling: { temperature: 0.5 },
    } as const;
    const { body } = rendered({ ...more, maxOutputTokens: 4096 }, { model });
    expect(body).toMatchObject({ temperature: 0.5, tool_choice: { type: "any" }, max_tokens: 4096 });
  });
});

test("a model at rest gets no thinking of the loop, and that of earlier loops stays", () => {
  const loop = (id: string): Message[] => [user, assistant(thought, call(id)), tool(id)];
  const messages = [...loop("a"), assistant({ type: "text", text: "Noon." }), ...loop("b")];
  const { body } = rendered({ messages: messages, reasoning: { effort: "none" } }, { model });
  expect(typesOf(body["messages"]).filter((types) => types.includes("tool_use"))).toEqual([
    ["thinking", "tool_use"],
    ["tool_use"],
  ]);
});

test("a model that decides by itself gets its thinking back", () => {
  const messages = [user, assistant(thought, call("a")), tool("a")];
  expect(typesOf(rendered({ messages: messages }, { model: "claude-opus-5-5" }).body["messages"])[1]).toEqual([
    "thinking",
    "tool_use",
  ]);
});

describe("the client's own wire", () => {
  const context = { model, origin: "anthropic", fieldPath: dialect.request.fieldPath };
  const wire = (signature: string): JsonObject => ({
    ...hello,
    max_tokens: 4096,
    thinking: { type: "enabled", budget_tokens: 2048 },
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature },
          { type: "tool_use", id: "a", name: "f", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
    ],
  });

  test("keeps its budget with its thinking", () => {
    const { body, warnings } = dialect.passthrough.render(wire("c2ln"), context, envelopeOf());
    expect([body["thinking"], warnings]).toEqual([{ type: "enabled", budget_tokens: 2048 }, undefined]);
  });

  test("loses it with another maker's thinking, and says so", () => {
    const { body, warnings } = dialect.passthrough.render(wire("gw1.gemini.c2ln"), context, envelopeOf());
    expect(body["thinking"]).toEqual({ type: "disabled" });
    expect(warnings).toEqual([{ code: "approximated", path: "thinking" }]);
  });

  test("with reasoning off holds no thinking in its loop", () => {
    const quiet = dialect.passthrough.withoutReasoning?.(wire("c2ln")) ?? {};
    expect(quiet["thinking"]).toEqual({ type: "disabled" });
    expect(typesOf(quiet["messages"])[1]).toEqual(["tool_use"]);
    expect(parsed(quiet).reasoning).toEqual({ effort: "none" });
  });
});
