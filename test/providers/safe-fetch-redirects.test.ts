// Redirects: followed by hand, three at most, each checked like the first.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type Upstream, upstream } from "../support/upstream.ts";
import { faultOf, fetchWith, nowhere, scriptedDns, textOf, to, trap } from "./safe-fetch-support.ts";

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

const allow = () => [new URL(store.url).host];
const go = (own: object = {}) => fetchWith(`${store.url}/start`, { allow: allow(), ...own });
const faulty = (own: object = {}) => faultOf(go(own));

test.each([301, 302, 303, 307, 308])("%i is followed", async (status) => {
  store.next(to("/next?x=1", status), { text: "there" });
  expect(await textOf(go({ range: "bytes=0-" }))).toBe("there");
  expect(store.requests.map(({ path }) => path)).toEqual(["/start", "/next"]);
});

test("three are followed, four are not", async () => {
  store.next(to("/1"), to("/2"), to("/3"), { text: "there" });
  expect(await textOf(go())).toBe("there");
  store.clear();
  store.next(to("/1"), to("/2"), to("/3"), to("/4"), { text: "there" });
  expect(await faulty()).toMatchObject({ status: 400, message: "The URL has more than 3 redirects." });
  expect(store.requests).toHaveLength(4);
});

const inward = [
  "http://127.0.0.1:PORT/",
  "http://2130706433:PORT/",
  "//127.1:PORT/",
  "\\\\127.0.0.1:PORT\\",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://localhost:PORT/",
  "http://unknown.test/",
  "http://10.0.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/",
  "https://127.0.0.1/",
  "file:///etc/hostname",
  "data:text/plain,secret",
  "ftp://store.test/",
  "http://user:password@store.test/",
  "http://store.test:22/",
  "http://",
  "http://[",
  `/${"a".repeat(8_192)}`,
];

test.each(inward)("to %s: told as leading nowhere, nobody is asked", async (location) => {
  const aimed = location.replace("PORT", String(inner.port));
  store.next(to(aimed));
  const dns = scriptedDns({ localhost: [["127.0.0.1"]], "store.test": [["93.184.216.34"]] });
  const open = [...allow(), `other.test:${inner.port}`];
  expect((await faulty({ dns, allow: open })).message).toBe(nowhere);
  expect(inner.caught()).toBe(0);
});

test("the last of a chain is checked like the first", async () => {
  store.next(to("/1"), to(`${store.url}/2`), to(`http://127.0.0.1:${inner.port}/`));
  expect((await faulty({ allow: [...allow(), `other.test:${inner.port}`] })).message).toBe(nowhere);
  expect(store.requests).toHaveLength(3);
  expect(inner.caught()).toBe(0);
});

test("without a place to go a redirect is a status", async () => {
  store.next({ status: 302, text: "" });
  expect((await faulty()).message).toMatch(/returned status 302/);
});
