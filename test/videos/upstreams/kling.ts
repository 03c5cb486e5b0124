// Kling as a vendor, on its older and its newer paths: a token signed with a secret, a code beside everything.
import { createHmac } from "node:crypto";
import type { Reply, Seen } from "../../support/upstream.ts";
import { recorded } from "./fixture.ts";
import { behind, isCall, shows, type Vendor, type Word } from "./vendor.ts";

const secret = "canary-secret-key";
const entry = (url: string) =>
  `{ kind: kling, base_url: "${url}", access_key_id: canary-access-key, secret_access_key: ${secret}, models: [] }`;

/** The token is checked as the vendor does it. */
function isProven({ headers }: Seen): boolean {
  const [head = "", claims = "", signature] = (headers.get("authorization") ?? "").replace("Bearer ", "").split(".");
  const { iss, exp, nbf } = JSON.parse(Buffer.from(claims || "e30", "base64url").toString());
  const now = Date.now() / 1000;
  const isSigned = signature === createHmac("sha256", secret).update(`${head}.${claims}`).digest("base64url");
  return isSigned && iss === "canary-access-key" && nbf <= now && exp > now;
}

const refused = (status: number, code: number, message: string): Reply => ({
  status,
  json: { code, message, request_id: "r" },
});
const common = {
  entry,
  isProven,
  busy: refused(429, 1303, "parallel task over resource pack limit"),
  hasQueue: true,
  hasExpiry: false,
  failure: { code: "content_policy_violation", message: /risk control/ },
} as const;

const oldId = "CjhKX2dHl0wAAAAABJ0iGw";
const path = "/v1/videos/";

export const kling: Vendor = {
  ...common,
  name: "kling",
  model: () => "kling-v2-1",
  isSubmit: (seen) => isCall(seen, "POST", /^\/v1\/videos\/(?:text|image)2video$/),
  id: (count) => `CjhKling${count}`,
  accepted: (id) => recorded("kling/accepted.json", { [oldId]: id }),
  taskOf: (seen) => behind(seen, `${path}text2video/`) ?? behind(seen, `${path}image2video/`),
  resultOf(word, id, video) {
    const files: Record<Word, () => Reply> = {
      queued: () => recorded("kling/accepted.json", { [oldId]: id }),
      running: () => recorded("kling/processing.json", { [oldId]: id }),
      done: () => recorded("kling/succeed.json", { [oldId]: id, "https://v2-kling.example/output.mp4?x=1": video }),
      failed: () => recorded("kling/failed.json", { [oldId]: id }),
      gone: () => recorded("kling/unknown-task.json", {}, 404),
      expired: () => refused(500, 5000, "no such word"),
    };
    return files[word]();
  },
  seconds: 5.1,
};

const newId = "884839284";

function listed(id: string, status: string, message = ""): Reply {
  const task = { id, status, message, create_time: 1, update_time: 2, external_id: "task_1" };
  return { json: { code: 0, message: "SUCCEED", request_id: "r", data: status === "" ? [] : [task] } };
}

export const klingNewer: Vendor = {
  ...common,
  name: "klingNewer",
  // The newer paths take an API key only.
  entry: (url) => `{ kind: kling, base_url: "${url}", credential: canary-credential, models: [] }`,
  isProven: shows("authorization", "Bearer "),
  model: () => "kling-3.0",
  isSubmit: (seen) => isCall(seen, "POST", /^\/(?:text|image)-to-video\/kling-3\.0$/),
  id: (count) => String(884_000 + count),
  accepted: (id) => recorded("kling/tasks-accepted.json", { [newId]: id }),
  taskOf: ({ path: requested, query }) => (requested === "/tasks" ? (query.get("task_ids") ?? undefined) : undefined),
  resultOf(word, id, video) {
    const files: Record<Word, () => Reply> = {
      queued: () => listed(id, "submitted"),
      running: () => listed(id, "processing"),
      done: () => recorded("kling/tasks-succeeded.json", { [newId]: id, "https://v3-kling.example/output.mp4": video }),
      failed: () => listed(id, "failed", "Failure to pass the risk control system"),
      gone: () => listed(id, ""),
      expired: () => refused(500, 5000, "no such word"),
    };
    return files[word]();
  },
  seconds: 7,
};
