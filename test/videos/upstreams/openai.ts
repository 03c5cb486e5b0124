// OpenAI as a vendor of videos: an object that tells everything, content behind the key.
import { behind, isCall, shows, type Vendor, type Word } from "./vendor.ts";

const words: Record<Word, string> = {
  queued: "queued",
  running: "in_progress",
  done: "completed",
  failed: "failed",
  expired: "expired",
  gone: "",
};
const error = { code: "moderation_blocked", message: "Your request was blocked by our moderation system." };
const video = (id: string, more: object) => ({
  ...{ id, object: "video", model: "sora-2", created_at: 1_700_000_000, seconds: "4", size: "720x1280", error: null },
  ...more,
});

export const openai: Vendor = {
  name: "openai",
  entry: (url) => `{ kind: openai, base_url: "${url}/v1", credential: canary-credential, models: [] }`,
  model: () => "sora-2",
  isProven: shows("authorization", "Bearer "),
  isSubmit: (seen) => isCall(seen, "POST", "/v1/videos"),
  id: (count) => `video_up${count}`,
  accepted: (id) => ({ json: video(id, { status: "queued", progress: 0 }) }),
  taskOf: (seen) => behind(seen, "/v1/videos/"),
  isDownload: (seen) => seen.path.endsWith("/content"),
  resultOf(word, id) {
    if (word === "gone") return { status: 404, json: { error: { message: "Video not found", code: "not_found" } } };
    const progress = word === "running" ? 33 : word === "done" ? 100 : 0;
    return { json: video(id, { status: words[word], progress, ...(word === "failed" ? { error } : {}) }) };
  },
  busy: { status: 429, json: { error: { message: "Rate limit reached", code: "rate_limit_exceeded" } } },
  seconds: 4,
  hasQueue: true,
  hasExpiry: true,
  failure: { code: "moderation_blocked", message: /blocked by our moderation/ },
};
