// Canonical requests in this dialect's words: what is mapped, what is told otherwise, what is refused.
import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, FunctionTool } from "../../../src/canonical/chat.ts";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import { askOf, claude, dialect, llama, messageOf, messagesOf, nova, oss, refusal, rendered } from "./bench.ts";

const parameters = { type: "object", properties: { zone: { type: "string" } } };
const tool: FunctionTool = { kind: "function", name: "get_time", description: "Tells the time.", parameters };
const spec = { name: "get_time", description: "Tells the time.", inputSchema: { json: parameters } };
const refused = (more: Partial<ChatRequest>, model = claude) => refusal(() => rendered(more, model));

describe("where a call goes", () => {
  test("the model stands in the path, whole and as a stream", () => {
    expect(rendered().path).toBe("model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse");
    expect(rendered({ stream: true }).path).toEndWith("/converse-stream");
    expect(rendered({}, "arn:aws:bedrock:eu-west-1:1:inference-profile/x").path).toBe(
      "model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fx/converse",
    );
  });

  test.each(["", ".", ".."])("the name %p leads nowhere else", (model) => {
    expect(refused({}, model)).toEqual({ kind: "model_not_found", param: "model", status: 404 });
  });

  test("nothing of the stream or the model stands in the body", () => {
    expect(rendered({ stream: true }).body).toEqual({ messages: [{ role: "user", content: [{ text: "hi" }] }] });
  });
});

describe("tuning", () => {
  test("bounds and sampling, the stop text asked back", () => {
    const { body, warnings } = rendered({
      maxOutputTokens: 50,
      sampling: { temperature: 0.5, topK: 5 },
      stopSequences: ["END"],
    });
    expect(body).toMatchObject({
      inferenceConfig: { maxTokens: 50, temperature: 0.5, stopSequences: ["END"] },
      additionalModelRequestFields: { top_k: 5 },
      additionalModelResponseFieldPaths: ["/stop_sequence", "/delta/stop_sequence"],
    });
    expect(warnings).toEqual([]);
  });

  test("what the family does not take goes with a warning", () => {
    const sampling = { temperature: 1.5, topK: 5, seed: 1, presencePenalty: 1 };
    const { body, warnings } = rendered({ sampling, tier: "fast", verbosity: "low" }, llama);
    expect(body.inferenceConfig).toEqual({ temperature: 1 });
    expect(body.additionalModelRequestFields).toBeUndefined();
    expect(warnings.sort()).toEqual([
      "approximated client.temperature",
      "dropped client.presencePenalty",
      "dropped client.seed",
      "dropped client.tier",
      "dropped client.topK",
      "dropped client.verbosity",
    ]);
  });

  test.each([
    ["logprobs", { logprobs: 2 }],
    ["choices", { choices: 2 }],
    ["stopSequences", { stopSequences: [" "] }],
    ["logitBias", { sampling: { logitBias: { 5: 1 } } }],
  ])("%s is refused", (field, more) => {
    expect(refused(more)).toEqual({ kind: "unsupported_parameter", param: `client.${field}`, status: 400 });
  });

  test("service tiers", () => {
    expect(rendered({ tier: "flex" }).body.serviceTier).toEqual({ type: "flex" });
  });
});

describe("thinking", () => {
  const additional = (reasoning: ChatRequest["reasoning"], model = claude, more: Partial<ChatRequest> = {}) => {
    const { body, warnings } = rendered({ ...(reasoning ? { reasoning } : {}), ...more }, model);
    return { fields: body.additionalModelRequestFields, config: body.inferenceConfig, warnings };
  };

  test("a budget for a model that takes one, with room for the reply", () => {
    expect(additional({ budgetTokens: 2000 })).toEqual({
      fields: { thinking: { type: "enabled", budget_tokens: 2000 } },
      config: { maxTokens: 64_000 },
      warnings: [],
    });
  });

  test("an effort for a model that decides by itself", () => {
    const { fields, config } = additional({ effort: "high" }, "anthropic.claude-opus-4-6-v1");
    expect(fields).toEqual({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
    expect(config).toBeUndefined();
  });

  test("other families have other words", () => {
    expect(additional({ effort: "xhigh" }, oss)).toMatchObject({
      fields: { reasoning_effort: "high" },
      warnings: ["approximated client.reasoning"],
    });
    expect(additional({ effort: "low" }, nova)).toMatchObject({
      fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } },
      warnings: [],
    });
    expect(additional({ effort: "none" }, nova).fields).toEqual({ reasoningConfig: { type: "disabled" } });
    expect(additional({ budgetTokens: 9000 }, nova)).toMatchObject({
      fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } },
    });
  });

  test("a model that cannot goes without; a wish that nobody had goes without a word", () => {
    expect(additional({ effort: "high" }, llama)).toMatchObject({
      fields: undefined,
      warnings: ["dropped client.reasoning"],
    });
    expect(additional({ effort: "none" }, llama).warnings).toEqual([]);
    expect(additional({ effort: "high", hint: true }, llama).warnings).toEqual([]);
  });

  test("state goes back to its maker alone, unchanged and in its place", () => {
    const thought = (origin: string): Block => ({
      type: "thinking",
      text: "Hm.",
      signature: { origin, data: "c2ln" },
    });
    const sealed: Block = {
      type: "thinking",
      text: "",
      redacted: true,
      signature: { origin: "bedrock", data: "RU5D" },
    };
    const messages = [
      messageOf("user", "hi"),
      messageOf("assistant", thought("bedrock"), sealed, "Yes."),
      messageOf("user", "and?"),
    ];
    expect(messagesOf(messages).messages).toMatchObject([
      {},
      {
        content: [
          { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
          { reasoningContent: { redactedContent: "RU5D" } },
          { text: "Yes." },
        ],
      },
      {},
    ]);
    const foreign = [
      messageOf("user", "hi"),
      messageOf("assistant", thought("gemini"), "Yes."),
      messageOf("user", "and?"),
    ];
    expect(JSON.stringify(messagesOf(foreign).messages)).not.toContain("reasoning");
  });
});

describe("tools", () => {
  const config = (more: Partial<ChatRequest>, model = claude) => {
    const { body, warnings } = rendered({ tools: [tool], ...more }, model);
    return { config: body.toolConfig, fields: body.additionalModelRequestFields, warnings };
  };

  test.each([
    [{ type: "auto" }, undefined],
    [{ type: "required" }, { any: {} }],
    [{ type: "tool", name: "get_time" }, { tool: { name: "get_time" } }],
    [{ type: "allowed", names: ["get_time"], required: true }, { any: {} }],
  ] as const)("the choice %j", (toolChoice, expected) => {
    const { config: messageOf } = config({ toolChoice });
    expect(messageOf).toEqual({ tools: [{ toolSpec: spec }], ...(expected ? { toolChoice: expected } : {}) });
  });

  test("one call at most: never two choices in one request", () => {
    expect(config({ parallelToolCalls: false, toolChoice: { type: "required" } })).toEqual({
      config: { tools: [{ toolSpec: spec }] },
      fields: { tool_choice: { type: "any", disable_parallel_tool_use: true } },
      warnings: [],
    });
    expect(config({ parallelToolCalls: false }, nova)).toMatchObject({
      fields: undefined,
      warnings: ["dropped client.parallelToolCalls"],
    });
  });

  test("a model that cannot be forced is asked to choose", () => {
    expect(config({ toolChoice: { type: "required" } }, llama)).toMatchObject({
      config: { tools: [{}] },
      warnings: ["approximated client.toolChoice"],
    });
  });

  test("no call at all: the tools stay away", () => {
    expect(config({ toolChoice: { type: "none" } })).toMatchObject({ config: undefined, warnings: [] });
  });

  test("names that do not fit, free text, schemas that are none", () => {
    const custom = { kind: "custom", name: "apply patch", path: "tools[0]" } as const;
    const { config: messageOf, warnings } = config({ tools: [custom, { kind: "function", name: "get.day" }] });
    expect(messageOf).toMatchObject({
      tools: [
        { toolSpec: { name: "apply_patch", inputSchema: { json: { required: ["input"] } } } },
        { toolSpec: { name: "get_day", inputSchema: { json: { type: "object", properties: {} } } } },
      ],
    });
    expect(warnings).toEqual(["emulated tools[0]"]);
  });

  test("strict where it is known", () => {
    const strict = { ...tool, strict: true };
    expect(config({ tools: [strict] }).config).toMatchObject({ tools: [{ toolSpec: { strict: true } }] });
    expect(config({ tools: [strict] }, nova).warnings).toContain("dropped client.tools");
  });

  test("hosted tools are refused", () => {
    const hosted = { kind: "hosted", origin: "anthropic-messages", wire: {}, path: "tools[3].type" } as const;
    expect(refused({ tools: [hosted] })).toMatchObject({ param: "tools[3].type" });
  });
});

describe("form of the output", () => {
  const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };

  test("a schema, as text in the subset that is enforced", () => {
    const { body, warnings } = rendered({ format: { type: "schema", name: "reply", schema } });
    const { structure } = (body as { outputConfig: { textFormat: { structure: { jsonSchema: { schema: string } } } } })
      .outputConfig.textFormat;
    expect(structure.jsonSchema).toMatchObject({ name: "reply" });
    expect(JSON.parse(structure.jsonSchema.schema)).toMatchObject({ additionalProperties: false, required: ["n"] });
    expect(warnings).toEqual(["approximated client.format"]);
  });

  test.each(["anthropic.claude-3-haiku-20240307-v1:0", "us.anthropic.claude-opus-4-7", nova])(
    "%s has none: a tool takes the answer",
    (model) => {
      const { body, warnings } = rendered({ format: { type: "schema", schema } }, model);
      expect(body).not.toHaveProperty("outputConfig");
      expect(body.toolConfig).toMatchObject({
        tools: [{ toolSpec: { name: "json_answer", inputSchema: { json: schema } } }],
        toolChoice: { tool: { name: "json_answer" } },
      });
      expect(warnings).toEqual(["emulated client.format"]);
    },
  );

  test("a model that cannot be forced to call it is not asked", () => {
    expect(refused({ format: { type: "schema", schema } }, llama)).toMatchObject({ param: "client.format" });
  });

  test("the answer comes out of its tool", () => {
    const request = askOf({ format: { type: "schema", schema } });
    const toolUse = { toolUseId: "t", name: "json_answer", input: { n: 1 } };
    const reply = dialect.response.parse(
      { output: { message: { role: "assistant", content: [{ toolUse }] } }, stopReason: "tool_use" },
      { origin: "bedrock", request },
    );
    expect(reply.choices).toMatchObject([
      { blocks: [{ type: "text", text: '{"n":1}' }], finishReason: { kind: "end" } },
    ]);
    const reader = dialect.stream?.reader({ origin: "bedrock", request });
    const frames = [
      ["messageStart", { role: "assistant" }],
      ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "t", name: "json_answer" } } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: '{"n":' } } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: "1}" } } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["messageStop", { stopReason: "tool_use" }],
    ] as const;
    const events = [
      ...frames.flatMap(([event, body]) => reader?.read({ event, data: JSON.stringify(body) }) ?? []),
      ...(reader?.end() ?? []),
    ];
    expect(collectEvents(events)?.choices).toEqual(reply.choices);
  });

  test("free JSON is asked for in words", () => {
    const { body, warnings } = rendered({ format: { type: "json" } });
    expect(body.system).toEqual([{ text: expect.stringContaining("JSON") }]);
    expect(warnings).toEqual(["approximated client.format"]);
  });
});
