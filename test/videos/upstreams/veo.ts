// Google's Veo as a vendor, on the Gemini API and on Vertex AI: operations that tell no more than their end.
import { sampleVideo } from "../../../src/providers/sandbox/sample-video.ts";
import type { Reply, Seen } from "../../support/upstream.ts";
import { recorded } from "./fixture.ts";
import { isCall, shows, type Vendor, type Word } from "./vendor.ts";

const notFound: Reply = {
  status: 404,
  json: { error: { code: 404, message: "Operation not found.", status: "NOT_FOUND" } },
};
const busy: Reply = {
  status: 429,
  json: { error: { code: 429, message: "Resource has been exhausted.", status: "RESOURCE_EXHAUSTED" } },
};
const common = { busy, hasQueue: false, hasExpiry: false } as const;

const geminiName = "models/veo-3.1-generate-preview/operations/idrk08ltkg0a";
const download = /^\/v1beta\/files\/(film\d+):download$/;
const lie = "https://generativelanguage.googleapis.com/v1beta/files/d0b7u5vdc6ff:download?alt=media&key=canary";
const numberIn = (text: string): string => /\d+$/.exec(text)?.[0] ?? "";
const geminiId = (count: number | string) => `models/veo-3.1-generate-preview/operations/op${count}`;

export const veo: Vendor = {
  ...common,
  name: "veo",
  entry: (url) => `{ kind: gemini, base_url: "${url}", credential: canary-credential, models: [] }`,
  model: () => "veo-3.1-generate-preview",
  isProven: shows("x-goog-api-key"),
  isSubmit: (seen) => isCall(seen, "POST", "/v1beta/models/veo-3.1-generate-preview:predictLongRunning"),
  id: geminiId,
  accepted: (id) => recorded("veo/accepted.json", { [geminiName]: id }),
  taskOf({ path, query }) {
    const video = query.get("alt") === "media" ? download.exec(path)?.[1] : undefined;
    if (video !== undefined) return geminiId(numberIn(video));
    return /^\/v1beta\/(models\/[\w.-]+\/operations\/op\d+)$/.exec(path)?.[1];
  },
  isDownload: ({ path }) => download.test(path),
  resultOf(word, id) {
    const running = { json: { name: id, metadata: { "@type": "PredictLongRunningMetadata" } } };
    const files: Record<Word, () => Reply> = {
      queued: () => running,
      running: () => running,
      done: () => recorded("veo/done.json", { [geminiName]: id, [lie]: lie.replace(/d0b7\w+/, `film${numberIn(id)}`) }),
      failed: () => recorded("veo/failed.json", { [geminiName]: id }),
      gone: () => notFound,
      expired: () => notFound,
    };
    return files[word]();
  },
  seconds: 6,
  failure: { code: "generation_failed", message: /internal server issue/ },
};

const root = "projects/p/locations/us-central1/publishers/google/models/veo-3.0-generate-001";
const vertexName = `${root}/operations/a1b07c8e-7b5a-4aba-bb34-3e1ccb8afcc8`;

export const veoVertex: Vendor = {
  ...common,
  name: "veoVertex",
  entry: (url) =>
    `{ kind: vertex, base_url: "${url}", credential: canary-credential, project: p, location: us-central1, models: [] }`,
  model: () => "veo-3.0-generate-001",
  isProven: shows("authorization", "Bearer "),
  isSubmit: (seen) => isCall(seen, "POST", `/v1/${root}:predictLongRunning`),
  id: (count) => `${root}/operations/op${count}`,
  accepted: (id) => recorded("veo/vertex-accepted.json", { [vertexName]: id }),
  taskOf: (seen: Seen) =>
    isCall(seen, "POST", `/v1/${root}:fetchPredictOperation`)
      ? (seen.json as { operationName: string }).operationName
      : undefined,
  resultOf(word, id) {
    const running = { json: { name: id } };
    const bytes = Buffer.from(sampleVideo.bytes).toString("base64");
    const filtered = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ["It violates our usage guidelines."] };
    const files: Record<Word, () => Reply> = {
      queued: () => running,
      running: () => running,
      done: () => recorded("veo/vertex-done.json", { [vertexName]: id, AAAAIGZ0eXBpc29t: bytes }),
      failed: () => ({ json: { name: id, done: true, response: filtered } }),
      gone: () => notFound,
      expired: () => notFound,
    };
    return files[word]();
  },
  seconds: 6,
  failure: { code: "content_policy_violation", message: /usage guidelines/ },
};
