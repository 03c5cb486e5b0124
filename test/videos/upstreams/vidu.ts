// Vidu as a vendor: a path for each way to use images, and creations whose addresses are asked for anew.
import { behind, isCall, shows, type Vendor, type Word } from "./vendor.ts";

const states: Record<Word, string> = {
  queued: "queueing",
  running: "processing",
  done: "success",
  failed: "failed",
  gone: "",
  expired: "",
};

export const vidu: Vendor = {
  name: "vidu",
  entry: (url) => `{ kind: vidu, base_url: "${url}/ent/v2", credential: canary-credential, models: [] }`,
  model: () => "viduq3-pro",
  isProven: shows("authorization", "Token "),
  isSubmit: (seen) => isCall(seen, "POST", /^\/ent\/v2\/(?:text|img)2video$/),
  id: (count) => String(8_110_000 + count),
  accepted: (id) => ({
    json: { task_id: id, state: "created", model: "viduq3-pro", duration: 5, resolution: "720p", credits: 4 },
  }),
  taskOf: (seen) => behind(seen, "/ent/v2/tasks/"),
  isCancel: (seen) => isCall(seen, "POST", /\/cancel$/),
  resultOf(word, id, video) {
    if (word === "gone") return { status: 404, json: { code: 404, reason: "NotFound", message: "task not found" } };
    const creations = word === "done" ? [{ id: "1", url: video, cover_url: "https://vidu.example/c.jpg" }] : [];
    const error = word === "failed" ? "AuditSubmitIllegal" : "";
    return { json: { id, state: states[word], err_code: error, credits: 4, payload: "task_1", creations } };
  },
  busy: { status: 429, json: { code: 429, reason: "TooManyRequests", message: "slow down", metadata: {} } },
  seconds: 5,
  hasQueue: true,
  hasExpiry: false,
  failure: { code: "content_policy_violation", message: /could not generate/ },
};
