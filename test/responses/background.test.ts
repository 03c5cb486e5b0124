// Background runs: answered at once, polled, followed, left, resumed, cancelled, deleted, and ended by a death of the process.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type OpenAI from "openai";
import type { Response as ModelResponse } from "openai/resources/responses/responses";
import { openaiClient } from "../support/clients.ts";
import { says } from "../support/fixtures.ts";
import { type ChildGateway, spawnGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { fars, refusalOf, setting } from "./setting.ts";

const { mine, theirs, send, allSay, world } = await setting();
const { upstreams, gateway } = world;

/** Asks again until the response is over. */
function over(client: OpenAI, id: string): Promise<ModelResponse> {
  return until("the response is over", async () => {
    const result = await client.responses.retrieve(id);
    return result.status !== "queued" && result.status !== "in_progress" && result;
  });
}

const start = (model: string, more: object = {}) =>
  mine.responses.create({ model, input: "hi", background: true, ...more }) as Promise<ModelResponse>;

describe.each(fars)("an upstream at $at", ({ model, at, folder }) => {
  test("is answered at once, and the reply is there in the end", async () => {
    const gate = Promise.withResolvers<void>();
    upstreams[at].on("*", says(`${folder}/text.sse`, { gate: gate.promise, gateAfter: 2 }));
    const rows = ledgerRows(gateway.dataFolder).length;
    const queued = await start(model);
    expect(queued).toMatchObject({ status: "queued", background: true, store: true, output: [] });
    await upstreams[at].seen(0);
    expect((await mine.responses.retrieve(queued.id)).status).toBe("in_progress");
    expect(
      await refusalOf(mine.responses.create({ model, input: "x", previous_response_id: queued.id })),
    ).toMatchObject({ status: 400, param: "previous_response_id", code: "previous_response_not_finished" });
    gate.resolve();
    const done = await over(mine, queued.id);
    expect({ ...done }).toMatchObject({ id: queued.id, status: "completed", background: true, store: true });
    expect(done.output_text).toStartWith("Hello there");
    expect(JSON.stringify(upstreams[at].requests[0]?.json)).not.toContain("background");
    expect(ledgerRows(gateway.dataFolder).slice(rows)).toMatchObject([
      { state: "completed", model, operation: "chat" },
    ]);
    allSay("text.json");
    expect((await mine.responses.create({ model, input: "x", previous_response_id: queued.id })).status).toBe(
      "completed",
    );
  });

  test("a stream of it is the same, outlives its reader, and is resumed by number", async () => {
    const gate = Promise.withResolvers<void>();
    upstreams[at].on("*", says(`${folder}/text.sse`, { gate: gate.promise, gateAfter: 4 }));
    const stream = await mine.responses.create({ model, input: "hi", background: true, stream: true });
    let id = "";
    let last = -1;
    for await (const event of stream) {
      if ("response" in event) id = event.response.id;
      last = event.sequence_number;
      if (last === 2) break;
    }
    const resumed = Array.fromAsync(await mine.responses.retrieve(id, { stream: true, starting_after: last }));
    gate.resolve();
    const rest = await resumed;
    expect(rest.map(({ sequence_number }) => sequence_number)).toEqual(rest.map((_, index) => index + 3));
    expect(rest.at(-1)).toMatchObject({ type: "response.completed" });
    expect((await over(mine, id)).status).toBe("completed");
    const all = await Array.fromAsync(await mine.responses.retrieve(id, { stream: true }));
    expect(all.slice(3)).toEqual(rest);
    expect(all.map(({ type }) => type).slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    const final = await mine.responses.stream({ response_id: id, starting_after: -1 } as never).finalResponse();
    expect(final.output_text).toStartWith("Hello there");
  });

  test("a stream of it begins before its upstream says anything, and can be cancelled then", async () => {
    upstreams[at].on("*", says(`${folder}/text.sse`, { gate: new Promise(() => undefined), gateAfter: 0 }));
    const stream = await mine.responses.create({ model, input: "hi", background: true, stream: true });
    const events: string[] = [];
    for await (const event of stream) {
      events.push(event.type);
      if (event.type !== "response.created") continue;
      expect(event).toMatchObject({ sequence_number: 0, response: { status: "queued", background: true, output: [] } });
      expect((await mine.responses.cancel(event.response.id)).status).toBe("cancelled");
    }
    expect(events).toEqual(["response.created"]);
  });

  test("a run that fails at once is told as one that began", async () => {
    upstreams[at].on("*", { status: 500, json: { error: { message: "no", type: "api_error" } } });
    const stream = await mine.responses.create({ model, input: "hi", background: true, stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type, sequence_number }) => [sequence_number, type])).toEqual([
      [0, "response.created"],
      [1, "response.failed"],
    ]);
  });

  test("cancelling aborts the upstream", async () => {
    upstreams[at].on("*", says(`${folder}/text.sse`, { gate: new Promise(() => undefined), gateAfter: 2 }));
    const queued = await start(model);
    const seen = await upstreams[at].seen(0);
    expect(await refusalOf(theirs.responses.cancel(queued.id))).toMatchObject({ status: 404 });
    const following = Array.fromAsync(await mine.responses.retrieve(queued.id, { stream: true }));
    const cancelled = await mine.responses.cancel(queued.id);
    expect(cancelled).toMatchObject({ id: queued.id, status: "cancelled" } as never);
    await seen.aborted;
    expect((await following).every(({ type }) => type !== "response.completed")).toBe(true);
    expect((await mine.responses.retrieve(queued.id)).status).toBe("cancelled");
    expect((await mine.responses.cancel(queued.id)).status).toBe("cancelled");
  });

  test("deleting ends it too", async () => {
    upstreams[at].on("*", says(`${folder}/text.sse`, { gate: new Promise(() => undefined), gateAfter: 2 }));
    const queued = await start(model);
    const seen = await upstreams[at].seen(0);
    await mine.responses.delete(queued.id);
    await seen.aborted;
    expect(await refusalOf(mine.responses.retrieve(queued.id))).toMatchObject({ status: 404 });
  });
});

test("a run that fails is a failed response, before and after its first byte", async () => {
  upstreams.alpha.on("*", says("openai-chat/error-400.json"));
  const before = await over(mine, (await start("gpt-x")).id);
  expect(before).toMatchObject({ status: "failed", background: true } as never);
  expect(before.error?.message).toMatch(/\S/);
  expect(before.created_at).toBeGreaterThan(1_700_000_000);
  upstreams.alpha.on("*", says("openai-chat/text.sse", { ending: "reset", frames: [] }));
  const after = await over(mine, (await start("gpt-x")).id);
  expect([after.status, after.error?.code]).toEqual(["failed", "server_error"] as never);
  const [event] = (await Array.fromAsync(await mine.responses.retrieve(after.id, { stream: true }))).slice(-1);
  expect(event?.type).toBe("response.failed");
});

test("what cannot run in the background is refused at once", async () => {
  expect(await refusalOf(start("gpt-x", { store: false }))).toMatchObject({ status: 400, param: "background" });
  expect(await refusalOf(start("nobody-has-this"))).toMatchObject({ status: 404, code: "model_not_found" });
  const input = [{ type: "compaction_trigger" }];
  expect(await refusalOf(start("gpt-x", { input }))).toMatchObject({ status: 400, param: "background" });
  const answer = await send("/v1/responses/resp_x?stream=true");
  expect(answer.status).toBe(404);
});

test("a number that is none is refused", async () => {
  allSay("text.json");
  const { id } = await start("gpt-x");
  await over(mine, id);
  expect((await send(`/v1/responses/${id}?stream=true&starting_after=x`)).status).toBe(400);
  const headers = { "last-event-id": "-3" };
  expect(await refusalOf(mine.get(`/responses/${id}?stream=true`, { headers }))).toMatchObject({
    status: 400,
    param: "Last-Event-ID",
  });
});

test("an event source resumes by the id of the last event that it has", async () => {
  allSay("text.sse");
  const { id } = await start("gpt-x", { stream: false });
  await over(mine, id);
  const read = async (headers: Record<string, string>): Promise<string> => {
    const response = await mine.get<Response>(`/responses/${id}?stream=true`, { headers, __binaryResponse: true });
    return response.text();
  };
  const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
  const whole = await read({});
  const events = whole.split("\n\n").filter(Boolean);
  expect(idsOf(whole)).toEqual(events.map((_, index) => index));
  const rest = await read({ "last-event-id": "2" });
  expect(rest).toBe(
    events
      .slice(3)
      .map((event) => `${event}\n\n`)
      .join(""),
  );
});

test("a death of the process leaves no response in progress", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-background-"));
  const children = [await spawnGateway({ dataFolder })];
  const [first] = children as [ChildGateway];
  try {
    const client = openaiClient(first.url, first.key);
    const ask = (content: string, more: object = {}) =>
      client.responses.create({ model: "sandbox/chat", input: content, ...more }) as Promise<ModelResponse>;
    const done = await ask("hello");
    const slow = await ask("[sandbox pace=500] one two three four five six", { background: true });
    for (let status = ""; status !== "in_progress"; )
      status = String((await client.responses.retrieve(slow.id)).status);
    // Its row is there as soon as it is answered.
    await ask("[sandbox pace=500] one two three four five six", { background: true });
    await first.kill("SIGKILL");
    const second = await spawnGateway({ dataFolder });
    children.push(second);
    const again = openaiClient(second.url, second.key);
    const result = await again.responses.retrieve(slow.id);
    expect([result.status, result.error?.code]).toEqual(["failed", "server_error"] as never);
    const events = await Array.fromAsync(await again.responses.retrieve(slow.id, { stream: true, starting_after: 5 }));
    expect(events).toMatchObject([{ type: "response.failed", sequence_number: 6 }]);
    expect((await again.responses.retrieve(done.id)).status).toBe("completed");
    expect(ledgerRows(dataFolder).map(({ state }) => state)).toEqual(["completed", "interrupted", "interrupted"]);
  } finally {
    for (const child of children) await child.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
});
