// The bounds of what is kept: the size of one video, of all together, the disk, the age; and what is not copied at all.
import { expect, test } from "bun:test";
import { bytesOf, keepers, megabyte, reel, video } from "./keeping.ts";
import { videoReply } from "./setting.ts";

const { up, keeping, fetches } = await keepers();
const gone = { status: 404, json: { error: { message: "gone" } } };
const bytes = bytesOf(200_000);

test.each([
  ["announced", {}],
  ["not announced", { framing: "chunked", headers: { "content-type": "video/mp4" } }],
] as const)("a video that is larger than the bound, %s, is left where it is", async (_name, more) => {
  const setup = await keeping({ yaml: "videos: { results: { max_video_mib: 1 } }" });
  const large = bytesOf(megabyte + 1);
  up.on(video, reel(large, more));
  const id = await setup.finish();
  expect(await setup.rowUntil(id, (row) => row?.copyAt === null)).toMatchObject({ storedAt: null, copyTries: 1 });
  expect(setup.files()).toEqual([]);
  expect((await (await setup.fetch(id)).bytes()).length).toBe(large.length);
  const exact = bytesOf(megabyte);
  up.on(video, reel(exact, more));
  expect(await setup.stored(await setup.finish())).toMatchObject({ storedBytes: megabyte });
});

test("when all is full the oldest goes, and is served by its source again", async () => {
  const setup = await keeping({ yaml: "videos: { results: { max_total_mib: 2 } }" });
  const large = bytesOf(megabyte - 1_000);
  up.on(video, reel(large));
  const ids: string[] = [];
  for (const [index] of [0, 1, 2].entries()) {
    const id = await setup.finish();
    await setup.stored(id);
    setup.set(id, "kept_at_ms", Date.now() - 10_000 + index);
    ids.push(id);
  }
  expect(setup.files()).toEqual(
    ids
      .slice(1)
      .map((id) => `${id}-0.mp4`)
      .sort(),
  );
  expect(setup.row(ids[0] ?? "")).toMatchObject({ storedAt: null, storedBytes: null, copyAt: null });
  const before = fetches();
  expect((await setup.fetch(ids[0] ?? "")).status).toBe(200);
  expect(fetches()).toBe(before + 1);
});

test("a disk that has no more room to spare keeps nothing", async () => {
  const setup = await keeping({ yaml: "videos: { results: { min_free_mib: 1000000000 } }", waitScale: 0.00001 });
  up.on(video, reel(bytes));
  const id = await setup.finish();
  await setup.rowUntil(id, (row) => row?.copyAt === null);
  expect([setup.row(id)?.storedAt, setup.files()]).toEqual([null, []]);
  expect((await setup.fetch(id)).status).toBe(200);
});

test("what has been kept long enough goes, and says so when its source has gone before", async () => {
  const setup = await keeping({ yaml: "videos: { results: { max_age_days: 2 } }" });
  up.on(video, reel(bytes));
  const [young, old] = [await setup.finish(), await setup.finish()];
  await setup.stored(young);
  await setup.stored(old);
  setup.set(young, "kept_at_ms", Date.now() - 2 * 86_400_000 + 60_000);
  setup.set(old, "kept_at_ms", Date.now() - 2 * 86_400_000);
  await setup.rowUntil(old, (row) => row?.storedAt === null);
  expect(setup.files()).toEqual([`${young}-0.mp4`]);
  up.on(video, gone);
  expect((await setup.fetch(old)).status).toBe(404);
  expect((await setup.fetch(young)).status).toBe(200);
  setup.set(young, "expires_at_ms", Date.now());
  await setup.rowUntil(young, (row) => row === null);
  expect(setup.files()).toEqual([]);
});

test.each([
  ["is told to leave it where it is", { environment: { TURNPIKE_VIDEO_RESULTS: "proxy" } }, {}],
  ["would keep it no longer than its provider", {}, { expires_at: Math.floor(Date.now() / 1000) + 8 * 86_400 }],
  ["hears of it when it has gone", {}, { expires_at: 1_700_000_000 }],
])("nothing is copied where the gateway %s", async (_name, options, result) => {
  const setup = await keeping(options);
  up.on("POST /v1/videos", { json: videoReply({ status: "completed", ...result }) });
  const { body } = await setup.ask("POST", "/v1/videos", { model: "sora-2", prompt: "x" });
  expect(setup.row(String(body["id"]))).toMatchObject({ copyAt: null, storedAt: null });
  expect(fetches()).toBe(0);
});
