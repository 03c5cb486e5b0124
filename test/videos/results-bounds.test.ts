// The bounds of what is kept: the size of one video, of all together, the disk, the age; and what is not copied at all.
import { expect, test } from "bun:test";
import { bytesOf, film, keepers, megabyte, reel } from "./keeping.ts";
import { videoTold } from "./setting.ts";

const { up, keeping, fetches } = await keepers();
const gone = { status: 404, json: { error: { message: "gone" } } };
const bytes = bytesOf(200_000);

test.each([
  ["announced", {}],
  ["not announced", { framing: "chunked", headers: { "content-type": "video/mp4" } }],
] as const)("a video that is larger than the bound, %s, is left where it is", async (_name, more) => {
  const house = await keeping({ yaml: "videos: { results: { max_video_mib: 1 } }" });
  const large = bytesOf(megabyte + 1);
  up.on(film, reel(large, more));
  const id = await house.finish();
  expect(await house.rowUntil(id, (row) => row?.copyAt === null)).toMatchObject({ keptAt: null, copyTries: 1 });
  expect(house.files()).toEqual([]);
  expect((await (await house.fetch(id)).bytes()).length).toBe(large.length);
  const exact = bytesOf(megabyte);
  up.on(film, reel(exact, more));
  expect(await house.kept(await house.finish())).toMatchObject({ keptBytes: megabyte });
});

test("when all is full the oldest goes, and is served by its source again", async () => {
  const house = await keeping({ yaml: "videos: { results: { max_total_mib: 2 } }" });
  const large = bytesOf(megabyte - 1_000);
  up.on(film, reel(large));
  const ids: string[] = [];
  for (const [index] of [0, 1, 2].entries()) {
    const id = await house.finish();
    await house.kept(id);
    house.set(id, "kept_at_ms", Date.now() - 10_000 + index);
    ids.push(id);
  }
  expect(house.files()).toEqual(
    ids
      .slice(1)
      .map((id) => `${id}-0.mp4`)
      .sort(),
  );
  expect(house.row(ids[0] ?? "")).toMatchObject({ keptAt: null, keptBytes: null, copyAt: null });
  const before = fetches();
  expect((await house.fetch(ids[0] ?? "")).status).toBe(200);
  expect(fetches()).toBe(before + 1);
});

test("a disk that has no more room to spare keeps nothing", async () => {
  const house = await keeping({ yaml: "videos: { results: { min_free_mib: 1000000000 } }", waitScale: 0.00001 });
  up.on(film, reel(bytes));
  const id = await house.finish();
  await house.rowUntil(id, (row) => row?.copyAt === null);
  expect([house.row(id)?.keptAt, house.files()]).toEqual([null, []]);
  expect((await house.fetch(id)).status).toBe(200);
});

test("what has been kept long enough goes, and says so when its source has gone before", async () => {
  const house = await keeping({ yaml: "videos: { results: { max_age_days: 2 } }" });
  up.on(film, reel(bytes));
  const [young, old] = [await house.finish(), await house.finish()];
  await house.kept(young);
  await house.kept(old);
  house.set(young, "kept_at_ms", Date.now() - 2 * 86_400_000 + 60_000);
  house.set(old, "kept_at_ms", Date.now() - 2 * 86_400_000);
  await house.rowUntil(old, (row) => row?.keptAt === null);
  expect(house.files()).toEqual([`${young}-0.mp4`]);
  up.on(film, gone);
  expect((await house.fetch(old)).status).toBe(404);
  expect((await house.fetch(young)).status).toBe(200);
  house.set(young, "expires_at_ms", Date.now());
  await house.rowUntil(young, (row) => row === null);
  expect(house.files()).toEqual([]);
});

test.each([
  ["is told to leave it where it is", { environment: { TURNPIKE_VIDEO_RESULTS: "proxy" } }, {}],
  ["would keep it no longer than its provider", {}, { expires_at: Math.floor(Date.now() / 1000) + 8 * 86_400 }],
  ["hears of it when it has gone", {}, { expires_at: 1_700_000_000 }],
])("nothing is copied where the gateway %s", async (_name, options, told) => {
  const house = await keeping(options);
  up.on("POST /v1/videos", { json: videoTold({ status: "completed", ...told }) });
  const { body } = await house.ask("POST", "/v1/videos", { model: "sora-2", prompt: "x" });
  expect(house.row(String(body["id"]))).toMatchObject({ copyAt: null, keptAt: null });
  expect(fetches()).toBe(0);
});
