// Jimeng as a vendor: signed requests to one path, an action in the query, a code beside everything.
import type { Reply, Seen } from "../../support/upstream.ts";
import { recorded } from "./fixture.ts";
import type { Vendor, Word } from "./vendor.ts";

const scope =
  /^HMAC-SHA256 Credential=canary-access-key\/\d{8}\/cn-north-1\/cv\/request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/;
const action = ({ query }: Seen) => query.get("Action");
const data = (status: string): Reply => ({
  json: { code: 10_000, message: "Success", data: { status, video_url: "" } },
});

export const jimeng: Vendor = {
  name: "jimeng",
  entry: (url) =>
    `{ kind: jimeng, base_url: "${url}", access_key_id: canary-access-key, secret_access_key: canary-secret-key, models: [] }`,
  model: () => "jimeng_v30",
  isProven: ({ headers, query }) =>
    scope.test(headers.get("authorization") ?? "") && headers.has("x-date") && query.get("Version") === "2022-08-31",
  isSubmit: (seen) => action(seen) === "CVSync2AsyncSubmitTask",
  id: (count) => String(7_392_616_000 + count),
  accepted: (id) => recorded("jimeng/accepted.json", { "7392616336519610409": id }),
  taskOf(seen) {
    const { task_id: id, req_key: key } = (seen.json ?? {}) as { task_id?: string; req_key?: string };
    const isQuestion = action(seen) === "CVSync2AsyncGetResult" && /^jimeng_(?:t2v|i2v_first)_v30$/.test(key ?? "");
    return isQuestion ? id : undefined;
  },
  resultOf(word, _id, video) {
    const files: Record<Word, () => Reply> = {
      queued: () => data("in_queue"),
      running: () => recorded("jimeng/generating.json", {}),
      done: () => recorded("jimeng/done.json", { "https://v26-aigc.example/0/video.mp4?a=1&lr=1": video }),
      failed: () => recorded("jimeng/refused-output.json", {}, 400),
      gone: () => data("not_found"),
      expired: () => data("expired"),
    };
    return files[word]();
  },
  busy: recorded("jimeng/busy.json", {}, 429),
  seconds: 5,
  hasQueue: true,
  hasExpiry: true,
  failure: { code: "content_policy_violation", message: /Risk Not Pass/ },
};
