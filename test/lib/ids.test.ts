// Identifiers grow with time, also when the clock does not, and random ones are fair.
import { expect, test } from "bun:test";
import { randomId, recordIds } from "../../src/lib/ids.ts";

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("record ids are version 7, carry the time, and grow while the clock stands still or steps back", () => {
  const times = [1_760_000_000_000, 1_760_000_000_000, 1_759_999_999_000, 1_760_000_000_001];
  let calls = 0;
  const next = recordIds({ nowMs: () => times[Math.floor(calls++ / 500)] ?? 0 });
  const ids = Array.from({ length: 2_000 }, next);
  expect(ids.every((id) => uuid7.test(id))).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Number.parseInt(ids[0]?.replace("-", "").slice(0, 12) ?? "", 16)).toBe(1_760_000_000_000);
});

test("where the numbers of a millisecond wrap, the next one is borrowed", () => {
  const tails = ["7fff", "7000", "7001"];
  const next = recordIds(
    { nowMs: () => 5 },
    (ms) => `00000000-${ms.toString(16).padStart(4, "0")}-${tails.shift() ?? "7fff"}`,
  );
  expect([next(), next()]).toEqual(["00000000-0005-7fff", "00000000-0006-7001"]);
});

test("a random id has its prefix, its length, and every letter about equally often", () => {
  const text = Array.from({ length: 500 }, () => randomId("tp-", 124)).map((id) => {
    expect(id).toMatch(/^tp-[0-9A-Za-z]{124}$/);
    return id.slice(3);
  });
  const counts = new Map<string, number>();
  for (const letter of text.join("")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  expect(Math.min(...counts.values())).toBeGreaterThan(800);
  expect(Math.max(...counts.values())).toBeLessThan(1_200);
});

test("bytes that would favour some letters are thrown again", () => {
  const throws = [255, 0];
  const id = randomId("", 4, (bytes) => bytes.fill(throws.shift() ?? 0));
  expect(id).toBe("0000");
  expect(throws).toEqual([]);
});
