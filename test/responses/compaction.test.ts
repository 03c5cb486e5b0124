// Compaction over any upstream: summaries that open for their owner alone, a provider's own that go back to it alone.
import { describe, expect, test } from "bun:test";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { wireJson } from "../support/fixtures.ts";
import { ledgerRows } from "../support/ledger.ts";
import type { Reply } from "../support/sample-responses.ts";
import { type Far, fars, refusalOf, setting } from "./setting.ts";

const { mine, theirs, send, allSay, upstreamRequest, world } = await setting();
const { upstreams, gateway } = world;
const [compatible, claude, native] = fars as readonly [Far, Far, Far];
const foreign = [compatible, claude];

const user = (content: string): ResponseInputItem => ({ role: "user", content });
const trigger = { type: "compaction_trigger" } as ResponseInputItem;
const conversation: ResponseInputItem[] = [
  user("Fix a.ts."),
  { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a.ts"}' },
  { type: "function_call_output", call_id: "call_1", output: "let a = 1;" },
  user("And b.ts."),
];

interface Compaction {
  type: "compaction";
  id: string;
  encrypted_content: string;
}

const compactionIn = (items: readonly unknown[]): Compaction =>
  items.filter((item) => (item as Compaction).type === "compaction").at(-1) as Compaction;

/** What a provider with compaction of its own answers. */
const nativeReply: Reply = {
  json: {
    id: "resp_native",
    object: "response.compaction",
    created_at: 1762500000,
    output: [
      {
        id: "msg_n",
        type: "message",
        status: "completed",
        role: "user",
        content: [{ type: "input_text", text: "Fix a.ts." }],
      },
      { id: "cmp_n", type: "compaction", encrypted_content: "NATIVE-BLOB" },
    ],
    usage: {
      input_tokens: 50,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 57,
    },
  },
};

describe.each(foreign)("an upstream at $at, without compaction of its own", (far) => {
  test("summarises: the user's own words and one sealed item, which opens where it comes back", async () => {
    allSay("text.json");
    const rows = ledgerRows(gateway.dataFolder).length;
    const made = await mine.responses.compact({
      model: far.model as never,
      input: conversation,
      instructions: "Be kind.",
    });
    expect(made.object).toBe("response.compaction");
    expect(made.output.map(({ type }) => type)).toEqual(["message", "message", "compaction"]);
    expect(JSON.stringify(made.output.slice(0, 2))).toMatch(/Fix a\.ts\..*And b\.ts\./);
    expect(made.usage).toMatchObject({ input_tokens: 12, output_tokens: 5, total_tokens: 17 });
    const { encrypted_content: sealed } = compactionIn(made.output);
    expect(sealed).toStartWith("gwc1.");
    expect(Buffer.from(sealed.slice(5), "base64url").toString("latin1")).not.toContain("Hello there");
    const result = JSON.stringify(upstreamRequest(far));
    for (const word of ["BEGIN TRANSCRIPT", "let a = 1;", "Be kind.", "Fix a.ts."]) expect(result).toContain(word);
    expect(upstreamRequest(far)).not.toHaveProperty("tools");
    expect(ledgerRows(gateway.dataFolder).slice(rows)).toMatchObject([
      { operation: "chat", state: "completed", inputTokens: 12, outputTokens: 5 },
    ]);
    await mine.responses.create({ model: far.model, input: [...(made.output as ResponseInputItem[]), user("Go on.")] });
    const next = JSON.stringify(upstreamRequest(far, 1));
    expect(next).toContain("Summary of the earlier conversation:\\n\\nHello there");
    expect(next).not.toContain("gwc1.");
  });

  test.each([false, true])("a wish at the end gives exactly one item (stream %p)", async (stream) => {
    allSay("text.json");
    const ask = { model: far.model, input: [...conversation, trigger] };
    const made = stream ? await mine.responses.stream(ask).finalResponse() : await mine.responses.create(ask);
    expect(made).toMatchObject({ object: "response", status: "completed" } as never);
    expect(made.output.map(({ type }) => type) as string[]).toEqual(["compaction"]);
    expect(made.usage).toMatchObject({ total_tokens: 17 });
    expect(compactionIn(made.output).encrypted_content).toStartWith("gwc1.");
    const result = await mine.responses.retrieve(made.id);
    expect(result.output as unknown[]).toEqual(made.output as unknown[]);
    await mine.responses.create({ model: far.model, input: "Go on.", previous_response_id: made.id });
    const next = JSON.stringify(upstreamRequest(far, 1));
    expect(next).toContain("Summary of the earlier conversation");
    expect(next).not.toContain("let a = 1;");
  });

  test("the events of a wish are a whole life cycle", async () => {
    allSay("text.json");
    const events = await Array.fromAsync(
      await mine.responses.create({ model: far.model, input: [...conversation, trigger], stream: true, store: false }),
    );
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(events.flatMap((event) => ("response" in event ? [event.response.id] : []))).size).toBe(1);
  });

  test("an empty summary is a failure, never an empty compaction", async () => {
    const empty = wireJson(`${far.folder}/text.json`);
    const blank = JSON.parse(JSON.stringify(empty).replace(/Hello there, traveller\./, " "));
    upstreams[far.at].on("*", { json: blank });
    const failure = { status: 502, code: "upstream_protocol_error" };
    expect(await refusalOf(mine.responses.compact({ model: far.model as never, input: conversation }))).toMatchObject(
      failure,
    );
    const compactRequest = { model: far.model, input: [...conversation, trigger] };
    expect(await refusalOf(mine.responses.create(compactRequest))).toMatchObject(failure);
    expect(await refusalOf(mine.responses.create({ ...compactRequest, stream: true }))).toMatchObject(failure);
  });
});

test("a chain is compacted as a whole", async () => {
  allSay("text.json");
  const first = await mine.responses.create({ model: "gpt-x", input: "Remember the word heron." });
  await mine.responses.compact({ model: "gpt-x" as never, previous_response_id: first.id });
  expect(JSON.stringify(upstreamRequest(compatible, 1))).toContain("heron");
  expect(
    await refusalOf(theirs.responses.compact({ model: "gpt-x" as never, previous_response_id: first.id })),
  ).toMatchObject({ status: 400, code: "previous_response_not_found" });
});

test("a compaction of a compaction carries the first one on", async () => {
  allSay("text.json");
  const first = await mine.responses.compact({ model: "gpt-x" as never, input: conversation });
  await mine.responses.compact({
    model: "gpt-x" as never,
    input: [...(first.output as ResponseInputItem[]), user("Now c.ts.")],
  });
  const result = JSON.stringify(upstreamRequest(compatible, 1));
  expect(result).toContain("Summary of the earlier conversation");
  expect(result).toContain("Now c.ts.");
});

describe("a sealed summary", () => {
  test("is nobody else's, and not to be tampered with", async () => {
    allSay("text.json");
    const { output } = await mine.responses.compact({ model: "gpt-x" as never, input: conversation });
    const { encrypted_content: sealed } = compactionIn(output);
    const withBlob = (text: string) => [
      user("a"),
      { type: "compaction", encrypted_content: text } as ResponseInputItem,
      user("b"),
    ];
    const refused = { status: 400, code: "invalid_value", param: "input[1].encrypted_content" };
    const before = upstreams.alpha.requests.length;
    const ask = (text: string) => ({ model: "gpt-x", input: withBlob(text) });
    expect(await refusalOf(theirs.responses.create(ask(sealed)))).toMatchObject(refused);
    expect(await refusalOf(theirs.responses.compact(ask(sealed) as never))).toMatchObject(refused);
    const middle = Math.floor(sealed.length / 2);
    const flipped = sealed.slice(0, middle) + (sealed[middle] === "A" ? "B" : "A") + sealed.slice(middle + 1);
    for (const bad of [flipped, sealed.slice(0, -8), `${sealed}AAAA`, "gwc1.", "gwc1.!!!", "gwc1.AAAA"])
      expect({ bad, ...(await refusalOf(mine.responses.create(ask(bad)))) }).toMatchObject({ bad, ...refused });
    expect(upstreams.alpha.requests.length).toBe(before);
    expect((await mine.responses.create(ask(sealed))).status).toBe("completed");
  });
});

describe("a provider with compaction of its own", () => {
  const relayed = () => upstreams.responder.on("POST /v1/responses/compact", nativeReply);

  test("is asked for it, and its blob goes back to it alone", async () => {
    allSay("text.json");
    relayed();
    const made = await mine.responses.compact({ model: "gpt-r" as never, input: conversation });
    const [request] = upstreams.responder.requests;
    expect(request?.path).toBe("/v1/responses/compact");
    expect(request?.json).toEqual({ model: "gpt-r", input: conversation });
    expect(made.id).not.toBe("resp_native");
    expect(made.output).toHaveLength(2);
    expect(made.usage.total_tokens).toBe(57);
    const item = compactionIn(made.output);
    expect(item.encrypted_content).not.toContain("NATIVE-BLOB");
    const input = [...(made.output as ResponseInputItem[]), user("Go on.")];
    await mine.responses.create({ model: "gpt-r", input });
    expect(JSON.stringify(upstreamRequest(native, 1))).toContain('"encrypted_content":"NATIVE-BLOB"');
    // The sandbox speaks the provider's dialect, but did not make the blob.
    for (const model of [...foreign.map((far) => far.model), "sandbox/chat"])
      expect(await refusalOf(mine.responses.create({ model, input }))).toMatchObject({
        status: 400,
        param: "input[1].encrypted_content",
      });
    expect(upstreams.alpha.requests).toHaveLength(0);
    await mine.responses.compact({ model: "gpt-r" as never, input });
    expect(JSON.stringify(upstreamRequest(native, 2))).toContain("NATIVE-BLOB");
  });

  test.each([false, true])("serves a wish as well (stream %p)", async (stream) => {
    allSay("text.json");
    relayed();
    const ask = {
      model: "gpt-r",
      input: [...conversation, trigger],
      include: ["reasoning.encrypted_content" as const],
    };
    const made = stream ? await mine.responses.stream(ask).finalResponse() : await mine.responses.create(ask);
    expect(made.output).toHaveLength(1);
    expect(upstreams.responder.requests[0]?.json).toEqual({ model: "gpt-r", input: conversation });
    await mine.responses.create({ model: "gpt-r", input: "Go on.", previous_response_id: made.id });
    const { input } = upstreamRequest(native, 1) as { input: Compaction[] };
    expect(input.map(({ type, encrypted_content }) => encrypted_content ?? type)).toEqual(["NATIVE-BLOB", "message"]);
  });

  test("that has none after all summarises", async () => {
    upstreams.responder.on("POST /v1/responses/compact", { status: 404, json: { error: { message: "Not found" } } });
    upstreams.responder.on("POST /v1/responses", { json: wireJson("openai-responses/text.json") });
    const made = await mine.responses.compact({ model: "gpt-r" as never, input: conversation });
    expect(compactionIn(made.output).encrypted_content).toStartWith("gwc1.");
  });
});

test("a conversation that does not fit is summarised in pieces", async () => {
  const tooLong: Reply = {
    status: 400,
    json: {
      error: { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" },
    },
  };
  upstreams.alpha.on("*", (line) =>
    line.play(line.request.text.length > 110_000 ? tooLong : { json: wireJson("openai-chat/text.json") }),
  );
  const input = Array.from({ length: 4 }, (_, index) => user(`${index} ${"word ".repeat(10_000)}`));
  const made = await mine.responses.compact({ model: "gpt-x" as never, input });
  // One that is too long, and then one for each message.
  expect(upstreams.alpha.requests).toHaveLength(5);
  expect(JSON.stringify(upstreamRequest(compatible, 2))).toContain("The note on what came before");
  expect(made.usage.total_tokens).toBe(68);
});

test("what is no request for a compaction is refused", async () => {
  const post = async (body: object, path = "/v1/responses/compact") => {
    const answer = await send(path, { method: "POST", body: JSON.stringify(body) });
    const { error } = (await answer.json()) as { error?: { param: string; code: string } };
    return [answer.status, error?.code, error?.param];
  };
  expect(await post({ input: "x" })).toEqual([400, "missing_required_parameter", "model"]);
  expect(await post({ model: "gpt-x" })).toEqual([400, "missing_required_parameter", "input"]);
  expect(await post({ model: "gpt-x", input: [{ type: "function_call", name: "f" }] })).toEqual([
    400,
    "missing_required_parameter",
    "input[0].arguments",
  ]);
  expect(await post({ model: "nobody", input: "x" })).toEqual([404, "model_not_found", "model"]);
  for (const input of [
    [trigger, user("a")],
    [user("a"), trigger, trigger],
  ])
    expect(await post({ model: "gpt-x", input }, "/v1/responses")).toEqual([
      400,
      "invalid_value",
      `input[${input.indexOf(trigger)}].type`,
    ]);
});

test("the sandbox compacts too", async () => {
  const made = await mine.responses.compact({ model: "sandbox/chat" as never, input: conversation });
  expect(compactionIn(made.output).encrypted_content).toStartWith("gwc1.");
});
