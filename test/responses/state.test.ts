// State over any upstream: chains, references, reading, listing, deleting, and nobody else's eyes.
import { describe, expect, test } from "bun:test";
import type { Response as ModelResponse } from "openai/resources/responses/responses";
import { wireFrames } from "../support/fixtures.ts";
import { type Far, fars, refusalOf, setting, textsIn } from "./setting.ts";

const { mine, theirs, send, allSay, upstreamRequest, receivedBy, make, world } = await setting();
const notFound = { status: 400, code: "previous_response_not_found", param: "previous_response_id" };

describe.each(fars)("an upstream at $at", (far) => {
  test.each([false, true])("a chain of three goes on with all that was said (stream %p)", async (stream) => {
    allSay("text.json");
    const first = await make(far, "one", undefined, stream);
    const second = await make(far, "two", first.id, stream);
    const third = await make(far, "three", second.id, stream);
    const sentBefore = receivedBy(far, 0).length;
    expect(sentBefore).toBe(1);
    const reply = first.output_text;
    expect(reply).toStartWith("Hello there");
    expect(receivedBy(far, 2)).toEqual(["one", reply, "two", reply, "three"]);
    expect(upstreamRequest(far, 2)).not.toHaveProperty("previous_response_id");
    expect([first, second, third].map(({ previous_response_id }) => previous_response_id)).toEqual([
      null,
      first.id,
      second.id,
    ]);
    const ids = [first, second, third].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^resp_[A-Za-z0-9]{24}$/);
    expect((await mine.responses.retrieve(third.id)).output_text).toBe(reply);
  });

  test.each([false, true])("what was answered is what is told again (stream %p)", async (stream) => {
    allSay("tools.json");
    const made = await make(far, "hi", undefined, stream);
    const result = await mine.responses.retrieve(made.id);
    expect(result).toMatchObject({ id: made.id, status: "completed", store: true, usage: made.usage as object });
    expect(result.output.map(({ id, type }) => ({ id, type }))).toEqual(
      made.output.map(({ id, type }) => ({ id, type })),
    );
  });

  test("a result of a call goes on from the call", async () => {
    allSay("tools.json");
    const made = await make(far, "what time is it?");
    const call = made.output.find(({ type }) => type === "function_call") as { call_id: string };
    expect(call.call_id).toMatch(/\S/);
    const results = made.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "noon" }]
        : [],
    );
    await mine.responses.create({ model: far.model, previous_response_id: made.id, input: results });
    expect(JSON.stringify(upstreamRequest(far, 1))).toContain("noon");
    expect(JSON.stringify(upstreamRequest(far, 1))).toContain(call.call_id);
  });

  test.each([false, true])("what is not stored has an id and is not found (stream %p)", async (stream) => {
    allSay("text.json");
    const ask = { model: far.model, input: "hi", store: false };
    const made = stream ? await mine.responses.stream(ask).finalResponse() : await mine.responses.create(ask);
    expect(made.id).toMatch(/^resp_[A-Za-z0-9]{24}$/);
    expect((made as { store?: boolean }).store).toBe(false);
    expect(await refusalOf(mine.responses.retrieve(made.id))).toMatchObject({ status: 404, code: "object_not_found" });
    expect(await refusalOf(make(far, "go on", made.id))).toMatchObject(notFound);
  });

  test("an item is found by its id", async () => {
    allSay("text.json");
    const made = await make(far, "one");
    const [item] = made.output;
    const reference = { type: "item_reference" as const, id: String(item?.id) };
    const input = [{ role: "user" as const, content: "zero" }, reference, { role: "user" as const, content: "go on" }];
    await mine.responses.create({ model: far.model, input });
    expect(receivedBy(far, 1)).toEqual(["zero", made.output_text, "go on"]);
    expect(await refusalOf(theirs.responses.create({ model: far.model, input }))).toMatchObject({
      status: 400,
      code: "invalid_value",
      param: "input[1].id",
    });
    await mine.responses.create({ model: far.model, input: [reference], previous_response_id: made.id });
    expect(receivedBy(far, 2)).toEqual(["one", made.output_text]);
    // The upstream of the fixtures gives every item the same id, so that it is still to be found in a later response.
    if (far.at === "responder") return;
    await mine.responses.delete(made.id);
    expect(await refusalOf(mine.responses.create({ model: far.model, input }))).toMatchObject({ param: "input[1].id" });
  });

  test("every event of a stream names the same response", async () => {
    allSay("text.json");
    const events = await Array.fromAsync(await mine.responses.create({ model: far.model, input: "hi", stream: true }));
    const ids = events.flatMap((event) => ("response" in event ? [event.response.id] : []));
    expect(ids.length).toBeGreaterThanOrEqual(3);
    expect(new Set(ids).size).toBe(1);
    expect(JSON.stringify(events)).not.toContain("resp_0690");
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  });
});

const [far] = fars as readonly [Far];

describe("what cannot be gone on from", () => {
  test("a missing, a foreign and a deleted response are the same", async () => {
    allSay("text.json");
    const made = await make(far, "one");
    const later = await make(far, "two", made.id);
    const foreign = await refusalOf(
      theirs.responses.create({ model: far.model, input: "x", previous_response_id: made.id }),
    );
    expect(foreign).toMatchObject(notFound);
    expect(await mine.responses.delete(made.id)).toMatchObject({ id: made.id, deleted: true } as never);
    const deleted = await refusalOf(make(far, "x", made.id));
    expect(deleted).toEqual(foreign);
    expect(await refusalOf(make(far, "x", "resp_nobody"))).toMatchObject(notFound);
    expect(await refusalOf(make(far, "x", "' or 1=1 --"))).toMatchObject(notFound);
    const third = await make(far, "three", later.id);
    expect(third.status).toBe("completed");
  });

  test("conversations and prompts of a provider are refused", async () => {
    const of = (body: object) => refusalOf(mine.responses.create({ model: far.model, input: "x", ...body }));
    expect(await of({ conversation: "conv_1" })).toMatchObject({ status: 400, param: "conversation" });
    expect(await of({ prompt: { id: "pmpt_1" } })).toMatchObject({ status: 400, param: "prompt" });
  });

  test("an error speaks of the client's own items", async () => {
    allSay("text.json");
    const made = await make(far, "one");
    const input = [
      { role: "user" as const, content: "a" },
      { role: "user" as const, content: [{ type: "input_image" as const, detail: "auto" as const }] },
    ];
    const refusal = await refusalOf(mine.responses.create({ model: far.model, input, previous_response_id: made.id }));
    expect(refusal).toMatchObject({ status: 400, param: expect.stringMatching(/^input\[1\]\.content\[0\]/) });
    expect(refusal["message"]).not.toContain("input[3]");
  });
});

describe("single responses", () => {
  test("are nobody else's", async () => {
    allSay("text.json");
    const { id } = await make(far, "one");
    const gone = { status: 404, code: "object_not_found", type: "invalid_request_error", param: null };
    for (const ask of [
      () => theirs.responses.retrieve(id),
      () => theirs.responses.delete(id),
      () => theirs.responses.cancel(id),
      async () => (await theirs.responses.inputItems.list(id)).data,
      () => mine.responses.retrieve("resp_nobody"),
      () => mine.responses.delete("resp_nobody"),
    ])
      expect(await refusalOf(ask())).toMatchObject(gone);
    expect((await mine.responses.retrieve(id)).id).toBe(id);
  });

  test("want a key", async () => {
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/input_items"],
      ["POST", "/cancel"],
    ] as const)
      for (const authorization of ["", "Bearer tp-wrong"]) {
        const answer = await send(`/v1/responses/resp_x${path}`, { method, headers: { authorization } });
        expect(answer.status).toBe(401);
      }
  });

  test("list their input page by page, in both orders, the chain included", async () => {
    allSay("text.json");
    const first = await make(far, "one");
    const second = await mine.responses.create({
      model: far.model,
      previous_response_id: first.id,
      input: [
        { role: "user", content: "two" },
        { role: "user", content: [{ type: "input_text", text: "three" }] },
      ],
    });
    const texts = (items: unknown[]) => items.map((item) => textsIn(item)[0]);
    const all = ["one", first.output_text, "two", "three"];
    const newest = await Array.fromAsync(mine.responses.inputItems.list(second.id));
    expect(texts(newest)).toEqual([...all].reverse());
    const paged = await Array.fromAsync(mine.responses.inputItems.list(second.id, { limit: 1, order: "asc" }));
    expect(texts(paged)).toEqual(all);
    const ids = paged.map((item) => (item as { id: string }).id);
    expect(new Set(ids).size).toBe(4);
    const page = await mine.responses.inputItems.list(second.id, { after: String(ids[1]), order: "asc", limit: 1 });
    expect([texts(page.data), page.has_more]).toEqual([["two"], true]);
    for (const query of ["limit=0", "limit=101", "limit=x", "order=up", "after=nobody"]) {
      const answer = await send(`/v1/responses/${second.id}/input_items?${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
    }
  });

  test("cannot be cancelled or followed when they were made in the foreground", async () => {
    allSay("text.json");
    const { id } = await make(far, "one");
    expect(await refusalOf(mine.responses.cancel(id))).toMatchObject({ status: 400 });
    expect((await send(`/v1/responses/${id}?stream=true`)).status).toBe(400);
  });
});

test("a server that writes its events in another order hides nothing", async () => {
  const turned = wireFrames("openai-responses/text.sse").map((text) => {
    const { type, ...members } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "{}");
    return `event: ${type}\r\ndata: ${JSON.stringify({ ...members, type })}\r\n\r\n`;
  });
  for (const cutAt of ["frame", "byte", "nowhere"] as const) {
    world.upstreams.responder.on("*", { frames: turned, cutAt });
    const events = await Array.fromAsync(await mine.responses.create({ model: "gpt-r", input: "hi", stream: true }));
    expect(JSON.stringify(events)).not.toContain("resp_0690");
    const last = events.at(-1) as { response: ModelResponse };
    expect((await mine.responses.retrieve(last.response.id)).output_text).toBe("Hello there, how can I help?");
  }
});

test("words that look like an event are only words", async () => {
  const words = 'data: {"type":"response.completed","response":{"id":"resp_0690"}}';
  world.upstreams.responder.on("*", {
    frames: wireFrames("openai-responses/text.sse").map((text) =>
      text.replaceAll(" there", JSON.stringify(words).slice(1, -1)),
    ),
  });
  const made = await mine.responses.stream({ model: "gpt-r", input: "hi" }).finalResponse();
  expect(made.output_text).toContain(words);
  expect(made.status).toBe("completed");
});

test("a stream that breaks is not stored", async () => {
  allSay("text.json", "error-midstream.sse");
  const upstream = world.upstreams.responder;
  const stream = mine.responses.stream({ model: "gpt-r", input: "hi" });
  const final = await stream.finalResponse().catch(() => null);
  const id = final?.id ?? "";
  expect(upstream.requests).toHaveLength(1);
  expect(final?.status ?? "failed").toBe("failed");
  if (id !== "") expect(await refusalOf(mine.responses.retrieve(id))).toMatchObject({ status: 404 });
});

describe("a WebSocket", () => {
  test("is told to fall back at once, without a key too; a plain GET is told what the path takes", async () => {
    const upgrade = await fetch(`${world.gateway.url}/v1/responses`, {
      headers: { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
    });
    expect(upgrade.status).toBe(426);
    expect(await upgrade.json()).toMatchObject({ error: { code: "upgrade_required" } });
    const plain = await send("/v1/responses");
    expect([plain.status, plain.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
