// Replies and errors of this dialect: usage, reasons to stop, what the names of tools become, what a failure means.
import { describe, expect, test } from "bun:test";
import type { GatewayError } from "../../../src/canonical/error.ts";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import { framesOf } from "../../support/laws.ts";
import { thrown } from "../../support/sample-requests.ts";
import { askOf, dialect, streamOf, wholeOf } from "./bench.ts";

test("text, usage in separate buckets, neither id nor model", () => {
  expect(wholeOf("tools")).toMatchObject({
    id: "",
    model: "",
    choices: [
      { finishReason: { kind: "tool-use" }, blocks: [{ type: "text" }, { input: '{"zone":"UTC"}' }, { input: "{}" }] },
    ],
    usage: { inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 30, reasoningTokens: 0 },
  });
  expect(wholeOf("thinking").usage).toMatchObject({ inputTokens: 20, cacheWriteTokens: 1024 });
});

test.each([
  ["text", { kind: "end" }],
  ["length", { kind: "length" }],
  ["context-full", { kind: "context-full" }],
  ["filter", { kind: "filter", detail: { stopReason: "guardrail_intervened" } }],
  ["content-filter", { kind: "filter", detail: { stopReason: "content_filtered" } }],
  ["stop-sequence", { kind: "stop-sequence", sequence: "END" }],
])("%s ends for its reason", (name, stop) => {
  expect(wholeOf(name).choices[0]?.finishReason).toEqual(stop as never);
  expect(collectEvents(streamOf(name))?.choices[0]?.finishReason).toEqual(stop as never);
});

test("thought keeps its proof, marked with its maker", () => {
  expect(wholeOf("thinking").choices[0]?.blocks).toMatchObject([
    { type: "thinking", text: "Two lookups.", signature: { origin: "maker", data: expect.stringMatching(/^EqoB/) } },
    { type: "thinking", redacted: true, signature: { origin: "maker", data: "RW5jcnlwdGVkVGhvdWdodA==" } },
    { type: "text", text: "Noon." },
  ]);
});

test("a citation with an address", () => {
  expect(wholeOf("citations").choices[0]?.blocks).toMatchObject([
    { text: "The sky is blue.", citations: [{ url: "https://example.com/a", title: "Sky", quote: "the sky is blue" }] },
  ]);
});

test("work of the service itself and events of tomorrow say nothing", () => {
  expect(collectEvents(streamOf("server-tools"))?.choices[0]).toEqual({
    index: 0,
    blocks: [{ type: "text", text: "Found it." }],
    finishReason: { kind: "end" },
  });
});

test("usage may be missing, a reason to stop may not", () => {
  const response = collectEvents(streamOf("without-usage"));
  expect(response?.choices[0]?.finishReason).toEqual({ kind: "end" });
  expect(response?.usage).toBeUndefined();
});

test("names and kinds come back as they were asked", () => {
  const tools = [{ kind: "custom", name: "apply patch", path: "tools[0]" }] as const;
  const context = { origin: "bedrock", request: askOf({ tools }) };
  const toolUse = { toolUseId: "t", name: "apply_patch", input: { input: "*** Begin" } };
  const wire = { output: { message: { content: [{ toolUse }] } }, stopReason: "tool_use" };
  const block = { type: "tool-call", id: "t", name: "apply patch", kind: "custom", input: "*** Begin" };
  expect(dialect.response.parse(wire, context).choices[0]?.blocks).toEqual([block as never]);
  const events = [
    ["messageStart", {}],
    ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse } }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: '{"input":"***' } } }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: ' Begin"}' } } }],
    ["contentBlockStop", { contentBlockIndex: 0 }],
    ["messageStop", { stopReason: "tool_use" }],
  ] as const;
  const reader = dialect.stream?.reader(context);
  const streamEvents = events.flatMap(([event, data]) => reader?.read({ event, data: JSON.stringify(data) }) ?? []);
  expect(collectEvents([...streamEvents, ...(reader?.end() ?? [])])?.choices[0]?.blocks).toEqual([block as never]);
});

describe("failures", () => {
  test.each([
    ["no message", {}],
    ["malformed output", { output: { message: { content: [] } }, stopReason: "malformed_model_output" }],
  ])("%s is no reply", (_, wire) => {
    expect(thrown(() => dialect.response.parse(wire, { origin: "x" })).kind).toBe("upstream_protocol_error");
  });

  test("a malformed call and a broken event end a stream", () => {
    const kindOf = (events: ReturnType<typeof streamOf>) => {
      const last = events.at(-1);
      return last?.type === "error" ? last.error.kind : last?.type;
    };
    expect(kindOf(streamOf("malformed"))).toBe("upstream_protocol_error");
    expect(kindOf(streamOf("error-midstream"))).toBe("upstream_failed");
    const reader = dialect.stream?.reader({ origin: "x" });
    expect(kindOf(reader?.read({ event: "messageStop", data: "{" }) ?? [])).toBe("upstream_protocol_error");
    expect(reader?.end()).toEqual([]);
  });

  const parse = (status: number, name: string): GatewayError =>
    dialect.error.parse(status, wireJson<JsonObject>(`bedrock-converse/${name}.json`));

  test.each([
    [400, "error-400", "upstream_rejected"],
    [400, "error-400-too-long", "context_length_exceeded"],
    [403, "error-403", "upstream_credentials"],
    [404, "error-404", "upstream_model_not_found"],
    [424, "error-424", "upstream_failed"],
    [429, "error-429", "upstream_rate_limited"],
    [503, "error-503", "upstream_overloaded"],
  ] as const)("%i %s", (status, name, kind) => {
    expect(parse(status, name).kind).toBe(kind);
  });

  test("accounts are told to nobody", () => {
    expect(parse(403, "error-403").message).not.toContain("123456789012");
  });

  test.each([
    ["throttlingException", "upstream_rate_limited"],
    ["com.amazon.coral#ServiceUnavailableException:http://x/", "upstream_overloaded"],
    ["validationException", "upstream_rejected"],
    ["SomethingNew", "upstream_failed"],
  ])("%s within a stream", (__type, kind) => {
    const reader = dialect.stream?.reader({ origin: "x" });
    const [delta] = reader?.read({ event: "exception", data: JSON.stringify({ __type, message: "no" }) }) ?? [];
    expect(delta).toMatchObject({ type: "error", error: { kind } });
  });
});

test("fixtures are whole streams", () => {
  expect(framesOf([Buffer.from(wireText("bedrock-converse/text.sse"))]).map(({ event }) => event)).toEqual([
    "messageStart",
    "contentBlockDelta",
    "contentBlockDelta",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
  ]);
});
