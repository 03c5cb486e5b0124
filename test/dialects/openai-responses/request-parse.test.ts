// What clients of this dialect ask, in canon: items into turns, tools, choices, settings, and what has no place there.
import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "../../../src/canonical/chat.ts";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { envelopeOf } from "../../support/laws.ts";
import { baseAsk, dialect, parse, parseInput, thrown } from "./helpers.ts";

const user = (text: string): JsonObject => ({ role: "user", content: text });
const part = (more: JsonObject): JsonObject => ({ role: "user", content: [more] });
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "function_call",
  call_id: id,
  name: "f",
  arguments: "{}",
  ...more,
});
const output = (id: string, text = "ok"): JsonObject => ({ type: "function_call_output", call_id: id, output: text });
const roles = (request: ChatRequest) => request.messages.map((message) => message.role);
const refused = (...input: JsonObject[]) => {
  const { kind, param } = thrown(() => parseInput(...input));
  return { kind, param };
};

describe("input", () => {
  test("a plain text is one user turn", () => {
    expect(parse({})).toEqual(baseAsk);
  });

  test("instructions and leading system items are the prefix, later ones keep their place (bugs 23, 24)", () => {
    const items = [
      { role: "developer", content: "B" },
      { role: "system", content: [{ type: "input_text", text: "C" }] },
    ];
    const request = parse({ instructions: "A", input: [...items, user("hi"), { role: "developer", content: "D" }] });
    expect(request.system.map((block) => block.text)).toEqual(["A", "B", "C"]);
    expect(roles(request)).toEqual(["user", "system"]);
  });

  test("the model's items in a row are one turn in their order, results stand behind it (bug 32)", () => {
    const request = parseInput(
      user("go"),
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "xyz" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "On it.", annotations: [] }] },
      call("a", { arguments: "" }),
      { type: "custom_tool_call", call_id: "b", name: "patch", input: "*** x" },
      output("b"),
      user("and more"),
      output("a", ""),
    );
    expect(request.messages[1]?.blocks).toEqual([
      {
        type: "thinking",
        text: "Hm.",
        signature: { origin: "openai", data: '{"id":"rs_1","encrypted_content":"xyz"}' },
      },
      { type: "text", text: "On it." },
      { type: "tool-call", id: "a", name: "f", kind: "function", input: "{}" },
      { type: "tool-call", id: "b", name: "patch", kind: "custom", input: "*** x" },
    ]);
    expect(request.messages[2]).toEqual({
      role: "tool",
      blocks: [
        { type: "tool-result", callId: "b", content: [{ type: "text", text: "ok" }], isError: false },
        { type: "tool-result", callId: "a", content: [], isError: false },
      ],
    });
    expect(roles(request)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("results of calls in turn are turns of their own (bugs 3, 4)", () => {
    const request = parseInput(user("x"), call("a"), output("a"), call("b"), output("b"));
    expect(roles(request)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
  });

  test("state in an envelope keeps its maker, hidden thought is state alone, empty thought is nothing (bugs 31, 33)", () => {
    const signature = { origin: "anthropic", data: "sig" };
    const item = (more: JsonObject): JsonObject => ({ type: "reasoning", summary: [], ...more });
    const request = parseInput(user("x"), item({ encrypted_content: wrapProviderState(signature) }), item({}), {
      role: "assistant",
      content: "y",
    });
    expect(request.messages[1]?.blocks).toEqual([
      { type: "thinking", text: "", signature, redacted: true },
      { type: "text", text: "y" },
    ]);
    expect(parseInput(item({ id: "rs_gw_x_0", encrypted_content: "bare" })).messages[0]?.blocks).toMatchObject([
      { signature: { origin: "openai", data: '{"encrypted_content":"bare"}' } },
    ]);
  });

  test("images and files by address, bytes and id; bytes tell their own type (bugs 26, 27, 29)", () => {
    const png = "iVBORw0KGgo=";
    const path = "input[0].content[0]";
    const cases: readonly (readonly [JsonObject, object])[] = [
      [
        { type: "input_image", image_url: "https://a/b.png", detail: "low" },
        { type: "image", source: { kind: "url", url: "https://a/b.png" }, detail: "low" },
      ],
      [
        { type: "input_image", image_url: `data:image/jpeg;base64,${png}`, detail: "auto" },
        { type: "image", source: { kind: "bytes", mediaType: "image/png", base64: png } },
      ],
      [
        { type: "input_image", file_id: "file-1" },
        { type: "image", source: { kind: "file", id: "file-1" } },
      ],
      [
        { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
        {
          type: "document",
          title: "a.pdf",
          source: { kind: "bytes", mediaType: "application/pdf", base64: "JVBERi0=" },
        },
      ],
      [
        { type: "input_file", file_url: "https://a/b.pdf" },
        { type: "document", source: { kind: "url", url: "https://a/b.pdf" } },
      ],
      [
        { type: "input_file", file_id: "file-2" },
        { type: "document", source: { kind: "file", id: "file-2" } },
      ],
    ];
    for (const [wire, block] of cases)
      expect(parseInput(part(wire)).messages[0]?.blocks).toEqual([{ ...block, path }] as never);
  });

  test("images and files in a result", () => {
    const image = { type: "input_image", image_url: "https://a/b.png" };
    const request = parseInput(user("x"), call("a"), {
      ...output("a"),
      output: [{ type: "input_text", text: "see" }, image],
    });
    expect(request.messages[2]?.blocks).toMatchObject([{ content: [{ text: "see" }, { path: "input[2].output[1]" }] }]);
  });

  test("what only this dialect knows stays as it is, and says where it stood (bug 28)", () => {
    const foreign = (...input: JsonObject[]) => parseInput(...input).messages.flatMap((message) => message.blocks);
    const click = { type: "computer_call", call_id: "c", action: { type: "click" } };
    expect(foreign(click)).toEqual([
      { type: "foreign", origin: "openai-responses", wire: click, path: "input[0].type" },
    ]);
    expect(foreign({ type: "shell_call_output", call_id: "c", output: [] })).toMatchObject([{ path: "input[0].type" }]);
    expect(foreign({ type: "compaction", encrypted_content: "native" })).toMatchObject([
      { type: "foreign", path: "input[0].encrypted_content" },
    ]);
    expect(foreign(user("x"), { type: "compaction_trigger" })[1]).toMatchObject({ path: "input[1].type" });
    expect(foreign(part({ type: "input_audio", input_audio: {} }))).toMatchObject([
      { path: "input[0].content[0].type" },
    ]);
  });

  test.each([
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_list_tools",
    "mcp_call",
    "mcp_approval_request",
  ])("a %s in the history is the server's own work: left out elsewhere, and told", (type) => {
    const request = parseInput(user("x"), { type, id: "i" }, { role: "assistant", content: "found" }, user("y"));
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(request.messages[1]?.blocks).toEqual([{ type: "text", text: "found" }]);
    expect(request.unmappedFields).toEqual([{ path: "input[1]", rule: "warn" }]);
  });

  test("tools and settings that come with an item join the request's own", () => {
    const request = parseInput(
      { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "late" }] },
      user("x"),
      { type: "configuration_update", reasoning: { effort: "max" }, text: { format: { type: "json_object" } } },
    );
    expect(request.tools).toEqual([{ kind: "function", name: "late" }]);
    expect(request.reasoning).toEqual({ effort: "max" });
    expect(request.format).toEqual({ type: "json" });
  });

  test("what is missing or makes no sense is refused by its path", () => {
    const missing = "missing_required_parameter";
    const bad = "invalid_value";
    const cases: readonly (readonly [JsonObject[], string, string])[] = [
      [[{ role: "user" }], missing, "input[0].content"],
      [[{}], missing, "input[0].type"],
      [[{ role: "wizard", content: "x" }], bad, "input[0].role"],
      [[user("x"), { type: "function_call", call_id: "a", arguments: "{}" }], missing, "input[1].name"],
      [[{ type: "function_call", call_id: "a", name: "f" }], missing, "input[0].arguments"],
      [[{ type: "function_call_output", output: "x" }], missing, "input[0].call_id"],
      [[{ type: "function_call_output", call_id: "x" }], missing, "input[0].output"],
      [[part({ type: "input_text" })], missing, "input[0].content[0].text"],
      [[part({ text: "x" })], bad, "input[0].content[0].type"],
      [[part({ type: "input_image" })], missing, "input[0].content[0].image_url"],
      [[part({ type: "input_image", image_url: "ftp://x" })], bad, "input[0].content[0].image_url"],
      [[part({ type: "input_file" })], missing, "input[0].content[0].file_data"],
      [
        [{ role: "system", content: [{ type: "input_image", image_url: "https://x" }] }],
        bad,
        "input[0].content[0].type",
      ],
      [[{ type: "item_reference", id: "msg_1" }], bad, "input[0].id"],
      [[{ id: "msg_1" }], bad, "input[0].id"],
      [[{ type: "compaction", encrypted_content: "gwc1.x" }], bad, "input[0].encrypted_content"],
      [[{ type: "compaction_trigger" }, user("x")], bad, "input[0].type"],
      [[], missing, "input"],
    ];
    for (const [input, kind, param] of cases) expect(refused(...input)).toEqual({ kind, param });
  });

  test("without input, instructions or a stored response are enough", () => {
    const bare = (more: JsonObject) => dialect.request.parse({ model: "m", ...more }, envelopeOf());
    expect(bare({ instructions: "Say hi." }).system).toHaveLength(1);
    expect(bare({ previous_response_id: "resp_1" }).messages).toEqual([]);
    expect(thrown(() => bare({ input: "" }))).toMatchObject({ param: "input" });
  });
});

test("an agent's request, whole", () => {
  const request = dialect.request.parse(wireJson<JsonObject>("openai-responses/agent-request.json"), envelopeOf());
  expect(request.tools.map((tool) => tool.kind === "hosted" || tool.name)).toEqual([
    "shell",
    "apply_patch",
    "mcp__docs__search",
  ]);
  expect(roles(request)).toEqual(["user", "user", "assistant", "tool", "user"]);
  expect(request.unmappedFields.filter((extra) => extra.rule !== "ignore")).toEqual([
    { path: "tools[4].type", rule: "warn" },
    { path: "tools[5].type", rule: "warn" },
    { path: "tools[6].type", rule: "warn" },
  ]);
});

test.each([[null], ["text"], [7]])("a part of a result that is no object is refused by its path: %p", (part) => {
  const wire = { model: "m", input: [{ type: "function_call_output", call_id: "a", output: [part] }] };
  expect(() => dialect.request.parse(wire, { header: () => null, params: {} })).toThrow(
    expect.objectContaining({ param: "input[0].output[0]" }),
  );
});
