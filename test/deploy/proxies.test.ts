// The settings for nginx and Caddy in deploy/, with the real servers in front of a gateway: streams, silence, bodies, clients that leave.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { type Upstream, upstream } from "../support/upstream.ts";

const deploy = join(import.meta.dir, "..", "..", "deploy");

interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const { port } = server;
  server.stop(true);
  return port;
}

/** A shipped file with its addresses replaced; each must be in it. */
function shipped(file: string, replacements: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(deploy, file), "utf8");
  return Object.entries(replacements).reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replace(from, to);
  }, text);
}

/** What differs between the two servers: their file in deploy/ and how they are started. */
const servers = {
  nginx(folder: string, port: number, target: string) {
    const site = shipped("nginx.conf", {
      "server 127.0.0.1:8080": `server ${target}`,
      "listen 80": `listen 127.0.0.1:${port}`,
    });
    const user = process.getuid?.() === 0 ? "user root;\n" : "";
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const head = `${user}worker_processes 1;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\n`;
    writeFileSync(
      join(folder, "nginx.conf"),
      `${head}events {}\nhttp {\naccess_log off;\n${paths.join("\n")}\n${site}\n}\n`,
    );
    return [
      "nginx",
      "-p",
      folder,
      "-e",
      join(folder, "error.log"),
      "-c",
      join(folder, "nginx.conf"),
      "-g",
      "daemon off;",
    ];
  },
  caddy(folder: string, port: number, target: string) {
    const site = shipped("Caddyfile", { "gateway.example {": `http://127.0.0.1:${port} {`, "127.0.0.1:8080": target });
    writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
    return ["caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
  },
};

async function startProxy(name: keyof typeof servers, target: string): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), `turnpike-${name}-`));
  chmodSync(folder, 0o755);
  const port = freePort();
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const child = Bun.spawn(servers[name](folder, port, new URL(target).host), { env, stdout: "ignore", stderr: "pipe" });
  const url = `http://127.0.0.1:${port}`;
  const faults = child.stderr.text();
  const ended = child.exited.then(async () => Promise.reject(new Error(`${name} ended: ${await faults}`)));
  ended.catch(() => undefined);
  const isUp = () =>
    fetch(`${url}/livez`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await Promise.race([until(`${name} answers`, isUp), ended]);
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const event = (text: string): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`;
const stop = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
const heartbeatMs = 300;

describe.each(["nginx", "caddy"] as const)("%s", (name) => {
  if (Bun.which(name) === null) {
    test.skip(`is not installed: apt-get install ${name}`, () => undefined);
    return;
  }
  let up: Upstream;
  let behind: RunningGateway;
  let proxy: Proxy;
  beforeAll(async () => {
    up = await upstream();
    const yaml = `providers: { up: { kind: compatible, base_url: "${up.url}/v1", models: [m] } }`;
    behind = await gateway({ yaml, heartbeatMs });
    proxy = await startProxy(name, behind.url);
  });
  afterAll(async () => {
    await proxy?.stop();
    await behind?.stop();
    await up?.stop();
  });

  const ask = (body: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${proxy.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${behind.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "up/m", messages: [{ role: "user", content: "hi" }], ...body }),
      ...(signal === undefined ? {} : { signal }),
    });

  /** Reads until the text has been received. */
  async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: string | RegExp): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    while (typeof wanted === "string" ? !text.includes(wanted) : !wanted.test(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended before ${wanted}: ${text}`);
      text += decoder.decode(value, { stream: true });
    }
    return text;
  }

  function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
    if (response.body === null) throw new Error("there is no body");
    return response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  test("each event of a stream arrives before the next one is sent", async () => {
    const received = ["one", "two"].map(() => Promise.withResolvers<void>());
    up.next(async (line) => {
      await line.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
      await line.write(event("one"));
      await received[0]?.promise;
      await line.write(event("two"));
      await received[1]?.promise;
      await line.write(stop);
      line.end();
    });
    const response = await ask({ stream: true });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const reader = readerOf(response);
    for (const [index, text] of ["one", "two"].entries()) {
      await readUntil(reader, `"content":"${text}"`);
      received[index]?.resolve();
    }
    await readUntil(reader, "[DONE]");
  });

  test("the elements of a JSON array, which is not an event stream, arrive one by one", async () => {
    const received = Promise.withResolvers<void>();
    up.next(async (line) => {
      await line.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
      await line.write(event("one"));
      await received.promise;
      await line.write(stop);
      line.end();
    });
    const response = await fetch(`${proxy.url}/v1beta/models/up/m:streamGenerateContent`, {
      method: "POST",
      headers: { "x-goog-api-key": behind.key, "content-type": "application/json" },
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
    });
    expect(response.headers.get("content-type")).toStartWith("application/json");
    const reader = readerOf(response);
    await readUntil(reader, '"one"');
    received.resolve();
    await readUntil(reader, "STOP");
  });

  test("heartbeats pass while a provider is silent", async () => {
    const heartbeats = Promise.withResolvers<void>();
    up.next(async (line) => {
      await line.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
      await heartbeats.promise;
      await line.write(event("late") + stop);
      line.end();
    });
    const reader = readerOf(await ask({ stream: true }));
    await readUntil(reader, /(?:^|\n):[^\n]*\n[\s\S]*\n:[^\n]*\n/);
    heartbeats.resolve();
    await readUntil(reader, '"late"');
  });

  test("a client that leaves ends the provider's request, before the first byte and in the middle of a stream", async () => {
    up.clear();
    const never = new Promise(() => undefined);
    up.next({ json: {}, gate: never, gateAfter: 0 }, { frames: [event("one"), event("never")], gate: never });
    const waiting = new AbortController();
    const unanswered = ask({}, waiting.signal).catch(() => undefined);
    const first = await up.seen(0);
    waiting.abort();
    expect(await first.aborted).toBeGreaterThan(0);
    await unanswered;

    const leaving = new AbortController();
    const reader = readerOf(await ask({ stream: true }, leaving.signal));
    await readUntil(reader, '"one"');
    const second = await up.seen(1);
    leaving.abort();
    expect(await second.aborted).toBeGreaterThan(0);
    await reader.read().catch(() => undefined);
  });

  test("a large body passes whole, and one beyond the gateway's limit is refused in the client's format", async () => {
    up.clear();
    const json = {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "read" }, finish_reason: "stop" }],
    };
    up.next({ json });
    const image = `data:image/png;base64,${"A".repeat(24 * 1024 * 1024)}`;
    const content = [{ type: "image_url", image_url: { url: image } }];
    const response = await ask({ messages: [{ role: "user", content }] });
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 200 });
    expect((await up.seen(0)).text.length).toBeGreaterThan(image.length);

    const tooLarge = await ask({ padding: "A".repeat(34 * 1024 * 1024) });
    expect({ status: tooLarge.status, body: await tooLarge.json() }).toMatchObject({
      status: 413,
      body: { error: { code: "request_too_large" } },
    });
  });

  test.skipIf(process.env["TURNPIKE_TEST_FULL"] === undefined)(
    "a reply may be silent for longer than a minute",
    async () => {
      up.clear();
      up.next({ json: { id: "c", object: "chat.completion", created: 1, model: "m", choices: [] }, delayMs: 75_000 });
      expect((await ask({})).status).not.toBe(504);
    },
    120_000,
  );
});
