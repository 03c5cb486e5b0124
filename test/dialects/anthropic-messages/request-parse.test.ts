// Requests of clients, as canon understands them.
import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "../../../src/canonical/chat.ts";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { envelopeOf } from "../../support/laws.ts";
import { askOf, dialect, hello, messageOf, parsed, refusal } from "./bench.ts";

test("the smallest request", () => {
  expect(parsed()).toStrictEqual(askOf({ model: "claude-x" }));
});

const fields: [JsonObject, Partial<ChatRequest>][] = [
  [{ stream: true }, { stream: true }],
  [{ stream: null, temperature: null, tools: null, stop_sequences: null, metadata: null, thinking: null }, {}],
  [{ tools: [], tool_choice: { type: "auto" }, stop_sequences: [], metadata: {}, output_config: {} }, {}],
  [{ temperature: 0, top_p: 0.9, top_k: 40 }, { sampling: { temperature: 0, topP: 0.9, topK: 40 } }],
  [{ stop_sequences: ["a", "b"] }, { stopSequences: ["a", "b"] }],
  [{ metadata: { user_id: "u-1" } }, { endUser: "u-1" }],
  [{ system: "Be brief." }, { system: [{ type: "text", text: "Be brief." }] }],
  [{ speed: "fast" }, { tier: "fast" }],
  [{ speed: "standard", service_tier: "auto" }, {}],
  [{ service_tier: "standard_only" }, { tier: "default" }],
  [{ thinking: { type: "enabled", budget_tokens: 2048 } }, { reasoning: { budgetTokens: 2048 } }],
  [{ thinking: { type: "disabled" } }, { reasoning: { effort: "none" } }],
  [{ thinking: { type: "adaptive", display: "summarized" } }, { reasoning: { adaptive: true, show: true } }],
  [{ thinking: { type: "adaptive", display: "omitted" } }, { reasoning: { adaptive: true, show: false } }],
  [{ output_config: { effort: "xhigh" } }, { reasoning: { effort: "xhigh" } }],
  [
    { output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
    { format: { type: "schema", schema: { type: "object" } } },
  ],
  [
    { output_format: { type: "json_schema", schema: { type: "object" } } },
    { format: { type: "schema", schema: { type: "object" } } },
  ],
];

test.each(fields)("%j", (wire, ask) => {
  expect(parsed(wire)).toStrictEqual(askOf({ model: "claude-x", ...ask }));
});

const extras: [JsonObject, ChatRequest["unmappedFields"]][] = [
  [{ metadata: { user_id: "u", team: "t" } }, [{ path: "metadata.team", rule: "ignore" }]],
  [{ context_management: { edits: [{}] } }, [{ path: "context_management", rule: "warn" }]],
  [{ output_config: { task_budget: { total: 1 } } }, [{ path: "output_config.task_budget", rule: "warn" }]],
  [{ container: "c_1" }, [{ path: "container", rule: "reject" }]],
  [{ container: "", mcp_servers: [], context_management: {} }, []],
  [{ mcp_servers: [{ name: "a" }] }, [{ path: "mcp_servers", rule: "reject" }]],
  [{ inference_geo: "us" }, [{ path: "inference_geo", rule: "reject" }]],
  [{ inference_geo: "global" }, [{ path: "inference_geo", rule: "ignore" }]],
  [{ tomorrow: 1 }, [{ path: "tomorrow", rule: "warn" }]],
  [{ thinking: { type: "between_tools" } }, [{ path: "thinking.type", rule: "warn" }]],
];

test.each(extras)("beyond canon: %j", (wire, expected) => {
  expect(parsed(wire).unmappedFields).toEqual(expected);
});

const choices: [Json, Partial<ChatRequest>][] = [
  [{ type: "auto" }, { toolChoice: { type: "auto" } }],
  ["auto", { toolChoice: { type: "auto" } }],
  [{ type: "any" }, { toolChoice: { type: "required" } }],
  [{ type: "none" }, { toolChoice: { type: "none" } }],
  [{ type: "tool", name: "a" }, { toolChoice: { type: "tool", name: "a" } }],
  [
    { type: "auto", disable_parallel_tool_use: true },
    { toolChoice: { type: "auto" }, parallelToolCalls: false },
  ],
  [null, {}],
];

test.each(choices)("tool_choice %j", (tool_choice, expected) => {
  const { toolChoice, parallelToolCalls } = parsed({ tools: [{ name: "a", input_schema: {} }], tool_choice });
  expect({ toolChoice, parallelToolCalls }).toEqual({
    toolChoice: expected.toolChoice,
    parallelToolCalls: expected.parallelToolCalls,
  });
});

test("tools: functions, their hints, and those that the provider runs", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const { tools, unmappedFields: beyond } = parsed({
    tools: [
      { name: "a", input_schema: { type: "object" }, strict: true, cache_control: { type: "ephemeral" } },
      { type: "custom", name: "b", description: "B", input_schema: {}, defer_loading: true, input_examples: [{}] },
      search,
    ],
  });
  expect(tools).toEqual([
    {
      kind: "function",
      name: "a",
      parameters: { type: "object" },
      strict: true,
      cache: { wire: { type: "ephemeral" } },
    },
    { kind: "function", name: "b", description: "B", parameters: {} },
    { kind: "hosted", origin: "anthropic-messages", wire: search, path: "tools[2].type" },
  ]);
  expect(beyond).toEqual([
    { path: "tools[1].defer_loading", rule: "ignore" },
    { path: "tools[1].input_examples", rule: "warn" },
  ]);
});

function turnsOf(...messages: JsonObject[]) {
  return parsed({ messages }).messages;
}

describe("messages", () => {
  test("results stand in a turn of their own, before the user's words (bug 3)", () => {
    const request = dialect.request.parse(wireJson("anthropic-messages/agent-request.json"), envelopeOf());
    expect(request.messages.map((message) => `${message.role}: ${message.blocks.map((block) => block.type)}`)).toEqual([
      "user: text,text",
      "assistant: thinking,text,tool-call,tool-call",
      "tool: tool-result,tool-result",
      "user: text",
      "system: text",
    ]);
    expect(request.messages[2]?.blocks[1]).toEqual({
      type: "tool-result",
      callId: "toolu_2",
      content: [{ type: "text", text: "no such command" }],
      isError: true,
    });
    expect(request.system[1]).toEqual({
      type: "text",
      text: "Be brief.",
      cache: { wire: { type: "ephemeral", ttl: "1h" } },
    });
    expect(request.reasoning).toEqual({ effort: "high", adaptive: true, show: true });
  });

  test("text before a result goes behind it", () => {
    const content = [
      { type: "text", text: "here" },
      { type: "tool_result", tool_use_id: "t" },
    ];
    const messages = turnsOf({ role: "user", content });
    expect(messages).toEqual([
      messageOf("tool", { type: "tool-result", callId: "t", content: [], isError: false }),
      messageOf("user", "here"),
    ]);
  });

  test("a leading system message joins the system prefix, a later one keeps its place (bugs 23, 24)", () => {
    const { system, messages: turns } = parsed({
      system: "one",
      messages: [
        { role: "system", content: "two" },
        { role: "user", content: "hi" },
        { role: "system", content: "three" },
      ],
    });
    expect(system.map((block) => block.text)).toEqual(["one", "two"]);
    expect(turns).toEqual([messageOf("user", "hi"), messageOf("system", "three")]);
  });

  test("thinking: native, enveloped, unsigned and redacted (bugs 31, 32)", () => {
    const foreign = { origin: "openai", data: "enc" };
    const content = [
      { type: "thinking", thinking: "a", signature: "native" },
      { type: "thinking", thinking: "", signature: wrapProviderState(foreign) },
      { type: "thinking", thinking: "c", signature: wrapProviderState({ origin: "none", data: "" }) },
      { type: "redacted_thinking", data: "blob" },
    ];
    expect(turnsOf({ role: "user", content: "x" }, { role: "assistant", content })[1]?.blocks).toEqual([
      { type: "thinking", text: "a", signature: { origin: "anthropic", data: "native" } },
      { type: "thinking", text: "", signature: foreign },
      { type: "thinking", text: "c" },
      { type: "thinking", text: "", signature: { origin: "anthropic", data: "blob" }, redacted: true },
    ]);
  });

  test("citations: own ones keep their wire, made-up ones only their address", () => {
    const own = { type: "char_location", cited_text: "x", document_title: "D" };
    const madeUp = {
      type: "web_search_result_location",
      url: "https://example.com",
      title: "T",
      cited_text: "",
      encrypted_index: wrapProviderState({ origin: "none", data: "https://example.com" }),
    };
    const content = [{ type: "text", text: "a", citations: [own, madeUp] }];
    const messages = turnsOf({ role: "user", content: "x" }, { role: "assistant", content });
    const citations = [
      { title: "D", quote: "x", wire: own },
      { url: "https://example.com", title: "T" },
    ];
    expect(messages[1]?.blocks).toEqual([{ type: "text", text: "a", citations }]);
  });

  test("server work in the history is left out with a warning, a compaction is foreign", () => {
    const content = [
      { type: "server_tool_use", id: "s", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "text", text: "So." },
      { type: "container_upload", file_id: "f" },
    ];
    const { messages: turns, unmappedFields: beyond } = parsed({
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content },
      ],
    });
    expect(turns[1]?.blocks.map((block) => block.type)).toEqual(["text", "foreign"]);
    expect(beyond.map((extra) => extra.path)).toEqual(["messages[1].content[0]", "messages[1].content[1]"]);
  });
});

const faulty: [string, JsonObject, string][] = [
  ["missing_required_parameter", { type: "text" }, "messages[0].content[0].text"],
  ["missing_required_parameter", { type: "image" }, "messages[0].content[0].source"],
  ["missing_required_parameter", { type: "image", source: { type: "url" } }, "messages[0].content[0].source.url"],
  ["missing_required_parameter", { type: "tool_result" }, "messages[0].content[0].tool_use_id"],
  ["invalid_value", { type: "tool_use", id: "a", name: "b", input: {} }, "messages[0].content[0].type"],
  ["invalid_value", { type: "thinking", thinking: "a" }, "messages[0].content[0].type"],
];

test.each(faulty)("%s for %j", (kind, block, param) => {
  expect(refusal(() => turnsOf({ role: "user", content: [block] }))).toMatchObject({ kind, param, status: 400 });
});

test("other faults name their field", () => {
  expect(refusal(() => parsed({ tools: [{}] }))?.param).toBe("tools[0].name");
  const tools = [{ name: "a", input_schema: {} }];
  expect(refusal(() => parsed({ tools, tool_choice: "sometimes" }))?.param).toBe("tool_choice");
  expect(refusal(() => parsed({ tools, tool_choice: { type: "tool" } }))?.param).toBe("tool_choice.name");
  expect(refusal(() => parsed({ output_config: { format: { type: "json_schema" } } }))?.param).toBe(
    "output_config.format.schema",
  );
  expect(hello["messages"]).toBeDefined();
});
