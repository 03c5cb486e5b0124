// TLS: the connection goes to an address, and still the certificate has to be the name's.
import { afterAll, expect, test } from "bun:test";
import { certificateFor } from "./safe-fetch-certificate.ts";
import { faultOf, fetchWith, scriptedDns, textOf } from "./safe-fetch-support.ts";

const notWell = "The URL could not be fetched: the server sent no valid response.";
const forName = certificateFor({ name: "store.test" });
const forAddress = certificateFor({ ipv4: "127.0.0.1" });

function secureServer(tls: { key: string; cert: string }) {
  const fetch = (request: Request) => new Response(`for ${request.headers.get("host")}`);
  return Bun.serve({ hostname: "127.0.0.1", port: 0, tls, fetch });
}

const named = secureServer(forName);
const addressed = secureServer(forAddress);
afterAll(() => Promise.all([named.stop(true), addressed.stop(true)]));

const dns = () => scriptedDns({ "store.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]] });
const go = (url: string, ca?: string) => {
  const own = { dns: dns(), allow: [`127.0.0.1:${named.port}`, `127.0.0.1:${addressed.port}`] };
  return fetchWith(url, ca === undefined ? own : { ...own, ca });
};

test("the certificate of the name is good, though the address was connected to", async () => {
  const host = `store.test:${named.port}`;
  expect(await textOf(go(`https://${host}/`, forName.cert))).toBe(`for ${host}`);
  expect(await textOf(go(`https://store.test.:${named.port}/`, forName.cert))).toBe(`for ${host}`);
});

test("the certificate of an address is good for a URL that names the address", async () => {
  const host = `127.0.0.1:${addressed.port}`;
  expect(await textOf(go(`https://${host}/`, forAddress.cert))).toBe(`for ${host}`);
});

test("one for another name, one for the address behind a name, and one that nobody vouches for are not", async () => {
  const wrong: [string, string?][] = [
    [`https://other.test:${named.port}/`, forName.cert],
    [`https://store.test:${addressed.port}/`, forAddress.cert],
    [`https://127.0.0.1:${named.port}/`, forName.cert],
    [`https://store.test:${named.port}/`],
    [`https://store.test:${named.port}/`, forAddress.cert],
  ];
  for (const [url, ca] of wrong) expect((await faultOf(go(url, ca))).message).toBe(notWell);
});

test("no variable switches the check off", async () => {
  const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  try {
    expect((await faultOf(go(`https://store.test:${named.port}/`))).message).toBe(notWell);
  } finally {
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
  }
});

test("plain HTTP to a TLS port, and TLS to a plain one", async () => {
  const plain = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("x") });
  const allow = [`127.0.0.1:${plain.port}`, `127.0.0.1:${named.port}`];
  for (const url of [`https://127.0.0.1:${plain.port}/`, `http://127.0.0.1:${named.port}/`])
    expect((await faultOf(fetchWith(url, { allow }))).message).toBe(notWell);
  await plain.stop(true);
});
