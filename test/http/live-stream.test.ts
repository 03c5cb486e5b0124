// The event stream of requests, for clients that do not read it: it ends all the same, and its place is free again.
import { expect, test } from "bun:test";
import { streamOf } from "../../src/http/live-endpoints.ts";

const change = { id: "a.1", data: {}, isEmpty: false } as never;

function stream(cutAfterMs: number) {
  let isOver = false;
  const ended = Promise.withResolvers<void>();
  const made = streamOf({
    parts: { isEnding: () => Promise.resolve(false) },
    next: () => Promise.resolve(change),
    onEnd: () => {
      isOver = true;
      ended.resolve();
    },
    isOver: () => isOver,
    isAllowed: () => Promise.resolve(true),
    cutAfterMs,
  });
  return { made, ended: ended.promise, isOver: () => isOver };
}

test("one that is never read is cut off", async () => {
  const { made, ended } = stream(20);
  await ended;
  await expect(made.getReader().read()).rejects.toThrow("does not read");
});

test("one that is read is not cut off before its time, and ends when its client leaves", async () => {
  const { made, isOver } = stream(60_000);
  const reader = made.getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("id: a.1\nevent: requests\ndata: {}\n\n");
  expect(isOver()).toBe(false);
  await reader.cancel();
  expect(isOver()).toBe(true);
});
