// Time: one bound for everything, and whoever gives up is let go at once.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { safeOpen } from "../../src/providers/safe-fetch/index.ts";
import { type Reply, type Upstream, upstream } from "../support/upstream.ts";
import { faultOf, fetchWith, options, scriptedDns, to } from "./safe-fetch-support.ts";

let store: Upstream;
beforeAll(async () => {
  store = await upstream();
});
afterEach(() => store.clear());
afterAll(async () => {
  await store.stop();
});

const allow = () => [new URL(store.url).host];
const go = (own: object = {}) => fetchWith(`${store.url}/start`, { allow: allow(), ...own });
const openIt = (own: object = {}) => safeOpen(`${store.url}/start`, options({ allow: allow(), ...own }));
const faulty = (own: object = {}) => faultOf(go(own));

/** A timer that rings when it is told to. */
function bell() {
  let call: () => void = () => undefined;
  let isSet = false;
  const setTimer = (ring: () => void) => {
    call = ring;
    isSet = true;
    return () => {
      isSet = false;
    };
  };
  return { setTimer, ring: () => call(), isSet: () => isSet };
}

test.each<[string, Reply]>([
  ["before the head", { text: "", head: "", ending: "hang" }],
  ["within the head", { text: "", head: "HTTP/1.1 200 OK\r\nContent-", ending: "hang" }],
  ["within the body", { bytes: [new Uint8Array(3)], ending: "hang" }],
])("silence %s ends when the time is up, and the connection with it", async (_, reply) => {
  store.next(reply);
  const { setTimer, ring, isSet } = bell();
  const work = faulty({ setTimer, timeoutMs: 5_000 });
  const seen = await store.seen(0);
  ring();
  expect(await work).toMatchObject({ status: 400, message: "The URL could not be fetched within 5000 ms." });
  await seen.aborted;
  expect(isSet()).toBe(false);
});

test("a body that nobody reads ends too", async () => {
  store.next({ bytes: [new Uint8Array(3)], ending: "hang" });
  const { setTimer, ring } = bell();
  const { body } = await openIt({ setTimer });
  ring();
  await (await store.seen(0)).aborted;
  expect((await faultOf(new Response(body).bytes())).message).toMatch(/within 2000 ms/);
});

test("redirects share one time", async () => {
  store.next(to("/next"), { text: "", head: "", ending: "hang" });
  let timers = 0;
  const { setTimer, ring } = bell();
  const counted = (call: () => void) => {
    timers++;
    return setTimer(call);
  };
  const work = faulty({ setTimer: counted });
  await store.seen(1);
  ring();
  expect((await work).message).toMatch(/within 2000 ms/);
  expect(timers).toBe(1);
});

test.each<[string, Reply]>([
  ["before the head", { text: "", head: "", ending: "hang" }],
  ["within the body", { bytes: [new Uint8Array(3)], ending: "hang" }],
])("who gives up %s gets the own reason back, and the connection closes", async (_, reply) => {
  store.next(reply);
  const controller = new AbortController();
  const work = go({ signal: controller.signal }).catch((thrown: unknown) => thrown);
  const seen = await store.seen(0);
  const reason = new Error("the client left");
  controller.abort(reason);
  expect(await work).toBe(reason);
  await seen.aborted;
});

test("ten seconds where no bound is given", async () => {
  store.next({ text: "x" });
  const requested: number[] = [];
  const setTimer = (_: () => void, afterMs: number) => {
    requested.push(afterMs);
    return () => undefined;
  };
  await go({ setTimer, timeoutMs: undefined });
  expect(requested).toEqual([10_000]);
});

test("who has given up before asks nobody", async () => {
  const reason = new Error("the client left");
  const dns = scriptedDns({ "store.test": [["127.0.0.1"]] });
  const own = { dns, signal: AbortSignal.abort(reason) };
  expect(await fetchWith("http://store.test/", own).catch((error: unknown) => error)).toBe(reason);
  expect(dns.requested).toEqual([]);
});

test("a body that is cancelled closes its connection and forgets its time", async () => {
  store.next({ bytes: [new Uint8Array(3)], ending: "hang" });
  const { setTimer, isSet } = bell();
  const { body } = await openIt({ setTimer });
  await body.cancel();
  await (await store.seen(0)).aborted;
  expect(isSet()).toBe(false);
});
