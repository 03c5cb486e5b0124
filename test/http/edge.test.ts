// The edge of the gateway: slow and broken uploads, browsers, HEAD, odd addresses and signals.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { readSettings } from "../../src/config/environment.ts";
import { gateway, spawnGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw-http.ts";
import { until } from "../support/until.ts";

const running = await gateway({
  yaml: "limits: { body_grace_ms: 300, min_body_bytes_per_second: 1000 }\n",
  environment: { TURNPIKE_CORS_ORIGINS: "https://app.example, http://localhost:3000" },
});
const closed = await gateway();
afterAll(async () => {
  await running.stop();
  await closed.stop();
});
const bearer = { authorization: `Bearer ${running.key}` };
const head = (more: string): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${running.key}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;

/** Writes one byte now and then until the gateway closes; what came back. */
async function trickle(start: string, byte: string): Promise<string> {
  const { hostname, port } = new URL(running.url);
  const done = Promise.withResolvers<void>();
  let text = "";
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_socket, bytes) => {
        text += bytes.toString("latin1");
      },
      close: () => done.resolve(),
      error: () => done.resolve(),
    },
  });
  socket.write(start);
  const timer = setInterval(() => socket.write(byte), 50);
  await done.promise;
  clearInterval(timer);
  return text;
}

test.each([
  ["of a small body", head("Content-Length: 1000"), " "],
  ["of a body that is read as a blob", head("Content-Length: 40000"), " "],
  ["of a large body", head("Content-Length: 3000000"), " "],
  ["in chunks", head("Transfer-Encoding: chunked"), "1\r\n \r\n"],
])(
  "one byte now and then %s is answered with 408, and the connection is closed",
  async (_name, start, byte) => {
    const text = await trickle(start, byte);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text.toLowerCase()).toContain("connection: close");
    expect(text).toContain('"code":"request_timeout"');
  },
  60_000,
);

test("a client that leaves during its upload is not a fault of the gateway", async () => {
  const { hostname, port } = new URL(running.url);
  for (const more of [
    "Content-Length: 1000",
    "Content-Length: 40000",
    "Content-Length: 3000000",
    "Transfer-Encoding: chunked",
  ]) {
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data: () => undefined } });
    socket.write(`${head(more)}1\r\n{\r\n`);
    await Bun.sleep(50);
    socket.terminate();
  }
  // Answered behind them: they have been seen by then.
  for (let round = 0; round < 3; round++) await (await fetch(`${running.url}/livez`)).text();
  await Bun.sleep(100);
  expect(running.log.filter((line) => line.includes("request_failed"))).toEqual([]);
});

test("the root is a page for a browser and JSON for others", async () => {
  const page = await fetch(running.url, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await page.text()).toContain('<a href="docs">');
  const json = await fetch(running.url);
  expect([json.status, await json.json()]).toMatchObject([200, { name: "turnpike", docs: "docs" }]);
});

test.each(["/v1/chat/completions", "/v1/models", "/v1beta/models/x:generateContent", "/nowhere"])(
  "a preflight request for %s is answered without a key",
  async (path) => {
    const answer = await fetch(running.url + path, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(answer.headers.get("access-control-allow-headers")).toBe("authorization,content-type");
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("vary")).toContain("Origin");
  },
);

test("a listed origin may read answers, errors and streams with the gateway's headers; no other may", async () => {
  const origin = "http://localhost:3000";
  const body = (stream: boolean) =>
    JSON.stringify({ model: "sandbox/chat", stream, messages: [{ role: "user", content: "hi" }] });
  const post = (url: string, more: Record<string, string>, stream = false) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...more },
      body: body(stream),
    });
  for (const answer of [
    await post(running.url, { ...bearer, origin }),
    await post(running.url, { ...bearer, origin }, true),
    await post(running.url, { origin }),
  ]) {
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-expose-headers")).toContain("x-turnpike-provider");
    await answer.text();
  }
  for (const answer of [
    await post(running.url, { ...bearer, origin: "https://other.example" }),
    await post(running.url, bearer),
    await post(closed.url, { ...bearer, origin }),
  ]) {
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    await answer.text();
  }
});

test("HEAD of a video's content has the length of the GET", async () => {
  const headers = { ...bearer, "content-type": "application/json" };
  const body = JSON.stringify({ model: "sandbox/video", prompt: "[sandbox run=1]" });
  const { id } = (await (await fetch(`${running.url}/v1/videos`, { method: "POST", headers, body })).json()) as {
    id: string;
  };
  const content = `/v1/videos/${id}/content`;
  await until("the video is there", async () => (await fetch(running.url + content, { headers })).status === 200);
  const length = (await (await fetch(running.url + content, { headers })).bytes()).length;
  const request = `HEAD ${content} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${bearer.authorization}\r\n\r\n`;
  const { text } = await sendRaw(running.url, [request], 2_000);
  expect(/content-length: (\d+)/i.exec(text)?.[1]).toBe(String(length));
}, 60_000);

test("an IPv6 address may be written in brackets; origins must be origins", () => {
  expect(readSettings({ HOST: "[::1]" }, "/").host).toBe("::1");
  expect(readSettings({ HOST: "::1" }, "/").host).toBe("::1");
  expect(readSettings({ TURNPIKE_CORS_ORIGINS: "*" }, "/").corsOrigins).toBe("*");
  for (const wrong of ["app.example", "https://app.example/", "https://app.example/path"])
    expect(() => readSettings({ TURNPIKE_CORS_ORIGINS: wrong }, "/")).toThrow(
      /^TURNPIKE_CORS_ORIGINS has an invalid entry/,
    );
});

test("SIGINT lets what is under way end, then ends the process", async () => {
  const child = await spawnGateway();
  const answer = fetch(`${child.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${child.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "[sandbox delay=1000] hi" }] }),
  });
  await until("it is under way", () => {
    using ledger = new Database(`${child.dataFolder}/ledger.db`, { readonly: true });
    return ledger.query("select 1 from requests").get() !== null;
  });
  const code = await child.kill("SIGINT");
  expect([(await answer).status, code]).toEqual([200, 0]);
  await child.stop();
}, 60_000);
