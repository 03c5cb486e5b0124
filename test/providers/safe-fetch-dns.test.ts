// DNS: every answer counts, the connection goes to the one that was checked, and a second look never happens.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { readAllowed } from "../../src/providers/safe-fetch/allowlist.ts";
import { createResolver, resolvePinned } from "../../src/providers/safe-fetch/resolver.ts";
import { parseUrl } from "../../src/providers/safe-fetch/url-policy.ts";
import { closedAddress, type Upstream, upstream } from "../support/upstream.ts";
import { faultOf, fetchWith, nowhere, scriptedDns, textOf, trap } from "./safe-fetch-support.ts";

let store: Upstream;
const inner = trap();
beforeAll(async () => {
  store = await upstream();
});
afterEach(() => store.clear());
afterAll(async () => {
  inner.stop();
  await store.stop();
});

const port = () => Number(new URL(store.url).port);

const spoiled: string[][] = [
  [],
  ["127.0.0.1"],
  ["93.184.216.34", "127.0.0.1"],
  ["127.0.0.1", "93.184.216.34"],
  ["93.184.216.34", "2606:4700::1111", "10.0.0.1"],
  ["2606:4700::1111", "::1"],
  ["93.184.216.34", "::ffff:127.0.0.1"],
  ["93.184.216.34", "64:ff9b::7f00:1"],
  ["93.184.216.34", "fe80::1%lo"],
  ["2606:4700::1111%1"],
  ["93.184.216.34", "169.254.169.254"],
  ["93.184.216.34", "0.0.0.0"],
  ["93.184.216.34", ""],
  ["93.184.216.34", "another-name.test"],
  ["0x7f.1"],
  ["100.64.0.1"],
];

test.each(spoiled.map((answer) => ({ answer })))("the answer $answer spoils the name", async ({ answer }) => {
  const dns = scriptedDns({ "store.test": [answer] });
  const fault = await faultOf(fetchWith("http://store.test/", { dns }));
  expect(fault).toMatchObject({ status: 400, message: nowhere });
  expect(dns.requested).toEqual(["store.test"]);
});

test("a name is looked up once, and the connection goes where it was found: no resolver knows this name", async () => {
  store.next({ text: "picture" });
  const dns = scriptedDns({ "store.test": [["127.0.0.1"], ["10.0.0.1"]] });
  const allow = [`127.0.0.1:${port()}`];
  expect(await textOf(fetchWith(`http://store.test:${port()}/a?b=c#d`, { dns, allow }))).toBe("picture");
  expect(dns.requested).toEqual(["store.test"]);
  const [seen] = store.requests;
  expect(seen?.headers.get("host")).toBe(`store.test:${port()}`);
  expect([seen?.method, seen?.path, seen?.query.get("b")]).toEqual(["GET", "/a", "c"]);
});

test("a name that the machine knows too is not looked up there", async () => {
  const elsewhere = "203.0.113.9";
  const dns = scriptedDns({ localhost: [[elsewhere]] });
  const allow = [`${elsewhere}:${inner.port}`];
  const fault = await faultOf(fetchWith(`http://localhost:${inner.port}/`, { dns, allow, timeoutMs: 200 }));
  expect(fault.message).toMatch(/could not be fetched/);
  expect(inner.caught()).toBe(0);
});

test("rebinding: the first answer may be used, the second is the loopback; nothing reaches the loopback", async () => {
  const elsewhere = "203.0.113.9";
  const dns = scriptedDns({ "rebind.test": [[elsewhere], ["127.0.0.1"]] });
  const allow = [`${elsewhere}:${inner.port}`];
  const work = fetchWith(`http://rebind.test:${inner.port}/`, { dns, allow, timeoutMs: 200 });
  expect((await faultOf(work)).message).toMatch(/could not be fetched/);
  expect(dns.requested).toEqual(["rebind.test"]);
  expect(inner.caught()).toBe(0);
});

test("rebinding between two hops: the second is checked by its own answer", async () => {
  store.next({ status: 302, headers: { location: "/again" }, text: "" });
  const dns = scriptedDns({ "rebind.test": [["127.0.0.1"], ["10.0.0.1"]] });
  const allow = [`127.0.0.1:${port()}`];
  const fault = await faultOf(fetchWith(`http://rebind.test:${port()}/`, { dns, allow }));
  expect(fault.message).toBe(nowhere);
  expect(dns.requested).toEqual(["rebind.test", "rebind.test"]);
  expect(store.requests).toHaveLength(1);
});

test("rebinding of an allowed name: it may not come to be a metadata service", async () => {
  store.next({ status: 302, headers: { location: "/again" }, text: "" });
  const dns = scriptedDns({ "store.test": [["127.0.0.1"], ["169.254.169.254"]] });
  const allow = [`store.test:${port()}`, `0.0.0.0/0:${port()}`];
  expect((await faultOf(fetchWith(`http://store.test:${port()}/`, { dns, allow }))).message).toBe(nowhere);
});

test("where the first address refuses the connection, the next one that was checked is asked", async () => {
  store.next({ text: "picture" });
  const dns = scriptedDns({ "store.test": [["127.0.0.2", "127.0.0.1"], []] });
  const allow = [`127.0.0.0/8:${port()}`];
  expect(await textOf(fetchWith(`http://store.test:${port()}/`, { dns, allow }))).toBe("picture");
});

test("addresses of the older family come first, each once", async () => {
  const dns = scriptedDns({ "store.test": [["2606:4700::1", "93.184.216.34", "2606:4700::2", "93.184.216.34"]] });
  const place = parseUrl("http://store.test/", 2_048);
  if (typeof place === "string") throw new Error(place);
  const addresses = ["93.184.216.34", "2606:4700::1", "2606:4700::2"];
  expect(await resolvePinned(place, readAllowed([]), dns)).toEqual(addresses);
});

test("an address that refuses the connection is told without saying which it was", async () => {
  const { host } = new URL(closedAddress());
  const dns = scriptedDns({ "store.test": [["127.0.0.1"]] });
  const fault = await faultOf(fetchWith(`http://store.test:${host.split(":")[1]}/`, { dns, allow: [host] }));
  expect(fault.message).toBe("The URL could not be fetched: the server sent no valid response.");
});

test("the system's DNS knows the loopback, and it stays closed", async () => {
  const systemDns = createResolver({ limits: { lookupMs: 3_000, maxLookupsPerKey: 16 } })("");
  expect(await systemDns("localhost")).toContain("127.0.0.1");
  expect((await faultOf(fetchWith("http://localhost/", { dns: systemDns }))).message).toBe(nowhere);
});

test("who waits for DNS waits no longer than for the rest", async () => {
  const expired = Promise.withResolvers<void>();
  const dns = () =>
    Promise.resolve()
      .then(() => expired.resolve())
      .then(() => new Promise<string[]>(() => undefined));
  const setTimer = (call: () => void) => {
    void expired.promise.then(call);
    return () => undefined;
  };
  const fault = await faultOf(fetchWith("http://store.test/", { dns, setTimer, timeoutMs: 777 }));
  expect(fault).toMatchObject({ status: 400, message: "The URL could not be fetched within 777 ms." });
});
