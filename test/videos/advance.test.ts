// What an upstream's words make of a task: forward only, never less progress, one last state, lost only when it is sure.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { videoStates } from "../../src/canonical/video.ts";
import { openaiVideos } from "../../src/dialects/video/index.ts";
import type { VideoProgress } from "../../src/dialects/video/upstream.ts";
import { errorBackoffMs, jitter, nextDelayMs } from "../../src/gateway/tasks/schedule.ts";
import type { Task } from "../../src/gateway/tasks/task.ts";
import { applyProgress } from "../../src/gateway/tasks/task-state.ts";
import { viewOf } from "../../src/gateway/tasks/task-view.ts";

const start = 1_000_000;
const plain: Task = {
  id: "task_1",
  ownerKeyId: "k",
  provider: "p",
  upstreamId: "u",
  state: "queued",
  createdAtMs: start,
  updatedAtMs: start,
  internals: {
    model: "m",
    upstream: "w",
    upstreamState: { path: "a" },
    exchangeId: "e",
    attempts: 1,
    warnings: [],
    acceptedAtMs: start,
    deadlineMs: start + 7_200_000,
    waitMs: 5_000,
    troubles: 0,
    misses: 0,
  },
  view: { model: "m", effect: { seconds: 4 }, percent: 0, results: [] },
};
const result = { place: { kind: "url", url: "https://example.com/a.mp4" } } as const;
const after = (ms: number, ...words: VideoProgress[]): Task =>
  words.reduce((task, progress) => applyProgress(task, progress, openaiVideos, start + ms), plain);

test("states go forward, and the last one stays", () => {
  expect(after(1, { state: "in_progress", percent: 40 }, { state: "queued" })).toMatchObject({
    state: "in_progress",
    view: { percent: 40 },
  });
  const done = after(1, { state: "completed", results: [result] });
  expect(done).toMatchObject({ state: "completed", view: { percent: 100, completedAtMs: start + 1 } });
  for (const state of videoStates) expect(applyProgress(done, { state }, openaiVideos, start + 2)).toBe(done);
  expect(applyProgress(done, { isGone: true }, openaiVideos, start + 60_000)).toBe(done);
});

test("no sequence of words takes anything back", () => {
  const rank = (state: string) => ["queued", "in_progress"].indexOf(state) >>> 0;
  const word = fc.record(
    {
      state: fc.constantFrom(...videoStates),
      percent: fc.integer({ min: -50, max: 200 }),
      isGone: fc.boolean(),
      unknownStatus: fc.string(),
      results: fc.constantFrom([], [result]),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      let task = plain;
      for (const [index, progress] of words.entries()) {
        const next = applyProgress(task, progress, openaiVideos, start + index * 10_000);
        expect(rank(next.state)).toBeGreaterThanOrEqual(rank(task.state));
        expect(next.view.percent).toBeGreaterThanOrEqual(task.view.percent);
        expect(next.view.percent === 100).toBe(next.state === "completed");
        expect(next.state === "completed").toBe(next.view.results.length > 0);
        expect(["failed", "cancelled", "expired"].includes(next.state)).toBe(next.view.failure !== undefined);
        task = next;
      }
    }),
  );
});

test("an unknown word, and an answer without one, change no state", () => {
  expect(after(1, { state: "in_progress", percent: 20 }, { unknownStatus: "dreaming" })).toMatchObject({
    state: "in_progress",
  });
  expect(after(1, { unknownStatus: "dreaming", percent: 50 }).state).toBe("queued");
});

test("progress that nobody tells is guessed, rises and never arrives", () => {
  const guess = (ms: number) => after(ms, { state: "in_progress" }).view.percent;
  expect([0, 60_000, 120_000, 6_000_000].map(guess)).toEqual([10, 53, 74, 95]);
  expect(after(60_000, { state: "in_progress", percent: 3 }).view.percent).toBe(3);
});

test("a finished task without a video has failed", () => {
  expect(after(1, { state: "completed", results: [] })).toMatchObject({
    state: "failed",
    view: { failure: { code: "empty_result" } },
  });
});

test("a task is lost when the upstream says so three times, and not in its first half minute", () => {
  const gone = { isGone: true };
  expect(after(29_999, gone, gone, gone, gone).state).toBe("queued");
  expect(after(30_000, gone, gone).state).toBe("queued");
  expect(after(30_000, gone, gone, gone)).toMatchObject({ state: "expired", view: { failure: { code: "task_lost" } } });
  expect(after(30_000, gone, gone, { state: "in_progress" }, gone, gone).state).toBe("in_progress");
});

test("what is to be kept is joined, bytes are not kept, and results get the life that the upstream gives them", () => {
  const done = after(
    5,
    { upstreamState: { id: 1 } },
    { state: "completed", results: [{ place: { kind: "inline", base64: "AAAA" } }] },
  );
  expect(done.internals.upstreamState).toEqual({ path: "a", id: 1 });
  expect(done.view.results).toEqual([{ place: { kind: "inline" }, expiresAtMs: start + 5 + 3_600_000 }]);
});

test("an address is told while the video lives, and the task stays completed when it does not", () => {
  const done = after(1, { state: "completed", results: [{ ...result, expiresAtMs: start + 100 }] });
  expect(viewOf(done, () => "here", start + 99)).toMatchObject({ state: "completed", urls: [result.place.url] });
  expect(viewOf(done, () => "here", start + 100)).toMatchObject({ state: "completed", urls: [] });
  const own = after(1, { state: "completed", results: [{ place: { kind: "content" } }] });
  expect(viewOf(own, () => "here", start).urls).toEqual(["here"]);
});

test("waits grow to a bound, are spread by a fifth, and respect what is asked for", () => {
  const at = (stored: object): Task => ({ ...plain, internals: { ...plain.internals, ...stored } });
  expect(nextDelayMs(at({ waitMs: 5_000 }), openaiVideos)).toBe(6_500);
  expect(nextDelayMs(at({ waitMs: 9_999 }), openaiVideos)).toBe(10_000);
  expect(nextDelayMs(at({ waitMs: 100 }), { ...openaiVideos, pace: { firstMs: 100, mostMs: 120 } })).toBe(120);
  expect([0, 1, 4, 9].map((troubles) => errorBackoffMs(at({ troubles }), undefined))).toEqual([
    5_000, 10_000, 60_000, 60_000,
  ]);
  expect(errorBackoffMs(at({ troubles: 0 }), 90_000)).toBe(90_000);
  const spread = (random: number) => jitter(1_000, { random: () => random, waitScale: 1 });
  expect([spread(0), spread(0.5), spread(1)]).toEqual([800, 1_000, 1_200]);
});
