// What the operator opens: each form of an entry, what it covers, what it does not, and what nobody can open.
import { expect, test } from "bun:test";
import { fetchAllowOf } from "../../src/config/fetch-allowlist.ts";
import { isAllowEntry, readAllowed } from "../../src/providers/safe-fetch/allowlist.ts";
import { load } from "../config/load.ts";

type Row = [entry: string, hostname: string, port: number, address: string, admitted: boolean];

const rows: Row[] = [
  ["10.0.0.5", "10.0.0.5", 80, "10.0.0.5", true],
  ["10.0.0.5", "10.0.0.5", 443, "10.0.0.5", true],
  ["10.0.0.5", "10.0.0.5", 9000, "10.0.0.5", false],
  ["10.0.0.5", "10.0.0.6", 80, "10.0.0.6", false],
  ["10.0.0.5", "store.test", 80, "10.0.0.5", true],
  ["10.0.0.5:9000", "10.0.0.5", 9000, "10.0.0.5", true],
  ["10.0.0.5:9000", "10.0.0.5", 80, "10.0.0.5", false],
  ["10.0.0.5:9000", "10.0.0.5", 9001, "10.0.0.5", false],
  ["10.0.0.0/8", "x.test", 80, "10.255.255.255", true],
  ["10.0.0.0/8", "x.test", 80, "11.0.0.0", true],
  ["10.0.0.0/8", "x.test", 80, "172.16.0.1", false],
  ["10.0.0.0/8:9000", "x.test", 9000, "10.1.1.1", true],
  ["10.0.0.0/8:9000", "x.test", 9000, "11.1.1.1", false],
  ["127.0.0.1/32", "x.test", 80, "127.0.0.1", true],
  ["127.0.0.1/32", "x.test", 80, "127.0.0.2", false],
  ["::1", "::1", 80, "::1", true],
  ["[::1]", "::1", 443, "::1", true],
  ["[::1]:9000", "::1", 9000, "::1", true],
  ["[::1]:9000", "::1", 80, "::1", false],
  ["fd00::/8", "x.test", 80, "fd12::1", true],
  ["[fd00::/8]:9000", "x.test", 9000, "fd12::1", true],
  ["fd00::/8", "x.test", 80, "fc00::1", false],
  ["store.test", "store.test", 80, "10.0.0.5", true],
  ["STORE.test.", "store.test", 80, "10.0.0.5", true],
  ["bücher.test", "xn--bcher-kva.test", 80, "10.0.0.5", true],
  ["store.test", "other.test", 80, "10.0.0.5", false],
  ["store.test", "a.store.test", 80, "10.0.0.5", false],
  ["store.test:9000", "store.test", 9000, "10.0.0.5", true],
  ["store.test:9000", "store.test", 80, "10.0.0.5", false],
  ["store.test:8443", "store.test", 8443, "93.184.216.34", true],
  ["store.test:8443", "other.test", 8443, "93.184.216.34", false],
  ["127.1", "x.test", 80, "127.0.0.1", true],
  ["::ffff:127.0.0.1", "x.test", 80, "127.0.0.1", true],
  ["0.0.0.0/0", "x.test", 80, "10.0.0.1", true],
  ["0.0.0.0/0", "x.test", 80, "::1", false],
  ["::/0", "x.test", 80, "127.0.0.1", false],
  ["0.0.0.0/0", "x.test", 80, "169.254.169.254", false],
  ["169.254.169.254", "x.test", 80, "169.254.169.254", false],
  ["store.test", "store.test", 80, "169.254.169.254", false],
  ["0.0.0.0/0", "x.test", 80, "100.100.100.200", false],
  ["0.0.0.0", "x.test", 80, "0.0.0.0", false],
  ["::/0", "x.test", 80, "fe80::1", false],
  ["fd00:ec2::254", "x.test", 80, "fd00:ec2::254", false],
  ["64:ff9b::/96", "x.test", 80, "64:ff9b::7f00:1", false],
];

test.each(rows)("%s: host %s, port %i, address %s: %p", (entry, hostname, port, address, admitted) => {
  expect(readAllowed([entry]).admits({ hostname, port }, address)).toBe(admitted);
});

test("without entries: open addresses on the usual ports", () => {
  const admits = (port: number, address: string) => readAllowed([]).admits({ hostname: "x.test", port }, address);
  expect([admits(80, "93.184.216.34"), admits(443, "2606:4700::1"), admits(80, "10.0.0.1")]).toEqual([
    true,
    true,
    false,
  ]);
  expect([admits(8443, "93.184.216.34"), admits(22, "93.184.216.34")]).toEqual([false, false]);
});

const nonsense = [
  "",
  " ",
  "http://store.test",
  "store.test/path",
  "*.store.test",
  "user@store.test",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "10.0.0/8",
  "10.0.0.256",
  "fd00::/129",
  "fe80::1%eth0",
  "fe80::1%eth0/64",
  "::ffff:10.0.0.0/8",
  "::ffff:10.0.0.0/104",
  "store.test:0",
  "store.test:65536",
  "store.test:",
  "store.test:http",
  "store test",
  "[store.test]:80",
  "[::1",
  "a..b",
];

test.each(nonsense)("'%s' is no entry", (entry) => {
  expect(isAllowEntry(entry)).toBe(false);
  expect(() => readAllowed([entry])).toThrow("is not a host, address or range");
});

const allowOf = (yaml: string, fetchAllow: string[] = []) => fetchAllowOf({ fetchAllow }, load(yaml).file);

test("the variable and the file add up", () => {
  expect(allowOf("")).toEqual([]);
  expect(allowOf("fetch: { allow: [store.test, '10.0.0.0/8:9000'] }", ["[::1]:9000"])).toEqual([
    "[::1]:9000",
    "store.test",
    "10.0.0.0/8:9000",
  ]);
});

test("what is not valid stops the start in one sentence that names the place", () => {
  expect(() => allowOf("", ["store.test", "http://x"])).toThrow(
    /^TURNPIKE_FETCH_ALLOW has an invalid entry 'http:\/\/x'\. Use /,
  );
  expect(() => allowOf("fetch:\n  allow:\n    - store.test\n    - 10.0.0.0/99\n")).toThrow(
    /^turnpike\.yaml line 4, fetch\.allow\[1\]: invalid entry\. Use /,
  );
  expect(() => allowOf("fetch: { deny: [x] }")).toThrow(/unknown field/);
});
