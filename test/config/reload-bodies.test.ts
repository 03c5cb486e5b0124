// What a running gateway makes once follows its file too: stored bodies, and limits of helpers; the rest is named.
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings, type Settings } from "../../src/config/environment.ts";
import { variablesUntilRestart } from "../../src/config/restart.ts";
import { readBodies } from "../../src/gateway/bodies/body-file.ts";
import { adminOf } from "../admin/setting.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-reload-bodies-"));
afterAll(() => rmSync(folder, { recursive: true }));

const base = "models: { smart: { candidates: [{ provider: sandbox, model: chat }] } }\n";
const fileOf = (text: string): string => {
  const file = join(folder, "turnpike.yaml");
  writeFileSync(file, text);
  return file;
};
const lines = ({ log }: RunningGateway, event: string): unknown[] => log.filter((line) => line.includes(`"${event}"`));
const applied = async (running: RunningGateway, file: string, text: string): Promise<void> => {
  const before = lines(running, "configuration_applied").length;
  writeFileSync(file, text);
  await until("the file is applied", () => lines(running, "configuration_applied").length > before);
};
const ask = async ({ url, key }: RunningGateway): Promise<number> => {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "smart", messages: [{ role: "user", content: "hello there" }] }),
  });
  await answer.text();
  return answer.status;
};

test("a database and secrets in files that are replaced are named as waiting for a restart", () => {
  const environment = { TURNPIKE_CONFIG: fileOf(base), TURNPIKE_SECRET: "one".repeat(20) };
  const [next, running] = ["postgres://a@127.0.0.1/one", "postgres://a@127.0.0.1/two"].map((url) =>
    readSettings({ ...environment, DATABASE_URL: url }, folder),
  ) as [Settings, Settings];
  expect(variablesUntilRestart(next, running)).toEqual(["DATABASE_URL"]);
  expect(variablesUntilRestart(next, next)).toEqual([]);
});

test("stored bodies and limits of what is made once are followed", async () => {
  const file = fileOf(base);
  const running = await gateway({ environment: { TURNPIKE_CONFIG: file } });
  const stored = (id: string) => readBodies(running.dataFolder, id).length;
  const sent = async (): Promise<string> => {
    expect(await ask(running)).toBe(200);
    return String(Object(ledgerRows(running.dataFolder).at(-1)).id);
  };
  const before = await sent();
  const limits = "limits: { heartbeat_ms: 5000, lookup_ms: 900, max_count_chars: 70000 }\n";
  await applied(running, file, `${base}bodies: { store: all }\n${limits}`);
  expect(lines(running, "needs_restart")).toEqual([]);
  const { ask: admin } = await adminOf(running);
  expect((await admin("GET settings/limits.heartbeat_ms")).body).toMatchObject({ value: 5_000 });
  const after = await sent();
  await until("the bodies are stored", () => stored(after) > 0);
  expect(stored(before)).toBe(0);
  await applied(running, file, `${base}bodies: { store: all, retention_days: 0 }\n`);
  await until("they are deleted", () => !existsSync(join(running.dataFolder, "bodies.db")));
  await sent();
  await applied(running, file, `${base}bodies: { store: all, max_kib: 1, redact_fields: [content] }\n`);
  const last = await sent();
  await until("bodies are stored again", () => stored(last) > 0);
  expect(JSON.stringify(readBodies(running.dataFolder, last))).not.toContain("hello");
  await running.stop();
}, 120_000);
