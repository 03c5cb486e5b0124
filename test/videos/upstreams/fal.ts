// fal's queue as a vendor: a status that tells no more than its end, and an answer behind it.
import { isCall, shows, type Vendor, type Word } from "./vendor.ts";

const app = "/fal-ai/veo3.1";
const words: Record<Word, string> = {
  queued: "IN_QUEUE",
  running: "IN_PROGRESS",
  done: "COMPLETED",
  failed: "COMPLETED",
  gone: "",
  expired: "",
};
const detail = [
  { loc: ["body", "prompt"], msg: "The content could not be processed.", type: "content_policy_violation" },
];

export const fal: Vendor = {
  name: "fal",
  entry: (url) => `{ kind: fal, base_url: "${url}", credential: canary-credential, models: [] }`,
  model: (hasImage) => (hasImage ? "fal-ai/veo3.1/image-to-video" : "fal-ai/veo3.1"),
  isProven: shows("authorization", "Key "),
  isSubmit: (seen) => isCall(seen, "POST", /^\/fal-ai\/veo3\.1(?:\/image-to-video)?$/),
  id: (count) => `764cabcf-b745-4b3e-${count}`,
  accepted: (id) => ({
    json: { request_id: id, response_url: `https://queue.fal.run${app}/requests/${id}`, status: "IN_QUEUE" },
  }),
  taskOf: ({ path }) => new RegExp(`^${app}/requests/([\\w-]+)(?:/status|/cancel)?$`).exec(path)?.[1],
  isCancel: (seen) => isCall(seen, "PUT", /\/cancel$/),
  resultOf(word, id, video, { path }) {
    if (word === "gone") return { status: 404, json: { detail: "Request not found" } };
    if (path.endsWith("/status")) return { json: { request_id: id, status: words[word] } };
    if (word === "failed") return { status: 422, json: { detail } };
    return { json: { video: { url: video, content_type: "video/mp4", duration: 5.04, fps: 24 }, seed: 7 } };
  },
  busy: { status: 429, json: { detail: "Too many requests" } },
  seconds: 5.04,
  hasQueue: true,
  hasExpiry: false,
  failure: { code: "content_policy_violation", message: /could not be processed/ },
};
