// The schema's bounds, from both sides.
import { expect, test } from "bun:test";
import { Compile } from "typebox/compile";
import type { Json } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { dialect, hello } from "./bench.ts";

const schema = Compile(dialect.request.schema);
const faults = (wire: unknown) =>
  schema.Errors(JSON.parse(JSON.stringify(wire))).map((error) => `${error.instancePath} ${error.keyword}`);

const good: [string, Json[]][] = [
  ["max_tokens", [1, 1_000_000]],
  ["temperature", [0, 0.5, 1, null]],
  ["top_p", [0, 1, null]],
  ["top_k", [0, 40, null]],
  ["system", ["be brief", [{ type: "text", text: "x" }], [], null]],
  ["stream", [true, false, null]],
  ["stop_sequences", [[], ["a"], null]],
  ["tools", [[], [{ name: "a", input_schema: {} }], [{ type: "bash_20250124", name: "bash" }], null]],
  ["tool_choice", [{ type: "auto" }, { type: "any" }, { type: "tool", name: "a" }, { type: "none" }, "auto", null]],
  ["thinking", [{ type: "enabled", budget_tokens: 1024 }, { type: "disabled" }, { type: "adaptive" }, null]],
  ["thinking", [{ type: "between_tools" }, { type: "adaptive", display: "omitted" }]],
  ["output_config", [{}, { effort: "max" }, { format: { type: "json_schema", schema: {} } }, null]],
  ["output_format", [{ type: "json_schema", schema: {} }, null]],
  ["context_management", [{ edits: [] }, null]],
  ["container", ["c_1", { id: "c_1" }, null]],
  ["mcp_servers", [[{ name: "a" }], [], null]],
  ["metadata", [{ user_id: "u" }, { user_id: null }, {}, null]],
  ["speed", ["standard", "fast", null]],
  ["service_tier", ["auto", "standard_only", null]],
  ["cache_control", [{ type: "ephemeral" }, null]],
  ["inference_geo", ["us", null]],
  ["tomorrow", [{ kept: true }]],
];

test.each(good)("%s passes", (field, values) => {
  for (const value of values) expect(faults({ ...hello, [field]: value })).toEqual([]);
});

const bad: [string, Json | undefined, string][] = [
  ["model", undefined, " required"],
  ["model", 1, "/model type"],
  ["model", "", "/model minLength"],
  ["messages", undefined, " required"],
  ["messages", [], "/messages minItems"],
  ["messages", "hi", "/messages type"],
  ["max_tokens", undefined, " required"],
  ["max_tokens", 0, "/max_tokens minimum"],
  ["max_tokens", 1.5, "/max_tokens type"],
  ["max_tokens", null, "/max_tokens type"],
  ["temperature", -0.01, "/temperature minimum"],
  ["temperature", 1.01, "/temperature maximum"],
  ["temperature", "1", "/temperature type"],
  ["top_p", "1", "/top_p type"],
  ["top_k", 1.5, "/top_k type"],
  ["system", 1, "/system type"],
  ["system", [{ type: "text" }], "/system/0 required"],
  ["stream", "true", "/stream type"],
  ["stop_sequences", "x", "/stop_sequences type"],
  ["stop_sequences", [1], "/stop_sequences/0 type"],
  ["tools", {}, "/tools type"],
  ["tools", [{ name: 1 }], "/tools/0/name type"],
  ["tools", [{ name: "a", input_schema: "x" }], "/tools/0/input_schema type"],
  ["tool_choice", { type: "some" }, "/tool_choice/type enum"],
  ["tool_choice", {}, "/tool_choice required"],
  ["thinking", { type: "sometimes" }, "/thinking/type enum"],
  ["thinking", { type: "enabled", budget_tokens: "x" }, "/thinking/budget_tokens type"],
  ["output_config", "x", "/output_config type"],
  ["output_config", { effort: "enormous" }, "/output_config/effort enum"],
  ["output_format", "x", "/output_format type"],
  ["context_management", 1, "/context_management type"],
  ["container", 1, "/container type"],
  ["mcp_servers", ["x"], "/mcp_servers/0 type"],
  ["metadata", { user_id: 1 }, "/metadata/user_id type"],
  ["speed", "ludicrous", "/speed enum"],
  ["service_tier", "gold", "/service_tier enum"],
  ["cache_control", "x", "/cache_control type"],
  ["inference_geo", 1, "/inference_geo type"],
];

test.each(bad)("%s = %p is refused", (field, value, fault) => {
  expect(faults({ ...hello, [field]: value })).toContain(fault);
});

const badMessages: [Json, string][] = [
  [{ content: "x" }, "/messages/0 required"],
  [{ role: "tool", content: "x" }, "/messages/0/role enum"],
  [{ role: "user" }, "/messages/0 required"],
  [{ role: "user", content: 1 }, "/messages/0/content type"],
  [{ role: "user", content: [{}] }, "/messages/0/content/0 required"],
  [{ role: "user", content: [{ type: 3 }] }, "/messages/0/content/0/type type"],
  [{ role: "user", content: [{ type: "text", text: 3 }] }, "/messages/0/content/0/text type"],
  [{ role: "user", content: [{ type: "image", source: 3 }] }, "/messages/0/content/0/source type"],
  [{ role: "user", content: [{ type: "image", source: { data: 3 } }] }, "/messages/0/content/0/source/data type"],
  [
    { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: 1 }] }] },
    "/messages/0/content/0/content/0/text type",
  ],
];

test.each(badMessages)("the message %j is refused", (message, fault) => {
  expect(faults({ ...hello, messages: [message] })).toContain(fault);
});

test("what an agent client sends passes", () => {
  expect(faults(wireJson("anthropic-messages/agent-request.json"))).toEqual([]);
});
