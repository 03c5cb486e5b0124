// Ark's Seedance as a vendor: a task that tells what was really made.
import { behind, isCall, shows, type Vendor, type Word } from "./vendor.ts";

const path = "/api/v3/contents/generations/tasks";
const words: Record<Word, string> = {
  queued: "queued",
  running: "running",
  done: "succeeded",
  failed: "failed",
  expired: "expired",
  gone: "",
};
const error = {
  code: "OutputVideoSensitiveContentDetected",
  message: "The request failed because the output video may contain sensitive information.",
};

export const seedance: Vendor = {
  name: "seedance",
  entry: (url) => `{ kind: ark, base_url: "${url}/api/v3", credential: canary-credential, models: [] }`,
  model: () => "doubao-seedance-1-0-pro-250528",
  isProven: shows("authorization", "Bearer "),
  isSubmit: (seen) => isCall(seen, "POST", path),
  id: (count) => `cgt-20250331175019-${count}`,
  accepted: (id) => ({ json: { id } }),
  taskOf: (seen) => behind(seen, `${path}/`),
  isCancel: ({ method }) => method === "DELETE",
  resultOf(word, id, video) {
    if (word === "gone")
      return { status: 404, json: { error: { code: "ResourceNotFound", message: "The task is not found." } } };
    const done = {
      content: { video_url: video },
      usage: { completion_tokens: 246_840, total_tokens: 246_840 },
      ...{ seed: 10, resolution: "1080p", ratio: "16:9", duration: 5, framespersecond: 24 },
    };
    const more = { queued: {}, running: {}, done, failed: { error }, expired: {} }[word];
    return { json: { id, model: "doubao-seedance-1-0-pro-250528", status: words[word], ...more } };
  },
  busy: {
    status: 429,
    json: { error: { code: "RateLimitExceeded.EndpointRPMExceeded", message: "slow down", type: "TooManyRequests" } },
  },
  seconds: 5,
  hasQueue: true,
  hasExpiry: true,
  failure: { code: "content_policy_violation", message: /sensitive information/ },
};
