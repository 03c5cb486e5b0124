// What this dialect's upstreams are asked: turns into items, settings into fields, and a word about every loss.
import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest, Message } from "../../../src/canonical/chat.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { inputOf, render, thrown } from "./helpers.ts";

const say = (role: Message["role"], ...blocks: Block[]): Message => ({ role, blocks });
const text = (content: string): Block => ({ type: "text", text: content });
const call = (id: string, kind: "function" | "custom" = "function", input = "{}"): Block => ({
  type: "tool-call",
  id,
  name: "f",
  kind,
  input,
});
const result = (callId: string, more: object = {}): Block =>
  ({ type: "tool-result", callId, content: [{ type: "text", text: "ok" }], isError: false, ...more }) as Block;
const approximated = [{ code: "approximated", path: "their.messages" }];
const body = (ask: Partial<ChatRequest>, more = {}): JsonObject => render(ask, more).call.body;

describe("input", () => {
  test("the first block of the prefix is the instructions, others stay blocks", () => {
    const system = ["A", "B", "C"].map((content) => ({ type: "text", text: content }) as const);
    expect(body({ system })).toMatchObject({
      instructions: "A",
      input: [
        { type: "message", role: "system", content: [{ type: "input_text", text: "B" }, { text: "C" }] },
        { type: "message", role: "user", content: "hi" },
      ],
    });
  });

  test("blocks of the model are items in their order, with results behind them", () => {
    const { input, warnings } = inputOf([
      say("user", text("go")),
      say("assistant", text("a"), text("b"), call("1"), text("c"), call("2", "custom", "raw")),
      say("tool", result("1"), result("2")),
      say("system", text("note")),
    ]);
    expect(input).toEqual([
      { type: "message", role: "user", content: "go" },
      {
        type: "message",
        role: "assistant",
        content: [
          { type: "output_text", text: "a", annotations: [] },
          { type: "output_text", text: "b", annotations: [] },
        ],
      },
      { type: "function_call", call_id: "1", name: "f", arguments: "{}" },
      { type: "message", role: "assistant", content: "c" },
      { type: "custom_tool_call", call_id: "2", name: "f", input: "raw" },
      { type: "function_call_output", call_id: "1", output: "ok" },
      { type: "custom_tool_call_output", call_id: "2", output: "ok" },
      { type: "message", role: "system", content: "note" },
    ]);
    expect(warnings).toEqual([]);
  });

  test("lost, orphaned and double results (bugs 6, 7)", () => {
    const lost = inputOf([say("assistant", call("1")), say("user", text("next"))]);
    expect(lost.input).toMatchObject([{}, { type: "function_call_output", call_id: "1" }, { role: "user" }]);
    const orphan = inputOf([say("user", text("x")), say("tool", result("9"))]);
    expect(orphan.input).toMatchObject([{}, { role: "user" }]);
    expect([lost.warnings, orphan.warnings]).toEqual([approximated, approximated]);
  });

  test("ids and names that are too long or too strange are changed alike for call and result (bug 9)", () => {
    const id = `toolu:${"x".repeat(80)}`;
    const { input } = inputOf([say("assistant", call(id)), say("tool", result(id))]);
    const [made, answered] = input as JsonObject[];
    expect(made?.call_id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(answered?.call_id).toBe(made?.call_id as string);
  });

  test("blank arguments are the empty object, broken ones go as they are (bugs 13, 14)", () => {
    expect(inputOf([say("assistant", call("1", "function", " ")), say("tool", result("1"))]).input).toMatchObject([
      { arguments: "{}" },
      {},
    ]);
    expect(inputOf([say("assistant", call("1", "function", '{"a')), say("tool", result("1"))]).input).toMatchObject([
      { arguments: '{"a' },
      {},
    ]);
  });

  test("an error is said in words, images and files in a result stay there (bug 19)", () => {
    const image: Block = { type: "image", source: { kind: "url", url: "https://a/b.png" } };
    const failed = inputOf([say("assistant", call("1")), say("tool", result("1", { isError: true }))]);
    expect(failed).toMatchObject({ input: [{}, { output: "Error: ok" }], warnings: approximated });
    const shown = inputOf([say("assistant", call("1")), say("tool", result("1", { content: [image] }))]);
    const parts = [{ type: "input_image", image_url: "https://a/b.png", detail: "auto" }];
    expect(shown).toMatchObject({ input: [{}, { output: parts }], warnings: [] });
  });

  test("media by address, bytes and own ids; text documents as text (bugs 26, 27, 28)", () => {
    const pdf = { kind: "bytes", mediaType: "application/pdf", base64: "JVBERi0=" } as const;
    const { input } = inputOf([
      say(
        "user",
        { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "AAAA" }, detail: "high" },
        { type: "image", source: { kind: "file", id: "file-1" } },
        { type: "document", source: pdf, title: "a.pdf", context: "About a." },
        { type: "document", source: { kind: "url", url: "https://a/b.pdf" } },
        { type: "document", source: { kind: "text", text: "body" }, title: "T" },
      ),
    ]);
    expect((input as JsonObject[])[0]?.content).toEqual([
      { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "high" },
      { type: "input_image", file_id: "file-1", detail: "auto" },
      { type: "input_text", text: "About a." },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
      { type: "input_file", file_url: "https://a/b.pdf" },
      { type: "input_text", text: "T\n\nbody" },
    ]);
  });

  test.each<[string, Message]>([
    [
      "audio",
      say("user", { type: "audio", source: { kind: "bytes", mediaType: "audio/wav", base64: "A" }, path: "p" }),
    ],
    ["a file of another store", say("user", { type: "document", source: { kind: "file", id: "file_x" }, path: "p" })],
    ["a part of another dialect", say("user", { type: "foreign", origin: "gemini", wire: {}, path: "p" })],
    ["a picture by the model", say("assistant", { type: "image", source: { kind: "url", url: "u" }, path: "p" })],
  ])("%s is refused by its path", (_, message) => {
    expect(thrown(() => inputOf([message]))).toMatchObject({ kind: "unsupported_parameter", param: "p" });
  });

  test("items of this dialect's own go back as they came", () => {
    const own = (wire: JsonObject): Block => ({ type: "foreign", origin: "openai-responses", wire });
    const { input } = inputOf([
      say("assistant", own({ type: "web_search_call", id: "ws_1" })),
      say("user", own({ type: "shell_call_output", call_id: "c" }), text("so?")),
    ]);
    expect(input).toEqual([
      { type: "web_search_call", id: "ws_1" },
      { type: "message", role: "user", content: "so?" },
      { type: "shell_call_output", call_id: "c" },
    ]);
  });

  test("a name goes before the text, a prefill is only approximated", () => {
    expect(inputOf([{ ...say("user", text("hi")), name: "ann" }])).toMatchObject({
      input: [{ content: "ann: hi" }],
      warnings: approximated,
    });
    expect(inputOf([say("user", text("x")), say("assistant", text("So"))]).warnings).toEqual(approximated as never);
  });
});

describe("thought", () => {
  const thought = (origin: string, data: string): Block => ({
    type: "thinking",
    text: "Hm.",
    signature: { origin, data },
  });
  const replayed = (block: Block) => inputOf([say("assistant", block, text("x"))], { origin: "openai" }).input;

  test("state goes back to its maker under its maker's id, without the thoughts themselves (bug 34)", () => {
    expect(replayed(thought("openai", '{"id":"rs_1","encrypted_content":"abc"}'))).toMatchObject([
      { type: "reasoning", id: "rs_1", encrypted_content: "abc", summary: [{ type: "summary_text", text: "Hm." }] },
      { role: "assistant" },
    ]);
  });

  test("what others thought, nobody signed, or another dialect sealed is left out (bug 33)", () => {
    const others = [
      thought("anthropic", "sig"),
      { type: "thinking", text: "Hm." } as Block,
      thought("openai", '{"type":"x"}'),
    ];
    for (const block of others) expect(replayed(block)).toMatchObject([{ role: "assistant" }]);
  });

  test("nothing is kept upstream; whoever thinks is asked for its state", () => {
    const rendersReasoning = (ask: Partial<ChatRequest>, model = "m") => {
      const { store, include } = body(ask, { model });
      return { store, include };
    };
    const state = ["reasoning.encrypted_content"];
    expect(rendersReasoning({})).toEqual({ store: false, include: undefined });
    expect(rendersReasoning({ reasoning: { effort: "low" } })).toEqual({ store: false, include: state });
    expect(rendersReasoning({ reasoning: { effort: "none" } }, "gpt-5.1").include).toBeUndefined();
    for (const model of ["o4-mini", "gpt-5", "openai/gpt-5.1", "gpt-6-sol"])
      expect(rendersReasoning({}, model).include).toEqual(state);
    for (const model of ["gpt-4o", "gpt-5-chat-latest"]) expect(rendersReasoning({}, model).include).toBeUndefined();
  });

  test.each<[ChatRequest["reasoning"], object | undefined, number]>([
    [{ effort: "high" }, { effort: "high", summary: "auto" }, 0],
    [{ effort: "high", show: false }, { effort: "high" }, 0],
    [{ effort: "none" }, { effort: "none" }, 0],
    [{ show: true }, { summary: "auto" }, 0],
    [{ budgetTokens: 0 }, { effort: "none" }, 1],
    [{ budgetTokens: 8191 }, { effort: "low", summary: "auto" }, 1],
    [{ budgetTokens: 8192 }, { effort: "medium", summary: "auto" }, 1],
    [{ budgetTokens: 24_576 }, { effort: "high", summary: "auto" }, 1],
    [{ budgetTokens: -1 }, undefined, 0],
    [{ adaptive: true }, { summary: "auto" }, 0],
    [{ effort: "low", hint: true }, undefined, 0],
  ])("%j", (reasoning, expected, losses) => {
    const { call, warnings } = render(reasoning === undefined ? {} : { reasoning });
    expect(call.body.reasoning).toEqual(expected as JsonObject);
    expect(warnings.length).toBe(reasoning?.budgetTokens === 0 ? 0 : losses);
  });
});

describe("settings", () => {
  test("every field that this wire has", () => {
    const ask: Partial<ChatRequest> = {
      stream: true,
      maxOutputTokens: 100,
      sampling: { temperature: 0.5, topP: 0.9 },
      verbosity: "low",
      tier: "flex",
      endUser: "u".repeat(65),
    };
    expect(body(ask)).toMatchObject({
      model: "model-x",
      stream: true,
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      text: { verbosity: "low" },
      service_tier: "flex",
      safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(Object.keys(body({}))).toEqual(["model", "input", "store"]);
  });

  test.each<[number, number | undefined, number, boolean]>([
    [15, undefined, 16, true],
    [16, undefined, 16, false],
    [100, 50, 50, true],
    [50, 50, 50, false],
  ])("an output bound of %d under a maximum of %p is %d", (wanted, most, expected, isLoss) => {
    const { call, warnings } = render({ maxOutputTokens: wanted }, most === undefined ? {} : { maxOutputTokens: most });
    expect(call.body.max_output_tokens).toBe(expected);
    expect(warnings).toEqual(isLoss ? [{ code: "approximated", path: "their.maxOutputTokens" }] : []);
  });

  test("what this wire has no words for is dropped with a word (bug 44), zeros without", () => {
    const sampling = { topK: 5, presencePenalty: 1, frequencyPenalty: 1, seed: 3 };
    expect(render({ sampling }).warnings.map((warning) => warning.path)).toEqual([
      "their.topK",
      "their.presencePenalty",
      "their.frequencyPenalty",
      "their.seed",
    ]);
    expect(render({ sampling: { presencePenalty: 0, frequencyPenalty: 0 } }).warnings).toEqual([]);
  });

  test.each<[string, Partial<ChatRequest>]>([
    ["stopSequences", { stopSequences: ["x"] }],
    ["choices", { choices: 2 }],
    ["logitBias", { sampling: { logitBias: { "1": 2 } } }],
  ])("%s is refused (bug 42)", (field, ask) => {
    expect(thrown(() => render(ask))).toMatchObject({ kind: "unsupported_parameter", param: `their.${field}` });
  });

  test("a schema is flat and named, free JSON is spoken of where the messages do not", () => {
    const schema = { type: "object" };
    const format = { type: "schema", schema, strict: false } as const;
    expect(body({ format }).text).toEqual({ format: { type: "json_schema", name: "response", schema, strict: false } });
    const free = render({ format: { type: "json" }, system: [{ type: "text", text: "Use JSON." }] });
    expect(free.call.body.input).toMatchObject([{ role: "system", content: "Answer in JSON." }, {}]);
    expect(free.warnings).toEqual([{ code: "emulated", path: "their.format" }]);
    const spoken = render({ format: { type: "json" }, messages: [say("user", text("as json"))] });
    expect(spoken.warnings).toEqual([]);
  });
});
