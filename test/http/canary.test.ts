// An upstream that repeats the credential it was shown, wherever it can: no operation lets it through to a client, the log, the store or a webhook.
import { afterAll, describe, expect, test } from "bun:test";
import { filesBelow } from "../support/files.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { transcribe } from "../support/response-oracle.ts";
import { type Line, type Script, upstream } from "../support/upstream.ts";
import { metricsText, samplesOf } from "../telemetry/scrape.ts";
import { pathOf, rows, smallest } from "./setting.ts";

/** No pattern knows it, and it has to be escaped in JSON and in URLs. */
const credential = 'q7"canary/4f9a2b71-c03d';
const canary = "4f9a2b71";
const up = await upstream();
afterAll(() => up.stop());

const kinds = [
  "compatible",
  "openai",
  "anthropic",
  "gemini",
  "cohere",
  "azure",
  "elevenlabs",
  "dashscope",
  "replicate",
];
const routes = ["gpt-x", "embed-x", "claude-x", "sandbox/video", "sandbox/image"];

function yamlOf(kind: string): string {
  const candidates = "candidates: [{ provider: echo, model: m }]";
  return `providers:
  echo: { kind: ${kind}, base_url: "${up.url}", credential: ${JSON.stringify(credential)}, models: [m] }
models:
${routes.map((name) => `  "${name}": { ${candidates} }`).join("\n")}
`;
}

const presented = ({ request: { headers } }: Line): string =>
  [...headers.values()].find((value) => value.includes(canary))?.replace(/^\w+ (?=q7)/, "") ?? credential;

/** The credential in each spelling that a reply may have it in. */
const echo = (line: Line): string => `the key ${presented(line)} is bad, ${encodeURIComponent(presented(line))} too`;
const slashed = (value: unknown): string => JSON.stringify(value).replaceAll("/", "\\/");
const json = (status: number, bodyOf: (text: string) => unknown): Script => {
  const headers = { "content-type": "application/json" };
  return (line) => line.play({ status, text: slashed(bodyOf(echo(line))), headers });
};
const error = (message: string) => ({ error: { message, type: message, code: message, param: message } });

const scripts: [string, Script][] = [
  ...[400, 401, 404, 422, 429, 500, 503].map((status): [string, Script] => [
    `a refusal ${status}`,
    json(status, error),
  ]),
  ["a refusal in plain text", (line) => line.play({ status: 400, text: echo(line) })],
  ["a refusal in other words", json(400, (text) => ({ detail: [{ msg: text, loc: [text] }], msg: text, code: text }))],
  ["an error in a 200", json(200, error)],
  ["nonsense in a 200", json(200, (text) => ({ hello: text }))],
  [
    "an error in a stream, byte by byte",
    (line) => {
      const data = JSON.stringify({ type: "error", ...error(echo(line)) });
      return line.play({ frames: [`event: error\ndata: ${data}\n\n`], cutAt: "byte" });
    },
  ],
  ["a text in a 200", (line) => line.play({ text: echo(line), headers: { "content-type": "text/plain" } })],
  ["nonsense in a stream", (line) => line.play({ frames: [`data: {"x": ${echo(line)}\n\n`] })],
];

const asking = rows.filter(
  ({ method, path }) => method === "POST" && !/\{(?:response|task|video)_id\}|:fetchPredict/.test(path),
);

const shows = (text: string): boolean => text.includes(canary);

/** Nothing that outlives the requests holds the canary or the client's key either. */
async function checkStored(running: RunningGateway): Promise<void> {
  const { log, dataFolder, key } = running;
  const metrics = await metricsText(running);
  expect([...log, ...metrics.split("\n")].filter((line) => shows(line) || line.includes(key))).toEqual([]);
  const counted = samplesOf(metrics).filter(({ labels }) => labels["provider"] === "echo" || labels["kind"]);
  expect(counted.length).toBeGreaterThan(1);
  for (const { name, text } of filesBelow(dataFolder))
    expect({ name, shows: shows(text) }).toEqual({ name, shows: false });
}

const covered = new Set<string>();

describe.each(kinds)("behind an upstream of the kind %s", (kind) => {
  test("no operation shows the credential, streamed or whole", async () => {
    const running = await gateway({ yaml: yamlOf(kind) });
    const requested = new Set<string>();
    for (const [what, script] of scripts) {
      for (const row of asking)
        for (const stream of [false, true]) {
          up.clear();
          up.on("*", script);
          const { method = "POST", headers, body } = smallest(row);
          const text = String(body);
          const sent = stream && text.startsWith("{") ? JSON.stringify({ ...JSON.parse(text), stream }) : text;
          const bearer = { authorization: `Bearer ${running.key}`, "anthropic-version": "2023-06-01", ...headers };
          const received = await transcribe(
            await fetch(running.url + pathOf(row), { method, headers: bearer, body: sent }),
          );
          if (up.requests.length > 0) requested.add(row.path);
          const all = `${received.text}\n${JSON.stringify([...received.headers])}`;
          if (shows(all)) expect({ what, path: row.path, stream, all }).toBe(null as never);
        }
    }
    await checkStored(running);
    await running.stop();
    for (const path of requested) covered.add(path);
  }, 120_000);
});

test("every operation was asked of one of them", () => {
  expect(asking.map(({ path }) => path).filter((path) => !covered.has(path))).toEqual([]);
});
