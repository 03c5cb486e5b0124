// Addresses that try credentials wait longer and longer; others never do.
import { expect, test } from "bun:test";
import { createFailedAttempts } from "../../src/admin/failed-attempts.ts";
import { admin } from "./setting.ts";

function attempts() {
  let nowMs = 0;
  const failures = createFailedAttempts({ monotonicMs: () => nowMs });
  const fails = (address: string): boolean => {
    try {
      failures.begin(address).failed();
      return true;
    } catch {
      return false;
    }
  };
  return { failures, fails, wait: (ms: number) => (nowMs += ms) };
}

const times = (count: number, run: () => boolean): boolean[] => Array.from({ length: count }, run);

test("four are free, then each waits twice as long, up to a minute", () => {
  const { fails, wait } = attempts();
  expect(times(5, () => fails("192.0.2.1"))).toEqual(Array(5).fill(true));
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    wait(seconds * 1_000 - 1);
    expect(fails("192.0.2.1")).toBe(false);
    wait(1);
    expect({ seconds, fails: fails("192.0.2.1") }).toEqual({ seconds, fails: true });
  }
  expect(fails("192.0.2.2")).toBe(true);
});

test("a credential that is valid forgives, and so does a long time", () => {
  const { failures, fails, wait } = attempts();
  times(4, () => fails("192.0.2.1"));
  failures.begin("192.0.2.1").succeeded();
  expect(times(5, () => fails("192.0.2.1"))).toEqual(Array(5).fill(true));
  expect(fails("192.0.2.1")).toBe(false);
  wait(700_000);
  expect(times(5, () => fails("192.0.2.1"))).toEqual(Array(5).fill(true));
});

test("many at once are counted before they have failed", () => {
  const { failures, fails } = attempts();
  fails("192.0.2.1");
  const begun = times(100, () => {
    try {
      failures.begin("192.0.2.1");
      return true;
    } catch {
      return false;
    }
  });
  expect(begun.filter(Boolean).length).toBe(4);
});

test("an IPv6 network counts as one address", () => {
  const { fails } = attempts();
  const addresses = ["2001:db8::1", "2001:db8:0:0:1::1", "2001:db8::2:0:0:1", "2001:db8::", "2001:db8:0:0:ffff::9"];
  expect(addresses.map(fails)).toEqual([true, true, true, true, true]);
  expect(fails("2001:db8::abcd")).toBe(false);
  expect(fails("2001:db8:0:1::1")).toBe(true);
  expect(["::ffff:192.0.2.9", "192.0.2.9", "192.0.2.9", "192.0.2.9", "192.0.2.9"].map(fails)).toEqual(
    Array(5).fill(true),
  );
  expect(fails("::ffff:192.0.2.9")).toBe(false);
});

test("over a socket the sixth is 429 with Retry-After, and a valid credential waits as well", async () => {
  const { ask } = await admin();
  for (let at = 0; at < 5; at++) expect((await ask("GET audit", undefined, { key: "wrong-key" })).status).toBe(401);
  const refused = await ask("GET audit", undefined, { key: "wrong-key" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await ask("GET audit")).status).toBe(429);
});
