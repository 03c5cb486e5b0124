// One task that makes several videos: all of them are told, each opens by its own link, and all of their seconds are counted.
import { afterAll, expect, test } from "bun:test";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";
import { memberAt } from "./clients/client.ts";
import { settledRowOf } from "./setting.ts";

const google = await upstream();
const yaml = `providers:
  google: { kind: vertex, base_url: "${google.url}", credential: canary-1, project: p, location: us-central1, models: [] }
`;
const running = await gateway({ yaml, videoWaitScale: 0.002 });
afterAll(async () => {
  await running.stop();
  await google.stop();
});
const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
const root = "/v1/projects/p/locations/us-central1/publishers/google/models/veo-3.0-generate-001";
const name = `${root.slice(4)}/operations/1`;
const films = ["one", "two", "three"];

async function resultOf(path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(running.url + path, { headers });
  return (await answer.json()) as Record<string, unknown>;
}

test("three videos of one task", async () => {
  const videos = films.map((video) => ({ bytesBase64Encoded: btoa(video), mimeType: "video/mp4" }));
  google.on(`POST ${root}:predictLongRunning`, { json: { name } });
  google.on(
    `POST ${root}:fetchPredictOperation`,
    { json: { name } },
    { json: { name, done: true, response: { videos } } },
  );
  const body = JSON.stringify({ model: "google/veo-3.0-generate-001", prompt: "a cat", n: 3, duration: 8 });
  const made = await fetch(`${running.url}/v1/video/generations`, { method: "POST", headers, body });
  const { task_id: id } = (await made.json()) as { task_id: string };
  const row = await settledRowOf(running.dataFolder, "google/veo-3.0-generate-001");
  expect(row).toMatchObject({ state: "completed", videoMs: 24_000 });

  const plain = memberAt(await resultOf(`/v1/video/generations/${id}`), "metadata.urls") as string[];
  const native = memberAt(await resultOf(`/videoA/v1/videos/text2video/${id}`), "data.task_result.videos") as {
    url: string;
  }[];
  for (const links of [plain, native.map(({ url }) => url)]) {
    const found = await Promise.all(links.map(async (link) => (await fetch(link)).text()));
    expect(found).toEqual(films);
  }
});
