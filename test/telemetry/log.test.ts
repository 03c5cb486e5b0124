// Lines of the log: JSON on a pipe, text on a terminal, from a level on, with both ids and without a secret.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, type LogFormat } from "../../src/telemetry/log.ts";
import { chatBody } from "../http/setting.ts";
import { clientKey, gateway, spawnGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
afterAll(() => up.stop());

const yaml = `providers:
  far: { kind: compatible, base_url: "${up.url}/v1", credential: hidden-word, models: [m] }
`;

interface Line {
  time: string;
  level: string;
  event: string;
  id?: string;
  requestId?: string;
}

function linesOf(format: LogFormat, cause: string): string[] {
  const lines: string[] = [];
  const log = createLog({ sink: (line) => void lines.push(line), now: () => 1_700_000_000_000, format });
  log.write("warn", "attempt_failed", { provider: "far", tries: 2, id: undefined, cause });
  return lines;
}

describe("formats", () => {
  test("JSON is one object in one line", () => {
    const [line = "", ...others] = linesOf("json", "two\nlines");
    expect(others).toEqual([]);
    expect(line).not.toContain("\n");
    expect(JSON.parse(line)).toEqual({
      time: "2023-11-14T22:13:20.000Z",
      level: "warn",
      event: "attempt_failed",
      provider: "far",
      tries: 2,
      cause: "two\nlines",
    });
  });

  test("text has the time, the level, the event and its fields", () => {
    const [line = ""] = linesOf("text", "a reason");
    expect(line).toMatch(/^\d\d:\d\d:\d\d warn {2}attempt_failed provider=far tries=2 cause="a reason"$/);
  });

  test("only the level has a color", () => {
    const [line = ""] = linesOf("colored", "x");
    expect(line.split("\u001b")).toHaveLength(3);
    expect(line).toContain("\u001b[33mwarn \u001b[0m attempt_failed");
  });

  test.each(["\u001b[2J", "\u009b2J", "\r\n", "\u202e", "\u2028", "\u0000"])(
    "a field cannot steer the terminal: %j",
    (text) => {
      const [line = ""] = linesOf("text", `a${text}b`);
      expect(line).not.toContain(text);
      expect(line).toMatch(/cause="a\\[\w\\]+.*b"$/);
    },
  );
});

test.each([
  ["debug", ["debug", "info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["error", ["error"]],
] as const)("LOG_LEVEL %s", (level, expected) => {
  const lines: string[] = [];
  const log = createLog({ sink: (line) => void lines.push(line), now: () => 0, level });
  for (const each of ["debug", "info", "warn", "error"] as const) {
    expect(log.isOn(each)).toBe((expected as readonly string[]).includes(each));
    log.write(each, each);
  }
  expect(lines.map((line) => (JSON.parse(line) as Line).level)).toEqual([...expected]);
});

test("a wrong LOG_LEVEL ends the start with a sentence", async () => {
  const failure = await gateway({ environment: { LOG_LEVEL: "loud" } }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(String(failure)).toBe("Error: LOG_LEVEL must be debug, info, warn or error, not 'loud'.");
});

const ask = (url: string, body: object, requestId: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json", "x-request-id": requestId },
    body: JSON.stringify({ ...chatBody, ...body }),
  });

test("on a pipe every line is JSON; at debug every request has one, with both ids and nothing of its body", async () => {
  const child = await spawnGateway({ yaml, environment: { LOG_LEVEL: "debug" } });
  up.on("*", { status: 500, json: { error: { message: "no" } } });
  const content = "words that nobody else reads";
  await ask(child.url, { model: "sandbox/chat", messages: [{ role: "user", content }] }, "mine-1");
  await ask(child.url, { model: "far/m" }, "mine-2");
  await ask(child.url, { model: "unknown" }, "mine-3");
  const last = () => child.log.some((line) => line.includes("mine-3"));
  await until("the last line is there", last);
  const lines = child.log.map((line) => JSON.parse(line) as Line).filter(({ requestId }) => requestId !== undefined);
  expect(lines.map(({ level, event, requestId }) => `${requestId} ${level} ${event}`)).toEqual([
    "mine-1 debug exchange_completed",
    "mine-2 warn attempt_failed",
    "mine-2 warn exchange_failed",
    "mine-2 debug request_refused",
    "mine-3 debug request_refused",
  ]);
  for (const { event, id, time } of lines) {
    if (event !== "request_refused") expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(new Date(time).toISOString()).toBe(time);
  }
  expect(child.log.join("\n")).not.toContain("nobody else reads");
  await child.stop();
});

test("on a terminal the lines are for people", async () => {
  const main = join(import.meta.dir, "..", "..", "src", "main.ts");
  const folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  const shown: string[] = [];
  const screen = () => shown.join("");
  const child = Bun.spawn([process.execPath, main], {
    env: {
      ...{ PATH: process.env["PATH"], BUN_CONFIG_MAX_HTTP_REQUESTS: "65336", PORT: "0" },
      ...{ TURNPIKE_DATA: join(folder, "data"), HTTP_PROXY: "http://127.0.0.1:1" },
    },
    terminal: { cols: 200, rows: 50, data: (_terminal, bytes) => void shown.push(Buffer.from(bytes).toString()) },
  });
  await until("it listens", () => screen().includes("is listening"));
  expect(screen()).toMatch(/\d\d:\d\d:\d\d \u001b\[33mwarn \u001b\[0m variables_removed names=HTTP_PROXY\r?\n/);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  rmSync(folder, { recursive: true });
});

describe("secrets", () => {
  test("a credential in the text of an error's cause is hidden, short as it is", async () => {
    const running = await gateway({ yaml });
    up.on("*", (line) => line.play({ status: 200, text: "hidden-word is no JSON" }));
    await ask(running.url, { model: "far/m" }, "mine-4");
    expect(running.log.filter((line) => line.includes("mine-4")).length).toBeGreaterThan(0);
    expect(running.log.filter((line) => line.includes("hidden-word"))).toEqual([]);
    await running.stop();
  });

  test("keys are hidden, also where a client sends one as something else", async () => {
    const running = await gateway({ yaml, environment: { LOG_LEVEL: "debug" } });
    up.on("*", { status: 500, json: {} });
    const made = `tp-${"aB3".repeat(14)}z`;
    for (const secret of [clientKey, made]) {
      await ask(running.url, { model: "far/m" }, secret);
      await ask(running.url, { model: `far/${secret}` }, "mine-5");
    }
    expect(running.log.length).toBeGreaterThan(0);
    for (const secret of [clientKey, made]) expect(running.log.filter((line) => line.includes(secret))).toEqual([]);
    await running.stop();
  });
});
