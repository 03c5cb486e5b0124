// Starting: what a person sees the first time and later, a line that works as pasted, and one sentence for what prevents it.
import { describe, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "../support/fixtures.ts";
import { ledgerRows } from "../support/ledger.ts";
import { allowedMs, timed, until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";
import { askSandbox, place } from "./command.ts";

const keyLine = /^ {2}(?:client|admin) key {2,}(tp-\w{43}) {3}\(shown only once\)$/;

test("the first start prints address, both keys, models and a curl line that works; the second prints no key", async () => {
  const here = place();
  const first = here.start();
  const url = await first.url();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const curl = (await first.says(/^ {2}try/)).replace(/^ {2}try +/, "");
  await first.says(/^ {2}docs/);
  const keys = first.lines.flatMap((line) => keyLine.exec(line)?.[1] ?? []);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
  expect(first.lines.find((line) => line.includes("models"))).toContain("sandbox/chat");
  const pasted = Bun.spawn(["sh", "-c", curl], { stdout: "pipe", stderr: "ignore" });
  expect(JSON.parse(await pasted.stdout.text())).toMatchObject({
    object: "chat.completion",
    choices: [{ message: { content: expect.stringContaining("Hello") } }],
  });
  expect(statSync(join(here.folder, "data", "secret")).mode & 0o777).toBe(0o600);
  expect(await first.stop()).toBe(0);

  const second = here.start();
  await second.says(/^ {2}docs/);
  expect(second.lines.join("\n")).not.toMatch(/tp-\w{10}|shown only once/);
  expect(second.lines.find((line) => line.startsWith("  client key"))).toContain("turnpike keys create");
  expect((await askSandbox(await second.url(), keys[0] ?? "")).status).toBe(200);
  expect(await second.stop()).toBe(0);
  here.remove();
});

test("keys that were given are not printed, and the curl line takes the key from its variable", async () => {
  const here = place();
  const given = { TURNPIKE_KEY: "tp-given-client-key", TURNPIKE_ADMIN_KEY: "tp-given-admin-key" };
  const gateway = here.start(given);
  const curl = (await gateway.says(/^ {2}try/)).replace(/^ {2}try +/, "");
  expect(gateway.lines.join("\n")).not.toMatch(/tp-given|shown only once|client key/);
  const pasted = Bun.spawn(["sh", "-c", curl], { stdout: "pipe", stderr: "ignore", env: { ...process.env, ...given } });
  expect(JSON.parse(await pasted.stdout.text())).toMatchObject({ object: "chat.completion" });
  await gateway.stop();
  here.remove();
});

test("a provider's list is in the banner; a list that cannot be had is told, and holds nothing up", async () => {
  const up = await upstream();
  up.on("GET /v1/models", { json: { data: [{ id: "listed-x" }] } });
  const here = place(`providers:
  good: { kind: compatible, base_url: "${up.url}/v1" }
  bad: { kind: compatible, base_url: "${up.url}/broken" }
`);
  const gateway = here.start();
  expect(await gateway.says(/^ {2}models/)).toContain("listed-x");
  expect(await gateway.says(/^ {2}also/)).toContain("bad (model list not available yet)");
  await gateway.stop();
  await up.stop();
  here.remove();
});

test("the curl line asks a route that answers a chat, not one that speaks", async () => {
  const here = place(`providers:
  good: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [] }
  ears: { kind: deepgram, base_url: "http://127.0.0.1:9", credential: k, models: [] }
models:
  hear: { candidates: [{ provider: ears, model: nova-3 }] }
  voice: { candidates: [{ provider: good, model: gpt-4o-mini-tts }] }
  smart: { candidates: [{ provider: good, model: x-large }] }
`);
  const gateway = here.start();
  expect(await gateway.says(/^ {2}try/)).toContain('"model":"smart"');
  await gateway.stop();
  here.remove();
});

describe("what prevents a start is one sentence and exit code 1", () => {
  /** Runs the gateway and expects it to end at once. */
  async function refusal(environment: Record<string, string>, yaml?: string): Promise<string> {
    const here = place(yaml);
    const { code, out, err } = await here.run([], environment);
    here.remove();
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^turnpike: [^\n]+[.?]\n$/);
    return err;
  }

  test("a busy port", async () => {
    const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    expect(await refusal({ PORT: String(other.port) })).toContain(
      `Port ${other.port} on 127.0.0.1 is already in use. Set PORT`,
    );
    other.stop(true);
  });

  test("a port where another gateway listens", async () => {
    const there = place();
    const other = there.start();
    const { port } = new URL(await other.url());
    expect(await refusal({ PORT: port })).toContain(`Port ${port} on 127.0.0.1 is already in use. Set PORT`);
    await other.stop();
    there.remove();
  });

  test("an address that is not ours", async () => {
    expect(await refusal({ HOST: "203.0.113.7" })).toContain("cannot listen on 203.0.113.7");
  });

  test("a data folder that cannot be written", async () => {
    const here = place();
    const file = join(here.folder, "a-file");
    writeFileSync(file, "");
    expect(await refusal({ TURNPIKE_DATA: join(file, "data") })).toMatch(/The data folder .* is not writable \(\w+\)/);
    here.remove();
  });

  test("a data folder that another gateway uses", async () => {
    const here = place();
    const first = here.start();
    await first.url();
    const { code, err } = await here.run([]);
    expect(code).toBe(1);
    expect(err).toMatch(/^turnpike: The data folder [^\n]+\.\n$/);
    await first.stop();
    here.remove();
  });

  const rows: [string, Record<string, string>, string | undefined, RegExp][] = [
    ["a bad PORT", { PORT: "eighty" }, undefined, /PORT must be an integer from 0 to 65535, not 'eighty'/],
    ["a short secret", { TURNPIKE_SECRET: "short" }, undefined, /TURNPIKE_SECRET is too short/],
    [
      "a file that is not there",
      { TURNPIKE_CONFIG: "mine.yaml" },
      undefined,
      /The configuration file .*mine\.yaml does not exist/,
    ],
    [
      "a variable that is not set",
      {},
      'keys: { ci: { secret: "${CI_KEY}" } }',
      /turnpike\.yaml line 1, keys\.ci\.secret: the variable CI_KEY is not set/,
    ],
    ["an unknown field", {}, "provider: {}", /turnpike\.yaml line 1, provider: unknown field/],
    [
      "an unknown provider",
      {},
      "models:\n  a:\n    candidates:\n      - { provider: b, model: c }",
      /line 4, models\.a\.candidates\[0\]\.provider/,
    ],
    ["a bad base URL", { OPENAI_API_KEY: "canary", OPENAI_BASE_URL: "nonsense" }, undefined, /OPENAI_BASE_URL must be/],
  ];

  test.each(rows)("%s", async (_name, environment, yaml, expected) => {
    const message = await refusal(environment, yaml);
    expect(message).toMatch(expected);
    expect(message).not.toContain("canary");
  });
});

test("a command that does not exist is exit code 2; help is help", async () => {
  const here = place();
  const wrong = await here.run(["serv"]);
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.err).toStartWith("turnpike: Unknown command 'serv'. Did you mean 'serve'?");
  for (const word of ["help", "--help", "-h"]) expect(await here.run([word])).toMatchObject({ code: 0, err: "" });
  here.remove();
});

describe("the end", () => {
  test("SIGTERM lets what is under way finish, then exits with 0", async () => {
    const here = place();
    const gateway = here.start({ TURNPIKE_KEY: "tp-test-key" });
    const url = await gateway.url();
    const asking = askSandbox(url, "tp-test-key", "[sandbox delay=400] hi");
    await until("the request is open", () => openRows(here.folder) === 1);
    gateway.process.kill("SIGTERM");
    await until("it is unready", async () => (await fetch(`${url}/readyz`)).status === 503);
    expect((await asking).status).toBe(200);
    expect(await gateway.process.exited).toBe(0);
    expect(openRows(here.folder)).toBe(0);
    here.remove();
  });

  test("a second signal ends it at once", async () => {
    const here = place();
    const gateway = here.start({ TURNPIKE_KEY: "tp-test-key" });
    const url = await gateway.url();
    const asking = askSandbox(url, "tp-test-key", "[sandbox delay=60000] hi").catch(() => null);
    await until("the request is open", () => openRows(here.folder) === 1);
    gateway.process.kill("SIGTERM");
    await until("it is unready", async () => (await fetch(`${url}/readyz`)).status === 503);
    gateway.process.kill("SIGTERM");
    expect(await gateway.process.exited).toBe(130);
    await asking;
    here.remove();
  });

  test("a second signal settles the row of a stream that is under way, with what was delivered", async () => {
    const up = await upstream();
    const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    up.on("*", { frames: [delta("One two three four five six. "), delta("Seven eight nine ten.")], ending: "hang" });
    const here = place(`providers:\n  far: { kind: compatible, base_url: "${up.url}/v1", models: [m] }\n`);
    const gateway = here.start({ TURNPIKE_KEY: "tp-test-key" });
    const url = await gateway.url();
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer tp-test-key", "content-type": "application/json" },
      body: JSON.stringify({ model: "far/m", stream: true, messages: [{ role: "user", content: "Count." }] }),
    });
    let received = "";
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) received += new TextDecoder().decode(chunk);
    })().catch(() => undefined);
    await until("it has been delivered", () => received.includes("ten."));
    gateway.process.kill("SIGTERM");
    await until("it is unready", async () => (await fetch(`${url}/readyz`)).status === 503);
    gateway.process.kill("SIGTERM");
    expect(await gateway.process.exited).toBe(130);
    await reading;
    const [row, ...others] = ledgerRows(join(here.folder, "data"));
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      state: "interrupted",
      errorCode: "draining",
      estimated: true,
      charged: true,
      provider: "far",
    });
    expect(received).toContain('"code":"draining"');
    expect(received).not.toContain("[DONE]");
    expect(row?.inputTokens).toBeWithin(1, 20);
    expect(row?.outputTokens).toBeWithin(10, 16);
    here.remove();
    await up.stop();
  });

  test("idle, SIGINT ends it at once with 0", async () => {
    const here = place();
    const gateway = here.start();
    await gateway.url();
    gateway.process.kill("SIGINT");
    const ended = await timed(() => gateway.process.exited);
    expect(ended.value).toBe(0);
    expect(ended.ms).toBeLessThan(allowedMs(1_000, ended));
    here.remove();
  });
});

function openRows(folder: string): number {
  return ledgerRows(join(folder, "data")).filter(({ state }) => state === "open").length;
}

test("a proxy variable is not used; a proxy of the file is", async () => {
  const [proxy, up] = [await upstream(), await upstream()];
  for (const each of [proxy, up]) each.on("*", says("openai-chat/text.json"));
  const here = place(`providers:
  direct: { kind: compatible, base_url: "${up.url}/v1", models: [a] }
  around: { kind: compatible, base_url: "${up.url}/v1", models: [b], proxy: "${proxy.url}" }
`);
  const proxies = Object.fromEntries(
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"].map((name) => [name, proxy.url]),
  );
  const gateway = here.start({ TURNPIKE_KEY: "tp-test-key", ...proxies });
  const url = await gateway.url();
  const direct = await askSandbox(url, "tp-test-key", "hi", "direct/a");
  expect([direct.status, up.requests.length, proxy.requests.length]).toEqual([200, 1, 0]);
  const around = await askSandbox(url, "tp-test-key", "hi", "around/b");
  expect([around.status, up.requests.length, proxy.requests.length]).toEqual([200, 1, 1]);
  await gateway.stop();
  await Promise.all([proxy.stop(), up.stop()]);
  here.remove();
});
