// MiniMax as a vendor, on both of its wires: a file whose address has to be asked for, and a task that tells its own.
import type { Reply } from "../../support/upstream.ts";
import { behind, isCall, shows, type Vendor, type Word } from "./vendor.ts";

const entry = (url: string) => `{ kind: minimax, base_url: "${url}/v1", credential: canary-credential, models: [] }`;
const isProven = shows("authorization", "Bearer ");
const well = { status_code: 0, status_msg: "success" };
const failure = { code: "content_policy_violation", message: /sensitive/ };

export const minimax: Vendor = {
  name: "minimax",
  entry,
  model: () => "MiniMax-Hailuo-2.3",
  isProven,
  isSubmit: (seen) => isCall(seen, "POST", "/v1/video_generation"),
  id: (count) => String(176_843_000 + count),
  accepted: (id) => ({ json: { task_id: id, base_resp: well } }),
  taskOf: ({ path, query }) =>
    path === "/v1/query/video_generation"
      ? (query.get("task_id") ?? undefined)
      : path === "/v1/files/retrieve"
        ? query.get("file_id")?.replace(/^9/, "")
        : undefined,
  resultOf(word, id, video, { path }) {
    if (path === "/v1/files/retrieve")
      return { json: { file: { file_id: `9${id}`, download_url: video }, base_resp: well } };
    const task = (status: string, more: object = {}): Reply => ({
      json: { task_id: id, status, file_id: "", base_resp: well, ...more },
    });
    const files: Record<Word, () => Reply> = {
      queued: () => task("Queueing"),
      running: () => task("Processing"),
      done: () => task("Success", { file_id: `9${id}`, video_width: 1366, video_height: 768 }),
      failed: () => task("Fail", { base_resp: { status_code: 1027, status_msg: "output new_sensitive" } }),
      gone: () => task("", { base_resp: { status_code: 2013, status_msg: "invalid params, task not found" } }),
      expired: () => task(""),
    };
    return files[word]();
  },
  busy: { json: { base_resp: { status_code: 1002, status_msg: "rate limit" } } },
  seconds: 6,
  hasQueue: true,
  hasExpiry: false,
  failure,
};

const words: Record<Word, string> = {
  queued: "queued",
  running: "running",
  done: "succeeded",
  failed: "failed",
  expired: "expired",
  gone: "",
};

export const minimaxNewer: Vendor = {
  name: "minimaxNewer",
  entry,
  model: () => "MiniMax-H3",
  isProven,
  isSubmit: (seen) => isCall(seen, "POST", "/v2/video_generation"),
  id: (count) => `h3-${count}`,
  accepted: (id) => ({ json: { task_id: id } }),
  taskOf: (seen) => behind(seen, "/v2/query/video_generation/") ?? behind(seen, "/v2/video_generation/"),
  isCancel: ({ method }) => method === "DELETE",
  resultOf(word, id, video) {
    const error = { type: "bad_request_error", message: "task not found (2013)", http_code: "400" };
    if (word === "gone") return { status: 400, json: { type: "error", error, request_id: "r" } };
    const done = { content: { url: video }, usage: { total_seconds: 5, input_seconds: 0, output_seconds: 5 } };
    const failed = { error: { code: "1027", message: "output new_sensitive" } };
    const more = { done, failed, queued: {}, running: {}, expired: {} }[word];
    return { json: { task: { id, status: words[word], ...more } } };
  },
  busy: {
    status: 429,
    json: { type: "error", error: { type: "rate_limit_error", message: "rate limit (1002)" }, request_id: "r" },
  },
  seconds: 5,
  hasQueue: true,
  hasExpiry: true,
  failure,
};
