// DashScope's Wan as a vendor: a task behind a header that asks for one.
import type { Reply } from "../../support/upstream.ts";
import { recorded } from "./fixture.ts";
import { behind, isCall, shows, type Vendor, type Word } from "./vendor.ts";

const shown = shows("authorization", "Bearer ");
const submit = "/api/v1/services/aigc/video-generation/video-synthesis";

export const wan: Vendor = {
  name: "wan",
  entry: (url) =>
    `{ kind: dashscope, base_url: "${url}/compatible-mode/v1", credential: canary-credential, models: [] }`,
  model: (hasImage) => (hasImage ? "wan2.6-i2v" : "wan2.6-t2v"),
  isProven: (seen) => shown(seen) && (seen.path !== submit || seen.headers.get("x-dashscope-async") === "enable"),
  isSubmit: (seen) => isCall(seen, "POST", submit),
  id: (count) => `0385dc79-5ff8-${count}`,
  accepted: (id) => recorded("wan/accepted.json", { "0385dc79-5ff8-4d82-bcb6-xxxxxx": id }),
  taskOf: (seen) => behind(seen, "/api/v1/tasks/"),
  isCancel: (seen) => isCall(seen, "POST", /\/cancel$/),
  resultOf(word, id, video) {
    const pending = (status: string): Reply => ({
      json: { request_id: "r", output: { task_id: id, task_status: status } },
    });
    const done = {
      "0385dc79-5ff8-4d82-bcb6-xxxxxx": id,
      "https://dashscope-result.example/xxx.mp4?Expires=xxxx": video,
    };
    const files: Record<Word, () => Reply> = {
      queued: () => pending("PENDING"),
      running: () => pending("RUNNING"),
      done: () => recorded("wan/succeeded.json", done),
      failed: () => recorded("wan/failed.json", { "86ecf553-d340-4e21-af6e-xxxxxx": id }),
      gone: () => recorded("wan/unknown.json", { "502a00b1-19d9-4839-a82f-xxxxxx": id }),
      expired: () => pending("UNKNOWN"),
    };
    return files[word]();
  },
  busy: {
    status: 429,
    json: { code: "Throttling.RateQuota", message: "Requests rate limit exceeded", request_id: "r" },
  },
  seconds: 10,
  hasQueue: true,
  hasExpiry: false,
  failure: { code: "content_policy_violation", message: /inappropriate content/ },
};
