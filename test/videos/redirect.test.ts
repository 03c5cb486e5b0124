// Redirects of a download: below the account's own address the credential goes along, to any other address nothing of ours does.
import { afterAll, describe, expect, test } from "bun:test";
import { maxRedirects, ownCall, redirectIn } from "../../src/gateway/tasks/content.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const call = { method: "GET", path: "v1beta/files/a:download?alt=media", body: {} } as const;
const requested = "https://films.example/v1beta/files/a:download?alt=media";

describe("the call that goes on", () => {
  test.each([
    ["https://films.example/download/v1beta/files/a:download?alt=media", "download/v1beta/files/a:download?alt=media"],
    ["https://films.example/", ""],
    ["http://films.example/x", null],
    ["https://films.example.evil/x", null],
    ["https://films.example:444/x", null],
    ["https://key@films.example/x", null],
    ["https://evil.example/https://films.example/x", null],
  ])("to %p", (address, path) => {
    expect(ownCall(call, requested, address)?.path ?? null).toBe(path);
  });

  test("stays below the path of the account's address", () => {
    const below = { ...call, path: "videos/1/content" };
    const at = "https://films.example/v1/videos/1/content";
    expect(ownCall(below, at, "https://films.example/v1/files/2")?.path).toBe("files/2");
    expect(ownCall(below, at, "https://films.example/admin")).toBeNull();
    expect(ownCall(below, "https://films.example/other", "https://films.example/v1/files/2")).toBeNull();
    expect(ownCall(below, "", "https://films.example/v1/files/2")).toBeNull();
  });

  test("an address is read from answers that lead on alone", () => {
    const answer = (status: number, location: string) => new Response(null, { status, headers: { location } });
    expect(redirectIn(answer(302, "https://a.example/b/../c"))).toBe("https://a.example/c");
    expect(redirectIn(answer(200, "https://a.example/"))).toBeNull();
    expect(redirectIn(answer(302, "no address"))).toBeNull();
    expect(redirectIn(new Response(null, { status: 304 }))).toBeNull();
  });
});

describe("Veo's files", async () => {
  const [google, bucket] = [await upstream(), await upstream()];
  const yaml = `providers:\n  google: { kind: gemini, base_url: "${google.url}", credential: canary-1, models: [] }\n`;
  const allowed = { TURNPIKE_FETCH_ALLOW: new URL(bucket.url).host };
  const running = await gateway({ yaml, videoWaitScale: 0.002, environment: allowed });
  afterAll(async () => {
    await running.stop();
    await google.stop();
    await bucket.stop();
  });
  const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json", range: "bytes=0-1" };
  const name = "models/veo-3.1/operations/1";
  const video = { uri: "https://generativelanguage.googleapis.com/v1beta/files/a:download?alt=media" };
  const download = "GET /v1beta/files/a:download";

  async function made(): Promise<string> {
    google.on("POST /v1beta/models/veo-3.1:predictLongRunning", { json: { name } });
    google.on(`GET /v1beta/${name}`, {
      json: { name, done: true, response: { generateVideoResponse: { generatedSamples: [{ video }] } } },
    });
    const body = JSON.stringify({ model: "google/veo-3.1", prompt: "a cat" });
    const answer = await fetch(`${running.url}/v1/videos`, { method: "POST", headers, body });
    const { id } = (await answer.json()) as { id: string };
    await until("the video is completed", async () => {
      const result = await fetch(`${running.url}/v1/videos/${id}`, { headers });
      return ((await result.json()) as { status: string }).status === "completed";
    });
    return `${running.url}/v1/videos/${id}/content`;
  }

  test("come with the key from another path of the same host, and without it from a bucket", async () => {
    const url = await made();
    const task = { status: 206, bytes: [new Uint8Array([7, 8])], headers: { "content-range": "bytes 0-1/9" } };
    google.on(download, { status: 302, headers: { location: "/download/v1beta/files/a?alt=media" }, text: "" });
    google.on("GET /download/v1beta/files/a", task);
    const own = await fetch(url, { headers });
    expect({ status: own.status, bytes: await own.bytes() }).toEqual({ status: 206, bytes: new Uint8Array([7, 8]) });
    const followed = google.requests.at(-1);
    expect([followed?.path, followed?.headers.get("x-goog-api-key"), followed?.headers.get("range")]).toEqual([
      ...["/download/v1beta/files/a", "canary-1", "bytes=0-1"],
    ]);

    google.on(download, { status: 302, headers: { location: `${bucket.url}/film.mp4` }, text: "" });
    bucket.on("GET /film.mp4", task);
    expect((await fetch(url, { headers })).status).toBe(206);
    expect(JSON.stringify([...(bucket.requests[0]?.headers ?? [])])).not.toContain("canary");
  });

  test("are given up where they lead on for ever", async () => {
    const url = await made();
    google.on(download, { status: 302, headers: { location: "/v1beta/files/a:download?alt=media" }, text: "" });
    const before = google.requests.length;
    expect((await fetch(url, { headers })).status).toBe(502);
    expect(google.requests.length - before).toBe(maxRedirects + 1);
  });
});
