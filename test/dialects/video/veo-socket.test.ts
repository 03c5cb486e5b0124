// Veo and Wan on sockets: where their calls go below the addresses of their providers, and who asks.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { geminiVeo, vertexVeo, wanVideos } from "../../../src/dialects/video/index.ts";
import type { VideoUpstream } from "../../../src/dialects/video/upstream.ts";
import { Secret } from "../../../src/lib/secret.ts";
import type { Account } from "../../../src/providers/credentials.ts";
import { httpProvider } from "../../../src/providers/http-provider.ts";
import type { Provider } from "../../../src/providers/provider.ts";
import { kindOf } from "../../providers/helpers.ts";
import { upstream } from "../../support/upstream.ts";
import { plainVideo, renderContext, upstreamTask } from "./setting.ts";

const up = await upstream();
afterAll(() => up.stop());
beforeEach(() => {
  up.clear();
  up.on("*", { json: {} });
});

function providerOf(kind: string, path = "", account: Account = {}): Provider {
  const entry = { name: "films", kind: kindOf(kind), baseUrl: `${up.url}${path}`, models: null, headers: {} };
  return httpProvider({ ...entry, credential: new Secret("theirs-1"), account, timeouts: {} });
}

const { signal } = new AbortController();
async function sent(provider: Provider, wire: VideoUpstream, model: string) {
  expect(provider.kind.videos).toContain(wire);
  await provider.dispatch.sendTask?.(wire.render(plainVideo, { ...renderContext, model }).call, signal);
  await provider.dispatch.sendTask?.(
    wire.poll({ ...upstreamTask, model, upstreamId: "models/m/operations/1" }),
    signal,
  );
  return [await up.seen(0), await up.seen(1)] as const;
}

test("the Gemini API: the key in its header, files below the same address", async () => {
  const provider = providerOf("gemini");
  const [submit, poll] = await sent(provider, geminiVeo, "veo-3.1-generate-preview");
  expect(submit.path).toBe("/v1beta/models/veo-3.1-generate-preview:predictLongRunning");
  expect([poll.method, poll.path]).toEqual(["GET", "/v1beta/models/m/operations/1"]);
  const call = geminiVeo.content?.(upstreamTask, { kind: "content", ref: "files/abc" }, "video");
  if (call) await provider.dispatch.sendTask?.(call, signal);
  const file = await up.seen(2);
  expect([file.method, file.path, file.query.toString()]).toEqual(["GET", "/v1beta/files/abc:download", "alt=media"]);
  for (const seen of up.requests) expect(seen.headers.get("x-goog-api-key")).toBe("theirs-1");
});

test("Vertex: below the project and the location", async () => {
  const provider = providerOf("vertex", "", { project: "p", location: "us-central1" });
  const [submit, poll] = await sent(provider, vertexVeo, "veo-3.0-generate-001");
  const root = "/v1/projects/p/locations/us-central1/publishers/google/models/veo-3.0-generate-001";
  expect(submit.path).toBe(`${root}:predictLongRunning`);
  expect([poll.method, poll.path]).toEqual(["POST", `${root}:fetchPredictOperation`]);
  expect(poll.json).toEqual({ operationName: "models/m/operations/1" });
  expect(poll.headers.get("authorization")).toBe("Bearer theirs-1");
});

test.each(["/compatible-mode/v1", ""])("DashScope: beside the compatible API at %p", async (path) => {
  const [submit, poll] = await sent(providerOf("dashscope", path), wanVideos, "wan2.6-t2v");
  expect(submit.path).toBe("/api/v1/services/aigc/video-generation/video-synthesis");
  expect(submit.headers.get("x-dashscope-async")).toBe("enable");
  expect(submit.headers.get("authorization")).toBe("Bearer theirs-1");
  expect([poll.method, poll.path]).toEqual(["GET", "/api/v1/tasks/models%2Fm%2Foperations%2F1"]);
});
