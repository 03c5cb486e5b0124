// A provider that is gone for a while under load, on a route with two candidates: client errors, requests asked twice, and when it has its share back.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "../src/app.ts";

const perSecond = Number(process.argv[2] ?? 300);
const goneSeconds = Number(process.argv[3] ?? 60);
const strategy = process.argv[4] ?? "ordered";
/** Of the requests of a second, the share of the provider that is gone, while both are well; less is not its share yet. */
const share = strategy === "ordered" ? 0.99 : 0.4;
const key = "tp-outage-bench-key";

const reply = {
  ...{ id: "1", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const serve = (port = 0) => Bun.serve({ hostname: "127.0.0.1", port, fetch: () => Response.json(reply) });
let first = serve();
const port = first.port;
const second = serve();

const folder = mkdtempSync(join(tmpdir(), "turnpike-outage-"));
writeFileSync(
  join(folder, "turnpike.yaml"),
  `providers:
  first: { kind: compatible, base_url: "http://127.0.0.1:${port}/v1", models: [m] }
  second: { kind: compatible, base_url: "http://127.0.0.1:${second.port}/v1", models: [m] }
models:
  pair: { strategy: ${strategy}, timeout_ms: 10000, candidates: [{ provider: first, model: m }, { provider: second, model: m }] }
`,
);
const running = await start({
  environment: { PORT: "0", TURNPIKE_DATA: join(folder, "data"), TURNPIKE_KEY: key, LOG_LEVEL: "error" },
  workingFolder: folder,
  discovers: false,
  print: () => undefined,
});

const startedMs = performance.now();
const secondsNow = (): number => (performance.now() - startedMs) / 1_000;
const [goneFrom, goneTo] = [5, 5 + goneSeconds];
const end = goneTo + 35;
const seen = { requests: 0, twice: 0, errors: 0, lateErrors: 0 };
/** By second: requests, and those that the provider answered that is gone for a while. */
const bySecond: { all: number; byFirst: number }[] = [];

async function ask(): Promise<void> {
  const response = await fetch(new URL("/v1/chat/completions", running.url), {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "pair", // Each is a conversation of its own: one that has begun stays where its prompt cache is.
      messages: [{ role: "user", content: `hi ${sent}` }],
    }),
  });
  await response.bytes();
  seen.requests++;
  if (Number(response.headers.get("x-turnpike-attempts")) > 1) seen.twice++;
  if (response.status !== 200) seen.errors++;
  if (response.status !== 200 && secondsNow() > goneFrom + 1) seen.lateErrors++;
  const second = Math.floor(secondsNow());
  const { all = 0, byFirst = 0 } = bySecond[second] ?? {};
  const isFirst = response.headers.get("x-turnpike-provider") === "first";
  bySecond[second] = { all: all + 1, byFirst: byFirst + (isFirst ? 1 : 0) };
}

const pending = new Set<Promise<void>>();
let sent = 0;
let isGone = false;
while (secondsNow() < end) {
  if (!isGone && secondsNow() > goneFrom && secondsNow() < goneTo) {
    await first.stop(true);
    isGone = true;
  }
  if (isGone && secondsNow() > goneTo) {
    first = serve(port);
    isGone = false;
  }
  for (; sent < secondsNow() * perSecond; sent++) {
    const one = ask().finally(() => pending.delete(one));
    pending.add(one);
  }
  await Bun.sleep(2);
}
await Promise.all(pending);
await running.stop();
await Promise.all([first.stop(true), second.stop(true)]);
rmSync(folder, { recursive: true });

/** The end of the first second since which it has had its share again. */
const lacking = bySecond.findLastIndex(({ all, byFirst }, at) => at < end - 1 && byFirst < share * all);
const backAfter = lacking + 1 - goneTo;
const twicePercent = (100 * seen.twice) / seen.requests;
console.log(
  `${seen.requests} requests at ${perSecond} per second, one of two providers gone for ${goneSeconds} s: ${seen.errors} errors, ` +
    `${seen.lateErrors} after the first second; ${seen.twice} asked twice (${twicePercent.toFixed(2)} %); its share back within ${Math.max(backAfter, 1)} s`,
);
if (seen.lateErrors > 0 || twicePercent > 1 || backAfter > 30) process.exitCode = 1;
