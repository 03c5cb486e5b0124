// Results that outlive their source: copied to a folder within bounds, served whole and in part, and gone when they should be.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Task } from "../../src/gateway/tasks/task.ts";
import { checkLink, type LinkClaim, linkTo } from "../../src/gateway/tasks/task-view.ts";
import { spawnGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { bytesOf, keeper, keepers, reel, upYaml, video } from "./keeping.ts";
import { otherKey, videoReply } from "./setting.ts";

const { up, keeping, fetches } = await keepers();
const gone = { status: 404, json: { error: { message: "gone" } } };
const bytes = bytesOf(200_000);

test("a finished video is copied once, and served from then on whatever becomes of its source", async () => {
  const setup = await keeping();
  up.on(video, reel(bytes));
  const id = await setup.finish();
  expect(await setup.stored(id)).toMatchObject({ storedBytes: bytes.length, copyTries: 1 });
  expect(setup.files()).toEqual([`${id}-0.mp4`]);
  up.on(video, gone);
  const last = bytes.length - 1;
  const rows: [string | null, number, string | null, Uint8Array][] = [
    [null, 200, null, bytes],
    ["bytes=0-0", 206, `bytes 0-0/${bytes.length}`, bytes.slice(0, 1)],
    ["bytes=100000-", 206, `bytes 100000-${last}/${bytes.length}`, bytes.slice(100_000)],
    ["bytes=-7", 206, `bytes ${bytes.length - 7}-${last}/${bytes.length}`, bytes.slice(-7)],
    [`bytes=5-${bytes.length + 5}`, 206, `bytes 5-${last}/${bytes.length}`, bytes.slice(5)],
    [`bytes=${bytes.length}-`, 416, `bytes */${bytes.length}`, new Uint8Array()],
    ["bytes=0-1,4-5", 200, null, bytes],
  ];
  for (const [range, status, contentRange, expected] of rows) {
    const answer = await setup.fetch(id, range === null ? {} : { range });
    const result = { range, status: answer.status, contentRange: answer.headers.get("content-range") };
    expect(result).toEqual({ range, status, contentRange });
    expect(answer.headers.get("content-length")).toBe(String(expected.length));
    expect([answer.headers.get("content-type"), answer.headers.get("accept-ranges")]).toEqual([
      status === 416 ? null : "video/mp4",
      "bytes",
    ]);
    expect(await answer.bytes()).toEqual(expected);
  }
  expect(fetches()).toBe(1);
});

test("the address that is told opens without a key, and nothing but what it was signed for", async () => {
  const setup = await keeping();
  up.on(video, reel(bytes));
  const id = await setup.finish();
  await setup.stored(id);
  const { url } = (await setup.ask("GET", `/v1/video/generations/${id}`)).body as { url: string };
  expect(url).toStartWith(`${setup.gateway.url}/v1/videos/${id}/content?exp=`);
  const answer = await fetch(url, { headers: { range: "bytes=1-3" } });
  expect([answer.status, await answer.bytes()]).toEqual([206, bytes.slice(1, 4)]);
  const exp = Number(new URL(url).searchParams.get("exp"));
  expect(exp * 1000 - Date.now()).toBeGreaterThan(23 * 3_600_000);
  expect(exp * 1000 - Date.now()).toBeLessThanOrEqual(25 * 3_600_000);
  const another = await setup.finish();
  const sig = new URL(url).searchParams.get("sig") ?? "";
  const bad = [
    url.replace(`exp=${exp}`, `exp=${exp + 1}`),
    url.replace(sig, sig.slice(0, -1)),
    url.replace(sig, (sig.startsWith("A") ? "B" : "A") + sig.slice(1)),
    url.replace(`exp=${exp}&`, ""),
    url.replace("?", "?index=1&"),
    url.replace(id, another),
    url.replace(id, "task_doesnotexistatall00"),
  ];
  for (const each of bad) {
    const refusal = await fetch(each);
    const { error } = (await refusal.json()) as { error: { code: string } };
    expect([each, refusal.status, error.code]).toEqual([each, 403, "link_invalid"]);
  }
  expect((await fetch(`${setup.gateway.url}/v1/videos/${id}/content`)).status).toBe(401);
  const stranger = await fetch(url, { headers: { authorization: `Bearer ${otherKey}` } });
  expect(stranger.status).toBe(404);
  await setup.ask("DELETE", `/v1/videos/${id}`);
  expect((await fetch(url)).status).toBe(404);
});

test("a link works until its end, and not beyond the result that it leads to", () => {
  const signer = { linkKey: new Uint8Array(32), linkLifeMs: 2 * 3_600_000 };
  const claimOf = (expiresAtMs?: number): LinkClaim => {
    const results = [{ place: { kind: "content" }, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) }];
    const { searchParams } = new URL(
      linkTo(signer, "http://x", { id: "task_1", view: { results } } as unknown as Task, 0, 1_000),
    );
    return { id: "task_1", index: 0, endsAt: searchParams.get("exp"), signature: searchParams.get("sig") };
  };
  const cases: [number | undefined, number][] = [
    [undefined, 3 * 3_600],
    [5_500, 6],
    [9e9, 3 * 3_600],
  ];
  for (const [expiresAtMs, end] of cases) {
    const claim = claimOf(expiresAtMs);
    expect(claim.endsAt).toBe(String(end));
    expect(() => checkLink(signer, claim, end * 1_000 - 1)).not.toThrow();
    expect(() => checkLink(signer, claim, end * 1_000)).toThrow(/expired/);
  }
});

test("the public address of the gateway is the one that links begin with", async () => {
  const setup = await keeping({ environment: { TURNPIKE_PUBLIC_URL: "https://videos.example/gw/" } });
  up.on(video, reel(bytes));
  const id = await setup.finish();
  const { url } = (await setup.ask("GET", `/v1/video/generations/${id}`)).body as { url: string };
  expect(url).toStartWith(`https://videos.example/gw/v1/videos/${id}/content?exp=`);
});

test("a deleted video leaves nothing behind, and nobody else could take it away or see it", async () => {
  const setup = await keeping();
  up.on(video, reel(bytes));
  const id = await setup.finish();
  await setup.stored(id);
  expect((await setup.fetch(id, {}, "", otherKey)).status).toBe(404);
  expect((await setup.ask("DELETE", `/v1/videos/${id}`, undefined, otherKey)).status).toBe(404);
  expect(setup.files()).toHaveLength(1);
  expect((await setup.ask("DELETE", `/v1/videos/${id}`)).body).toMatchObject({ deleted: true });
  expect(setup.files()).toEqual([]);
  expect((await setup.fetch(id)).status).toBe(404);
  await setup.rowUntil(id, (row) => row === null);
});

test("a video that is deleted while it is copied is not kept", async () => {
  const setup = await keeping();
  const gate = Promise.withResolvers<void>();
  up.on(video, reel(bytes, { gate: gate.promise }));
  const id = await setup.finish();
  await up.seen(1);
  expect((await setup.ask("DELETE", `/v1/videos/${id}`)).status).toBe(200);
  await setup.rowUntil(id, (row) => row === null);
  gate.resolve();
  await up.requests[1]?.finished;
  await until("the copy is deleted", () => setup.files().length === 0);
});

test("a copy that fails is tried again, and the source serves meanwhile", async () => {
  const setup = await keeping();
  const whole = Promise.withResolvers<void>();
  up.on(
    video,
    { status: 500, json: { error: { message: "boom" } } },
    reel(bytes.slice(10), { ending: "cut", headers: { "content-length": String(bytes.length) } }),
    reel(bytes, { gate: whole.promise }),
  );
  const id = await setup.finish();
  await up.seen(3);
  expect(setup.row(id)).toMatchObject({ storedAt: null, copyTries: 2 });
  up.on(video, reel(bytes));
  expect(await (await setup.fetch(id)).bytes()).toEqual(bytes);
  whole.resolve();
  expect(await setup.stored(id)).toMatchObject({ copyTries: 3 });
  expect(setup.files()).toEqual([`${id}-0.mp4`]);
  expect(setup.gateway.log.filter((line) => line.includes("job_failed"))).toHaveLength(2);
});

test("after five tries nobody tries again", async () => {
  const setup = await keeping({ waitScale: 0.00001 });
  up.on(video, gone);
  const id = await setup.finish();
  await setup.rowUntil(id, (row) => row?.copyAt === null);
  expect([setup.row(id)?.copyTries, fetches()]).toEqual([5, 5]);
});

test("of several videos each is kept, and asked for by its number", async () => {
  const setup = await keeping();
  const [one, two] = [bytesOf(1_000, 3), bytesOf(2_000, 5)];
  up.on("GET /a.mp4", reel(one));
  up.on("GET /b.mp4", { status: 503, text: "busy" }, reel(two));
  up.on("POST /v1/text_to_video", { json: { id: "r1" } });
  const output = [`${up.url}/a.mp4`, `${up.url}/b.mp4`];
  up.on("GET /v1/tasks/r1", { json: { id: "r1", status: "SUCCEEDED", output } });
  const { body } = await setup.ask("POST", "/v1/video/generations", { model: "gen4.5", prompt: "x" });
  const id = String(body["task_id"]);
  expect(await setup.stored(id)).toMatchObject({ storedBytes: 3_000, copyTries: 2 });
  expect(setup.files()).toEqual([`${id}-0.mp4`, `${id}-1.mp4`]);
  up.on("*", gone);
  expect(await (await setup.fetch(id)).bytes()).toEqual(one);
  expect(await (await setup.fetch(id, { range: "bytes=-2" }, "?index=1")).bytes()).toEqual(two.slice(-2));
  expect((await setup.fetch(id, {}, "?index=2")).status).toBe(404);
  expect((await setup.fetch(id, {}, "?index=x")).status).toBe(400);
  const result = (await setup.ask("GET", `/v1/video/generations/${id}`)).body as { metadata: { urls: string[] } };
  const films = await Promise.all(result.metadata.urls.map(async (url) => (await fetch(url)).bytes()));
  expect(films).toEqual([one, two]);
});

test("a file that was damaged or lost is not served: the source is", async () => {
  const setup = await keeping();
  up.on(video, reel(bytes));
  const id = await setup.finish();
  await setup.stored(id);
  truncateSync(join(setup.gateway.dataFolder, "videos", `${id}-0.mp4`), 100);
  expect(await (await setup.fetch(id)).bytes()).toEqual(bytes);
});

test("a copy that was under way when the process was killed is made by the next one", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-results-"));
  const environment = { TURNPIKE_VIDEO_RESULTS: undefined, TURNPIKE_FETCH_ALLOW: new URL(up.url).host };
  up.on("POST /v1/videos", { json: videoReply({ status: "completed" }) });
  up.on(video, reel(bytes, { gate: new Promise(() => undefined) }), reel(bytes));
  const dying = await spawnGateway({ dataFolder, yaml: upYaml(up), environment });
  const made = await fetch(`${dying.url}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${dying.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sora-2", prompt: "x" }),
  });
  const { id } = (await made.json()) as { id: string };
  await up.seen(1);
  await dying.kill("SIGKILL");
  const setup = await keeping({ dataFolder });
  await setup.stored(id);
  up.on(video, gone);
  expect(await (await setup.fetch(id)).bytes()).toEqual(bytes);
  await dying.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

test("a copy that was under way when the gateway was stopped is made after the next start", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-results-"));
  const first = await keeper(up, { dataFolder });
  up.on(video, reel(bytes, { gate: new Promise(() => undefined) }), reel(bytes));
  const id = await first.finish();
  await up.seen(1);
  await first.stop();
  expect(up.requests).toHaveLength(2);
  const setup = await keeping({ dataFolder });
  expect(await setup.stored(id)).toMatchObject({ copyTries: 1 });
  expect(setup.files()).toEqual([`${id}-0.mp4`]);
  rmSync(dataFolder, { recursive: true, force: true });
});
