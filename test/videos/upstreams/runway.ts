// Runway as a vendor: a version in a header, and a task that tells its progress.
import { behind, isCall, shows, type Vendor, type Word } from "./vendor.ts";

const shown = shows("authorization", "Bearer ");
const words: Record<Word, string> = {
  queued: "THROTTLED",
  running: "RUNNING",
  done: "SUCCEEDED",
  failed: "FAILED",
  gone: "",
  expired: "",
};

export const runway: Vendor = {
  name: "runway",
  entry: (url) => `{ kind: runway, base_url: "${url}/v1", credential: canary-credential, models: [] }`,
  model: () => "gen4.5",
  isProven: (seen) => shown(seen) && seen.headers.get("x-runway-version") === "2024-11-06",
  isSubmit: (seen) => isCall(seen, "POST", /^\/v1\/(?:text|image)_to_video$/),
  id: (count) => `17f20503-6c24-4c16-946b-${count}`,
  accepted: (id) => ({ json: { id } }),
  taskOf: (seen) => behind(seen, "/v1/tasks/"),
  isCancel: ({ method }) => method === "DELETE",
  resultOf(word, id, video) {
    if (word === "gone") return { status: 404, json: { error: "An task with that ID was not found." } };
    const failed = { failure: "An unexpected safety matter.", failureCode: "SAFETY.INPUT.TEXT" };
    const more = { queued: {}, running: { progress: 0.4 }, done: { output: [video] }, failed, expired: {} }[word];
    return { json: { id, status: words[word], createdAt: "2025-11-20T10:00:00.000Z", ...more } };
  },
  busy: { status: 429, json: { error: "You have run out of daily task generations." } },
  seconds: 5,
  hasQueue: true,
  hasExpiry: false,
  failure: { code: "content_policy_violation", message: /safety matter/ },
};
