// A client of the plain format.
import { absent, integer, link, type Shape, text, unixTime } from "../shape.ts";
import { type Client, envelope, type Facts, memberAt, numberOf, type Result } from "./client.ts";

const path = "/v1/video/generations";

/** The object of a task, which another format carries, too. */
export function plainTask(word: Result, facts: Facts): { [name: string]: Shape } {
  const { id, model, seconds, failure } = facts;
  const pending = { url: absent, format: absent, metadata: absent, error: absent };
  const failed = { ...pending, error: { code: numberOf(facts), message: failure.message, type: failure.code } };
  const completed = { format: "mp4", metadata: { duration: seconds }, error: absent, progress: 100 };
  const rest: Record<Result, { [name: string]: Shape }> = {
    queued: { ...pending, status: "queued", progress: 0 },
    running: { ...pending, status: "in_progress", progress: (value) => integer(value) && Number(value) > 0 },
    completed: { ...completed, status: "completed", url: link, completed_at: unixTime },
    stale: { ...completed, status: "completed", url: absent },
    failed: { ...failed, status: "failed" },
    expired: { ...failed, status: "failed" },
    unknown: {},
  };
  return { task_id: id, id, object: "video", model, created_at: unixTime, progress: integer, ...rest[word] };
}

export const generations: Client = {
  name: "generations",
  hasImage: false,
  submit: (model, prompt) => ({ method: "POST", path, body: { model, prompt, duration: 5 } }),
  idOf: ({ task_id: id }) => String(id),
  question: (id) => ({ method: "GET", path: `${path}/${id}` }),
  accepted: (facts) => ({ ...plainTask("queued", facts), task_id: text, id: text }),
  resultOf: (word, facts) => (word === "unknown" ? { error: envelope("object_not_found") } : plainTask(word, facts)),
  linkIn: (body) => memberAt(body, "url"),
  unknownStatus: 404,
};
