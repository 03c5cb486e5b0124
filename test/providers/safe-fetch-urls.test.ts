// URLs: sixty that lead inside or nowhere, each refused before anything is connected to; and those that are fine.
import { afterAll, expect, test } from "bun:test";
import { readAllowed } from "../../src/providers/safe-fetch/allowlist.ts";
import { resolvePinned } from "../../src/providers/safe-fetch/resolver.ts";
import { parseUrl } from "../../src/providers/safe-fetch/url-policy.ts";
import { faultOf, fetchWith, nowhere, scriptedDns, trap } from "./safe-fetch-support.ts";

const inner = trap();
afterAll(() => inner.stop());

const loopback = ["127.0.0.1"];
const names = ["localhost", "a.localhost", "rebind.test", "xn--bcher-kva.test", "metadata", "a_b.test"];
/** The port of the trap is open for another host: only the address is between a URL and the trap. */
const guard = () => ({
  allow: [`store.test:${inner.port}`],
  dns: scriptedDns(Object.fromEntries(names.map((name) => [name, [loopback]]))),
});

const leadsNowhere = [
  "http://127.0.0.1:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://127.1:PORT/",
  "http://127.0.1:PORT/",
  "http://127.255.255.254:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0x7f.1:PORT/",
  "http://0x7F.0x0.0x0.0x1:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://00000177.1:PORT/",
  "http://017700000001:PORT/",
  "http://127.0.0.0x1:PORT/",
  "http://１２７.０.０.１:PORT/",
  "http://①②⑦.⓪.⓪.①:PORT/",
  "http://127。0。0。1:PORT/",
  "http://%31%32%37.0.0.1:PORT/",
  "http://127%2e0%2e0%2e1:PORT/",
  "http:\\\\127.0.0.1:PORT\\",
  "http:/127.0.0.1:PORT/",
  "http:127.0.0.1:PORT/",
  "http:////127.0.0.1:PORT/",
  " http://127.0.0.1:PORT/ ",
  "ht\ntp://127.0.\t0.1:PORT/",
  "HTTP://127.0.0.1:PORT/",
  "http://127.0.0.1:0PORT/",
  "http://@127.0.0.1:PORT/",
  "http://:@127.0.0.1:PORT/",
  "http://0:PORT/",
  "http://0.0.0.0:PORT/",
  "http://[::]:PORT/",
  "http://[::1]:PORT/",
  "http://[0:0:0:0:0:0:0:1]:PORT/",
  "http://[::0001]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::FFFF:7F00:0001]:PORT/",
  "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
  "http://[64:ff9b::127.0.0.1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://[2001:0:7f00:1::]:PORT/",
  "http://localhost:PORT/",
  "http://LOCALHOST.:PORT/",
  "http://lOcAlHoSt:PORT/",
  "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/",
  "http://a.localhost:PORT/",
  "http://rebind.test:PORT/",
  "http://bücher.test:PORT/",
  "http://a_b.test:PORT/",
  "http://unknown.test:PORT/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://[::ffff:169.254.169.254]/",
  "http://metadata/computeMetadata/v1/",
  "http://100.100.100.200/latest/meta-data/",
  "http://168.63.129.16/machine?comp=goalstate",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://192.168.1.1/",
  "http://100.64.0.1/",
  "http://255.255.255.255/",
  "http://224.0.0.1/",
  "http://[fe80::1]/",
  "http://[ff02::1]/",
  "http://[fc00::1]/",
];

test.each(leadsNowhere)("%s", async (text) => {
  const fault = await faultOf(fetchWith(text.replaceAll("PORT", String(inner.port)), guard()));
  expect(fault).toMatchObject({ status: 400, code: "invalid_value", param: "image_url", message: nowhere });
  expect(inner.caught()).toBe(0);
});

const refused: [string, RegExp][] = [
  ["file:///etc/hostname", /must begin with http:\/\/ or https:\/\//],
  ["ftp://store.test/a.png", /must begin with/],
  ["data:image/png;base64,AAAA", /must begin with/],
  ["s3://bucket/key", /must begin with/],
  ["blob:http://store.test/1", /must begin with/],
  ["gopher://127.0.0.1:6379/_FLUSHALL", /must begin with/],
  ["javascript:alert(1)", /must begin with/],
  ["ws://store.test/", /must begin with/],
  ["unix:/run/docker.sock", /must begin with/],
  ["", /is not valid/],
  ["/etc/passwd", /is not valid/],
  ["//127.0.0.1/", /is not valid/],
  ["http://", /is not valid/],
  ["http://[fe80::1%25eth0]/", /is not valid/],
  ["http://[::1%lo]/", /is not valid/],
  ["http://127.0.0.256/", /is not valid/],
  ["http://1.1.1.1.1/", /is not valid/],
  ["http://4294967296/", /is not valid/],
  ["http://a..b.test/", /is not valid/],
  ["http://.test/", /is not valid/],
  ["http://./", /is not valid/],
  ["http://a$b.test/", /is not valid/],
  ["http://store.test%00.evil.test/", /is not valid/],
  [`http://${"a".repeat(64)}.test/`, /is not valid/],
  [`http://${"a.".repeat(126)}test/`, /is not valid/],
  ["http://store.test:99999/", /is not valid/],
  ["http://user@store.test/", /must not contain a user name/],
  ["http://user:password@store.test/", /must not contain a user name/],
  ["http://:password@store.test/", /must not contain a user name/],
  ["http://127.0.0.1%2f@store.test/", /must not contain a user name/],
  ["http://store.test:0/", /port 80 or 443/],
  ["http://store.test:22/", /port 80 or 443/],
  ["http://store.test:6379/", /port 80 or 443/],
  ["https://store.test:8443/", /port 80 or 443/],
  [`http://store.test/${"a".repeat(2_048 - 17)}`, /too long/],
];

test.each(refused)("%s", async (text, words) => {
  const dns = scriptedDns({ "store.test": [["127.0.0.1"]] });
  const fault = await faultOf(fetchWith(text, { dns }));
  expect(fault).toMatchObject({ status: 400, code: "invalid_value", param: "image_url" });
  expect(fault.message).toMatch(words);
  expect(dns.requested).toEqual([]);
});

test("a text of 2048 characters is not too long", () => {
  expect(parseUrl(`http://store.test/${"a".repeat(2_048 - 18)}`, 2_048)).toMatchObject({ port: 80 });
});

const fine: [string, string[]][] = [
  ["http://93.184.216.34/", ["93.184.216.34"]],
  ["https://93.184.216.34:443/a?b#c", ["93.184.216.34"]],
  ["https://93.184.216.34:80/", ["93.184.216.34"]],
  ["http://[2606:4700:4700::1111]/", ["2606:4700:4700::1111"]],
  ["http://[::ffff:93.184.216.34]/", ["93.184.216.34"]],
  ["https://store.test/", ["93.184.216.34", "2606:4700:4700::1111"]],
  ["https://STORE.test./", ["93.184.216.34", "2606:4700:4700::1111"]],
  ["https://bücher.test/", ["93.184.216.34"]],
];

test.each(fine)("%s may be connected to at %j", async (text, addresses) => {
  const dns = scriptedDns({
    "store.test": [["2606:4700:4700::1111", "93.184.216.34"]],
    "xn--bcher-kva.test": [["93.184.216.34", "93.184.216.34"]],
  });
  const place = parseUrl(text, 2_048);
  if (typeof place === "string") throw new Error(place);
  expect(await resolvePinned(place, readAllowed([]), dns)).toEqual(addresses);
});
