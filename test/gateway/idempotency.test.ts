// Idempotency between instances of one store, after a death, and over its bounds.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallReply, openCallReplies } from "../../src/gateway/policy/call-replies.ts";
import { createIdempotency } from "../../src/gateway/policy/idempotency.ts";
import { findCall } from "../../src/store/idempotent-calls.ts";
import { openStore } from "../../src/store/store.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
const store = await openStore({ dataFolder: folder });
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

let nowMs = 1_000_000;
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
const limits = {
  idempotencyMs: 60_000,
  idempotencyReplyBytes: 1_000,
  idempotencyTotalBytes: 16_000,
  maxIdempotencyWaiters: 2,
};
let ids = 0;
async function instance(name: string, secret = 1) {
  const replies = await openCallReplies({
    ...{ store, clock, limits, instance: name, sealKey: new Uint8Array(32).fill(secret) },
    nextId: () => `id-${++ids}`,
    failed: () => undefined,
  });
  return { ...createIdempotency(replies, limits), close: replies.close };
}

const never = new AbortController().signal;
const call = (key: string, hash = "same") => ({ keyId: "k", key, hash, signal: never });
const reply = (text: string): CallReply => ({ status: 200, headers: {}, body: Buffer.from(text), exchangeId: "x" });
const says = (text: string) => async () => ({ reply: reply(text), isStored: true });
const textOf = (outcome: object) => ("reply" in outcome ? String(Buffer.from((outcome.reply as CallReply).body)) : "");

test("a run of another instance is 409, until that instance has died for long enough", async () => {
  const [a, b] = [await instance("a"), await instance("b")];
  const running = Promise.withResolvers<{ reply: CallReply; isStored: boolean }>();
  const begun = Promise.withResolvers<void>();
  const first = a.run(call("one"), () => {
    begun.resolve();
    return running.promise;
  });
  await begun.promise;
  const elsewhere = b.run(call("one"), says("b"));
  expect(elsewhere).rejects.toMatchObject({ kind: "idempotency_in_progress", status: 409, retryAfterMs: 1_000 });
  await elsewhere.catch(() => undefined);
  expect(b.run(call("one", "other"), says("b"))).rejects.toMatchObject({ kind: "idempotency_conflict" });
  nowMs += 30_001;
  expect(textOf(await b.run(call("one"), says("b")))).toBe("b");
  // The one that was taken for dead gives its own caller its reply, and changes nothing else.
  running.resolve(await says("a")());
  expect(textOf(await first)).toBe("a");
  expect(await a.run(call("one"), says("c"))).toMatchObject({ isReplayed: true, reply: reply("b") });
  a.close();
  b.close();
});

test("what an instance left running is free when it starts again, and a reply expires", async () => {
  const a = await instance("a");
  void a.run(call("two"), () => new Promise(() => undefined));
  const before = await instance("c");
  expect(before.run(call("two"), says("c"))).rejects.toMatchObject({ kind: "idempotency_in_progress" });
  await before.run(call("two"), says("c")).catch(() => undefined);
  const again = await instance("a");
  expect(textOf(await again.run(call("two"), says("again")))).toBe("again");
  nowMs += limits.idempotencyMs;
  expect(await again.run(call("two", "another"), says("later"))).toMatchObject({ isReplayed: false });
  for (const each of [a, before, again]) each.close();
});

test("more callers than may wait are refused, and a reply under another secret is not an answer", async () => {
  const a = await instance("a");
  const go = Promise.withResolvers<{ reply: CallReply; isStored: boolean }>();
  const all = [a.run(call("three"), () => go.promise), a.run(call("three"), says("")), a.run(call("three"), says(""))];
  expect(a.run(call("three"), says(""))).rejects.toMatchObject({ kind: "idempotency_in_progress" });
  go.resolve(await says("first")());
  expect((await Promise.all(all)).map(textOf)).toEqual(["first", "first", "first"]);
  const rotated = await instance("d", 2);
  expect(await rotated.run(call("three"), says("new"))).toMatchObject({ isReplayed: false });
  a.close();
  rotated.close();
});

test("beyond the bound on disk the oldest replies go", async () => {
  const a = await instance("e");
  const text = "x".repeat(900);
  for (let at = 0; at < 40; at++) {
    nowMs++;
    await a.run(call(`many-${at}`), says(text));
  }
  const sum = async () => {
    const [row] = await store.query("select cast(sum(bytes) as bigint) as total from idempotent_calls");
    return Number(Object(row).total);
  };
  expect(await sum()).toBeLessThanOrEqual(limits.idempotencyTotalBytes + limits.idempotencyTotalBytes / 8);
  expect(await a.run(call("many-39"), says("again"))).toMatchObject({ isReplayed: true });
  expect(await a.run(call("many-0"), says("again"))).toMatchObject({ isReplayed: false });
  expect(await findCall(store, "unknown", nowMs)).toBeUndefined();
  a.close();
});
