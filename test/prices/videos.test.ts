// A video is priced by its resolution: the vendor's word for it, or that of the pixels that the vendor reports.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { gateway } from "../support/gateway.ts";
import { sendAs } from "../support/operation-requests.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";
import { videoReply } from "../videos/setting.ts";

const vendor = await upstream();
const model = "veo-3.1-generate-001";
const google = `/v1/projects/p/locations/us-central1/publishers/google/models/${model}`;
const name = `${google.slice(4)}/operations/1`;
const yaml = `
providers:
  google: { kind: vertex, base_url: "${vendor.url}", credential: c, project: p, location: us-central1, models: [] }
  openai: { kind: openai, base_url: "${vendor.url}/v1", credential: c, models: [sora-2] }
prices:
  shipped: false
  cost:
    - { model: "*", operation: video, size: 720p, usd: { video_second: 0.1 } }
    - { model: "*", operation: video, size: 1080p, usd: { video_second: 0.2 } }
    - { model: "*", operation: video, size: 4k, usd: { video_second: 0.3 } }
`;
const running = await gateway({ yaml, videoWaitScale: 0.002 });
afterAll(async () => {
  await running.stop();
  await vendor.stop();
});

let videos = 0;

/** Of the video that was made last. */
function settledCost(): Promise<bigint | null> {
  const sql = `select state, cost from requests order by n limit 1 offset ${videos++}`;
  return until("the video is settled", () => {
    using database = new Database(join(running.dataFolder, "ledger.db"), { readonly: true, safeIntegers: true });
    const row = database.query(sql).get() as { state: string; cost: bigint | null } | null;
    return row?.state === "completed" && [row.cost];
  }).then(([cost]) => cost ?? null);
}

const make = (body: object) =>
  sendAs(running.key, `${running.url}/v1/video/generations`, { prompt: "a cat", duration: 8, ...body });

test.each([
  ["720p", 800_000_000n],
  ["1080p", 1_600_000_000n],
  ["4k", 2_400_000_000n],
])("the resolution that was requested: %s", async (resolution, cost) => {
  vendor.on(`POST ${google}:predictLongRunning`, { json: { name } });
  const made = [{ bytesBase64Encoded: btoa("film"), mimeType: "video/mp4" }];
  vendor.on(`POST ${google}:fetchPredictOperation`, { json: { name, done: true, response: { videos: made } } });
  const answer = await make({ model: `google/${model}`, metadata: { resolution } });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  expect(await settledCost()).toBe(cost);
});

test.each([
  ["1280x720", 400_000_000n],
  ["1080x1920", 800_000_000n],
  ["3840x2160", 1_200_000_000n],
  ["1000x1000", null],
])("the pixels that the vendor reports: %s", async (size, cost) => {
  vendor.on("POST /v1/videos", { json: videoReply({ size }) });
  vendor.on("GET /v1/videos/video_up", { json: videoReply({ size, status: "completed", progress: 100 }) });
  const answer = await make({ model: "openai/sora-2", duration: 4 });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  expect(await settledCost()).toBe(cost);
});
