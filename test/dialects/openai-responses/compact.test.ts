// Compaction: the wish for it, the transcript that a summariser gets, sealed summaries and what they open to.
import { describe, expect, test } from "bun:test";
import {
  checkTrigger,
  compactedOutput,
  compactionFrames,
  compactionItem,
  compactionResponse,
  expandCompactions,
  isSealed,
  renderCompaction,
  withoutTrigger,
} from "../../../src/dialects/openai-responses/compact.ts";
import {
  summaryAsk,
  summaryIn,
  summaryInstructions,
  transcriptOf,
} from "../../../src/dialects/openai-responses/transcript.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { thrown, wholeReply, writeContext } from "./helpers.ts";

const user = (content: string): JsonObject => ({ type: "message", role: "user", content });
const trigger: JsonObject = { type: "compaction_trigger" };
const sealed = (text: string): JsonObject => ({ type: "compaction", encrypted_content: text });
const usage = { inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 3, reasoningTokens: 0 };

describe("the wish", () => {
  test("stands once, at the end", () => {
    expect(checkTrigger([user("a")])).toBe(false);
    expect(checkTrigger([user("a"), trigger])).toBe(true);
    expect(withoutTrigger([user("a"), trigger])).toEqual([user("a")]);
    for (const items of [
      [trigger, user("a")],
      [user("a"), trigger, trigger],
    ])
      expect(thrown(() => checkTrigger(items))).toMatchObject({
        kind: "invalid_value",
        status: 400,
        param: `input[${items.indexOf(trigger)}].type`,
      });
  });
});

describe("sealed summaries", () => {
  const open = (text: string) => (text === "gwc1.mine" ? "We fixed a.ts." : null);

  test("ours open where they stand, a provider's stay, nothing is copied where there is none", () => {
    const items = [user("a"), sealed("gwc1.mine"), sealed("native"), user("b")];
    expect(expandCompactions(items, open).items).toEqual([
      user("a"),
      { type: "message", role: "developer", content: "Summary of the earlier conversation:\n\nWe fixed a.ts." },
      sealed("native"),
      user("b"),
    ]);
    const plain = [user("a")];
    expect(expandCompactions(plain, open).items).toBe(plain);
    expect([isSealed("gwc1.x"), isSealed("gAAAA")]).toEqual([true, false]);
  });

  test("one that cannot be opened is refused by its path, whoever's it is", () => {
    expect(thrown(() => expandCompactions([user("a"), sealed("gwc1.theirs")], open))).toMatchObject({
      kind: "invalid_value",
      param: "input[1].encrypted_content",
    });
  });
});

describe("answers", () => {
  test("the user's own words, the newest first to be kept, then the summary", () => {
    const items = [user("one"), { role: "assistant", content: "no" }, user("two"), user("three")];
    const output = compactedOutput(items, "gwc1.x", "resp_1", 9);
    expect(output.map((item) => item.id)).toEqual(["msg_gw_1_0", "msg_gw_1_1", "msg_gw_1_2", "cmp_gw_1_3"]);
    const texts = output.slice(0, -1).map((item) => (item.content as JsonObject[])[0]?.text);
    expect(texts).toEqual(["o", "two", "three"]);
    expect(output.at(-1)).toEqual({ id: "cmp_gw_1_3", type: "compaction", encrypted_content: "gwc1.x" });
    expect(compactedOutput(items, "gwc1.x", "resp_1", 0)).toHaveLength(1);
  });

  test("the answer of the endpoint", () => {
    const output = [compactionItem("resp_1", 0, "gwc1.x")];
    expect(renderCompaction({ id: "resp_1", createdAt: 7, output, usage })).toEqual({
      id: "resp_1",
      object: "response.compaction",
      created_at: 7,
      output,
      usage: {
        input_tokens: 9,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 12,
      },
    });
  });

  test("a response holds exactly one item, whole and streamed", () => {
    const item = compactionItem("resp_1", 0, "gwc1.x");
    const compacted = { item, usage, model: "m" };
    const events = compactionFrames(compacted, writeContext()).map((frame) => JSON.parse(frame.data) as JsonObject);
    expect(events.map((event) => [event.sequence_number, event.type])).toEqual([
      [0, "response.created"],
      [1, "response.in_progress"],
      [2, "response.output_item.added"],
      [3, "response.output_item.done"],
      [4, "response.completed"],
    ]);
    const whole = compactionResponse(compacted, writeContext());
    expect(whole).toMatchObject({ status: "completed", output: [item], id: "resp_req-1" });
    expect(events.at(-1)?.response).toEqual(JSON.parse(JSON.stringify(whole)));
    expect(events[2]).toMatchObject({ output_index: 0, item });
  });
});

describe("the transcript", () => {
  const agent = wireJson<{ input: JsonObject[] }>("openai-responses/agent-request.json").input;

  test("who said and did what, as plain text", () => {
    expect(transcriptOf(agent, 10_000)).toEqual([
      [
        "[System]\n<permissions>workspace-write</permissions>\n",
        "[User]\n<environment_context/>\n",
        "[User]\nFix the failing test.\n",
        "[Assistant]\nLet me look.\n",
        '[Assistant calls shell (call_1)]\n{"command":["ls"]}\n',
        "[Assistant calls apply_patch (call_2)]\n*** Begin Patch\n*** End Patch\n",
        '[Result of call_1]\n{"output":"a.ts"}\n',
        "[Result of call_2]\nSuccess\n",
        "[User]\nGo on.\n[image]\n",
      ].join(""),
    ]);
    expect(transcriptOf([{ type: "web_search_call", id: "ws" }], 100)).toEqual([
      '[web_search_call]\n{"type":"web_search_call","id":"ws"}\n',
    ]);
    expect(transcriptOf([trigger], 100)).toEqual([]);
  });

  test("what tools put out is cut first, in its middle", () => {
    const output = (text: string): JsonObject => ({ type: "function_call_output", call_id: "c", output: text });
    const long = `start${"x".repeat(5000)}end`;
    const [piece, ...more] = transcriptOf([user("keep every word of this"), output(long), output(long)], 2500);
    expect(more).toEqual([]);
    expect(piece?.length).toBeLessThanOrEqual(2500);
    expect(piece).toContain("keep every word of this");
    expect(piece?.match(/start/g)).toHaveLength(2);
    expect(piece?.match(/end\n/g)).toHaveLength(2);
    expect(piece).toMatch(/\[… \d+ characters left out …\]/);
  });

  test("what does not fit even then comes in pieces, and nothing of it is lost", () => {
    const items = Array.from({ length: 30 }, (_, index) => user(`message ${index} ${"w".repeat(90)}`));
    const pieces = transcriptOf(items, 1000);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(1000);
    expect(pieces.join("")).toBe(transcriptOf(items, 1e6)[0] as string);
    expect(transcriptOf([user("y".repeat(2500))], 1000)).toHaveLength(3);
  });
});

describe("the summary", () => {
  test("is asked for with the conversation as data: no tools, one message, little thought", () => {
    const request = summaryAsk({
      model: "m",
      transcript: "[User]\nhi\n",
      instructions: "Be a pirate.",
      soFar: "Note 1",
    });
    expect(request).toMatchObject({ model: "m", stream: false, tools: [], reasoning: { effort: "low", hint: true } });
    expect(request.system).toEqual([{ type: "text", text: summaryInstructions }]);
    const [block] = request.messages[0]?.blocks ?? [];
    const text = block?.type === "text" ? block.text : "";
    expect(text).toContain("BEGIN TRANSCRIPT\n[User]\nhi\n\nEND TRANSCRIPT");
    expect(text.indexOf("Be a pirate.")).toBeLessThan(text.indexOf("BEGIN TRANSCRIPT"));
    expect(text.indexOf("Note 1")).toBeLessThan(text.indexOf("BEGIN TRANSCRIPT"));
  });

  test("an empty one is a failure, for it would lose the conversation", () => {
    const message = (text: string) =>
      wholeReply([{ type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text }] }]);
    expect(summaryIn(message(" Goal: x \n"))).toBe("Goal: x");
    for (const text of ["", "  \n"])
      expect(thrown(() => summaryIn(message(text)))).toMatchObject({ kind: "upstream_protocol_error" });
  });
});
