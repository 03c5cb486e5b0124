// Replicate as a vendor: a prediction that ends with an address.
import { behind, isCall, shows, type Vendor, type Word } from "./vendor.ts";

const words: Record<Word, string> = {
  queued: "starting",
  running: "processing",
  done: "succeeded",
  failed: "failed",
  gone: "",
  expired: "",
};

export const replicate: Vendor = {
  name: "replicate",
  entry: (url) => `{ kind: replicate, base_url: "${url}/v1", credential: canary-credential, models: [] }`,
  model: () => "google/veo-3.1",
  isProven: shows("authorization", "Bearer "),
  isSubmit: (seen) => isCall(seen, "POST", "/v1/models/google/veo-3.1/predictions"),
  id: (count) => `rrr4z55ocneqzikepnug6xez${count}`,
  accepted: (id) => ({ status: 201, json: { id, model: "google/veo-3.1", status: "starting", error: null } }),
  taskOf: (seen) => behind(seen, "/v1/predictions/"),
  isCancel: (seen) => isCall(seen, "POST", /\/cancel$/),
  resultOf(word, id, video) {
    if (word === "gone") return { status: 404, json: { title: "Not found", detail: "Not found", status: 404 } };
    const done = { output: video, metrics: { predict_time: 60, video_output_duration_seconds: 6 } };
    const failed = { error: "The input or output was flagged as sensitive. Please try again. (E005)" };
    const more = { queued: {}, running: {}, done, failed, expired: {} }[word];
    return { json: { id, status: words[word], error: null, output: null, ...more } };
  },
  busy: { status: 429, json: { title: "Too many requests", detail: "Request was throttled.", status: 429 } },
  seconds: 6,
  hasQueue: true,
  hasExpiry: false,
  failure: { code: "content_policy_violation", message: /flagged as sensitive/ },
};
