// What every table of text models keeps to: a source for each row, and rows that an operator declares.
import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "../../src/canonical/chat.ts";
import { claudeModels } from "../../src/dialects/anthropic-messages/model-capabilities.ts";
import { bedrockClaudes, bedrockFamilies } from "../../src/dialects/bedrock-converse/model-capabilities.ts";
import { geminiModels } from "../../src/dialects/gemini/model-capabilities.ts";
import { anthropicMessages, bedrockConverse, gemini, openaiChat, openaiResponses } from "../../src/dialects/index.ts";
import { openaiModels, wantsResponses } from "../../src/dialects/shared/openai-models.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { load } from "../config/load.ts";
import { renderContextOf } from "../support/laws.ts";
import { plainAsk, thrown } from "../support/sample-requests.ts";

const tables = {
  claude: claudeModels.rows,
  gemini: geminiModels.rows,
  bedrock: bedrockFamilies,
  "claude on bedrock": bedrockClaudes,
  openai: [...openaiModels.rows, openaiModels.unlisted],
};

test.each(Object.entries(tables))("%s: every row has a source and a day", (_name, rows) => {
  expect(rows.length).toBeGreaterThan(2);
  for (const { source, checkedOn } of rows)
    expect([source, checkedOn]).toEqual([
      expect.stringMatching(/^(?:https:\/\/\S+|@?[a-z/-]+ \d+\.\d+\.\d+)$/),
      expect.stringMatching(/^2026-\d\d-\d\d$/),
    ]);
});

/** The row as it stands in turnpike.yaml. */
const declaredBy = (row: object) =>
  load(
    `providers:\n  own:\n    kind: anthropic\n    credential: abc\n    model_capabilities: [${JSON.stringify({ models: ["own-*"], ...row })}]\n`,
  ).catalog.providers[0]?.entry.declared ?? [];

const dialects = { anthropicMessages, bedrockConverse, gemini, openaiChat, openaiResponses } as const;
type Name = keyof typeof dialects;

function sent(name: Name, ask: Partial<ChatRequest>, row?: object, model = "own-1"): [JsonObject, string[]] {
  const dialect = dialects[name];
  const context = renderContextOf(dialect as never, {
    model,
    fieldPath: (field) => field,
    ...(row === undefined ? {} : { declared: declaredBy(row) }),
  });
  const { call, warnings } = dialect.request.render({ ...plainAsk, ...ask }, context);
  return [call.body, warnings.map(({ code, path }) => `${code} ${path}`)];
}

const members = (body: JsonObject, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, body[name]]));

const effort = (word: "minimal" | "low" | "high" | "xhigh"): Partial<ChatRequest> => ({ reasoning: { effort: word } });
const sampling = { sampling: { temperature: 0.5 } };
const schema = { format: { type: "schema", schema: { type: "object" }, strict: true } } as const;
const tools = [{ kind: "function", name: "f", parameters: { type: "object" } }] as const;
const prefilled: Partial<ChatRequest> = {
  messages: [
    { role: "user", blocks: [{ type: "text", text: "hi" }] },
    { role: "assistant", blocks: [{ type: "text", text: "The" }] },
  ],
};

/** Dialect, what is asked, the operator's row, and what is sent without and with it. */
const rows: [Name, Partial<ChatRequest>, object, object, object, string[]][] = [
  [
    "anthropicMessages",
    effort("high"),
    { reasoning: "none" },
    { thinking: { type: "adaptive" } },
    { thinking: undefined },
    ["dropped reasoning"],
  ],
  [
    "anthropicMessages",
    effort("xhigh"),
    { efforts: ["medium", "low"] },
    { output_config: { effort: "xhigh" } },
    { output_config: { effort: "medium" } },
    ["approximated reasoning"],
  ],
  [
    "anthropicMessages",
    sampling,
    { sampling: "never" },
    { temperature: 0.5 },
    { temperature: undefined },
    ["dropped temperature"],
  ],
  [
    "anthropicMessages",
    schema,
    { structured_output: false },
    { output_config: { format: { type: "json_schema" } } },
    { tools: [{ name: "json_answer" }], output_config: undefined },
    ["emulated format"],
  ],
  [
    "anthropicMessages",
    { tools, toolChoice: { type: "required" } },
    { forced_tool_choice: false },
    { tool_choice: { type: "any" } },
    { tool_choice: { type: "auto" } },
    ["approximated toolChoice"],
  ],
  [
    "anthropicMessages",
    sampling,
    { like: "claude-opus-4-8" },
    { temperature: 0.5 },
    { temperature: undefined },
    ["dropped temperature"],
  ],
  [
    "bedrockConverse",
    effort("low"),
    { reasoning: "effort" },
    { additionalModelRequestFields: undefined },
    { additionalModelRequestFields: { reasoning_effort: "low" } },
    [],
  ],
  [
    "gemini",
    effort("minimal"),
    { reasoning: "effort", efforts: ["low", "high"] },
    { generationConfig: { thinkingConfig: { thinkingLevel: "MINIMAL" } } },
    { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } },
    ["approximated reasoning"],
  ],
  [
    "gemini",
    effort("low"),
    { like: "gemini-2.5-pro" },
    { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } },
    { generationConfig: { thinkingConfig: { thinkingBudget: expect.any(Number) } } },
    [],
  ],
  ...(["openaiChat", "openaiResponses"] as const).flatMap((name): typeof rows => {
    const effortOf = (word: string | undefined) =>
      name === "openaiChat" ? { reasoning_effort: word } : { reasoning: word && { effort: word } };
    return [
      [name, effort("xhigh"), { efforts: ["low"] }, effortOf("xhigh"), effortOf("low"), ["approximated reasoning"]],
      [name, effort("low"), { reasoning: "none" }, effortOf("low"), effortOf(undefined), ["dropped reasoning"]],
      [
        name,
        sampling,
        { sampling: "never" },
        { temperature: 0.5 },
        { temperature: undefined },
        ["dropped temperature"],
      ],
    ];
  }),
];

describe("an operator's row changes what is sent", () => {
  test.each(rows)("%s asked %j by %j", (name, ask, row, without, withRow, warnings) => {
    const [body, result] = sent(name, ask, row);
    expect([members(body, withRow), result]).toMatchObject([withRow, warnings]);
    for (const [other] of [sent(name, ask), sent(name, ask, row, "other-1")])
      expect(members(other, without)).toMatchObject(without);
  });

  test("where the last message may not be the assistant's", () => {
    const last = ([body]: [JsonObject, string[]]) => (body["messages"] as { role: string }[]).at(-1)?.role;
    expect(last(sent("anthropicMessages", prefilled))).toBe("assistant");
    const refused = thrown(() => sent("anthropicMessages", prefilled, { prefill: false }));
    expect(refused).toMatchObject({ kind: "unsupported_parameter", param: "messages" });
  });

  test("in which dialect a model is asked", () => {
    const requested = { ...plainAsk, tools } as ChatRequest;
    const declared = declaredBy({ like: "o3" });
    expect(wantsResponses({ model: "own-1" }, requested, false)).toBe(false);
    expect(wantsResponses({ model: "own-1", declared }, requested, false)).toBe(true);
  });
});

test.each([
  [{ reasoning: "much" }, /model_capabilities\[0\]\.reasoning: must be one of 'none', 'budget', 'effort', 'either'/],
  [{ efforts: ["huge"] }, /model_capabilities\[0\]\.efforts\[0\]: must be one of/],
  [{ reasoning: "none", efforts: ["low"] }, /model_capabilities\[0\]\.efforts: must be empty where 'reasoning'/],
  [{ sampling: "some" }, /model_capabilities\[0\]\.sampling: must be one of/],
  [{ structured_output: "yes" }, /model_capabilities\[0\]\.structured_output: must be boolean/],
  [{ max_output_tokens: 0 }, /model_capabilities\[0\]\.max_output_tokens: must be >= 1/],
  [{ structured_outputs: true }, /model_capabilities\[0\]\.structured_outputs: .*Did you mean 'structured_output'/],
])("a row that cannot be used is refused: %j", (row, message) => {
  expect(String(thrown(() => declaredBy(row)))).toMatch(message);
});
