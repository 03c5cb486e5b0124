// What an upload costs: peak memory of a gateway in a process of its own, and a refusal before anything is read.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { clientKey, spawnGateway } from "../support/gateway.ts";

const mebibyte = 1024 * 1024;
const recordingBytes = 25 * mebibyte;

/** Reads the form to its end, and keeps none of it. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  maxRequestBodySize: 200 * mebibyte,
  async fetch(request) {
    let total = 0;
    for await (const chunk of request.body ?? []) total += chunk.length;
    const result = { total, length: request.headers.get("content-length") };
    return Response.json({ text: JSON.stringify(result), usage: { type: "duration", seconds: 1 } });
  },
});
const gateway = await spawnGateway({
  yaml: `providers:\n  alpha: { kind: compatible, base_url: "${upstream.url}v1", credential: "x", models: [hear] }\n`,
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});

const canMeasure = process.platform === "linux";

/** In MiB: now, and at the highest so far. */
function memory(): { now: number; peak: number } {
  const status = readFileSync(`/proc/${gateway.process.pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

const type = "multipart/form-data; boundary=b";
const head = Buffer.from(
  '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nhear\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n',
);
const formOf = (bytes: number) => Buffer.concat([head, Buffer.alloc(bytes), Buffer.from("\r\n--b--\r\n")]);
const large = formOf(recordingBytes);

function upload(body: Buffer<ArrayBuffer>): Promise<Response> {
  const headers = { authorization: `Bearer ${clientKey}`, "content-type": type };
  return fetch(`${gateway.url}/v1/audio/transcriptions`, { method: "POST", body, headers });
}

test.skipIf(!canMeasure)("25 MiB add at most 60 MiB to the peak", async () => {
  expect((await upload(formOf(1_000))).status).toBe(200);
  const before = memory().peak;
  const reply = await upload(large);
  const { text } = (await reply.json()) as { text: string };
  const result = JSON.parse(text) as { total: number; length: string };
  expect(result.total).toBeGreaterThan(recordingBytes);
  expect(result.length).toBe(String(result.total));
  const added = memory().peak - before;
  expect(added).toBeLessThan(60);
});

test.skipIf(!canMeasure)("20 at once cost their bytes once", async () => {
  const before = memory().now;
  for (let round = 0; round < 3; round++) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => upload(large)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  }
  expect(memory().peak - before).toBeLessThan(20 * 25 + 60);
});

test("100 MiB are refused before they are read", async () => {
  const before = memory();
  const reply = await upload(formOf(100 * mebibyte));
  expect(reply.status).toBe(413);
  expect(await reply.json()).toMatchObject({ error: { code: "request_too_large" } });
  if (canMeasure) expect(memory().peak - before.peak).toBeLessThan(30);
});
