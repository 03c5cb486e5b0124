// Model servers on this machine come into the catalog and go from it while the gateway runs, and the line to try names one of their models.
import { expect, test } from "bun:test";
import type { LocalPlace } from "../../src/providers/discover.ts";
import { kindOf } from "../providers/helpers.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { closedAddress, type Upstream, upstream } from "../support/upstream.ts";

const list = (...ids: string[]) => ({ json: { object: "list", data: ids.map((id) => ({ id, object: "model" })) } });
const placeOf = (url: string): LocalPlace => ({ kind: kindOf("ollama"), port: Number(new URL(url).port) });
const discoveryOf = (up: Upstream) => ({ places: [placeOf(up.url)], everyMs: 20 });

async function modelsOf({ url, key }: RunningGateway): Promise<string[]> {
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

const events = ({ log }: RunningGateway): string[] =>
  log.map((line) => JSON.parse(line).event).filter((event) => event.startsWith("local_server"));

const tryLine = async ({ lines }: RunningGateway): Promise<string> =>
  await until("the line to try", () => lines.find((line) => line.startsWith("  try")));

test("a server that starts later is found, one that ends is gone, and each is in the log once", async () => {
  const up = await upstream();
  up.on("GET /v1/models", { status: 503, text: "loading" });
  const running = await gateway({ discovery: discoveryOf(up) });
  expect(await tryLine(running)).toContain('"model":"sandbox/chat"');
  up.on("GET /v1/models", list("qwen3:8b"));
  await until("the model is listed", async () => (await modelsOf(running)).includes("qwen3:8b"));
  expect(events(running)).toEqual(["local_server_found"]);
  up.on("GET /v1/models", { status: 503, text: "loading" });
  await until("the model is gone", async () => !(await modelsOf(running)).includes("qwen3:8b"));
  expect(events(running)).toEqual(["local_server_found", "local_server_lost"]);
  await running.stop();
  const { length } = up.requests;
  await Bun.sleep(100);
  // One may have been under way.
  expect(up.requests.length).toBeLessThanOrEqual(length + 1);
  await up.stop();
});

test("the line to try names a model of a server that was found, and not one that embeds", async () => {
  const up = await upstream();
  up.on("GET /v1/models", list("nomic-embed-text:latest", "bge-m3", "llama3.2:1b"));
  const running = await gateway({ discovery: { places: [placeOf(up.url)] } });
  expect(await tryLine(running)).toContain('"model":"llama3.2:1b"');
  await running.stop();
  await up.stop();
});

test("where a provider is configured nobody is looked for", async () => {
  const up = await upstream();
  const yaml = `providers: { own: { kind: compatible, base_url: "${closedAddress()}/v1", models: [x] } }`;
  const running = await gateway({ yaml, discovery: discoveryOf(up) });
  await tryLine(running);
  expect(up.requests).toEqual([]);
  await running.stop();
  await up.stop();
});
