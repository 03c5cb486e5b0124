// A client of OpenAI's format, which sends a form as its SDK does.
import { absent, integer, link, type Shape, text, unixTime } from "../shape.ts";
import { type Client, envelope, type Facts, memberAt, type Result } from "./client.ts";

const path = "/v1/videos";
const seconds = (value: unknown): boolean => typeof value === "string" && Number(value) > 0;

function videoObject(word: Result, { id, model, seconds: made, failure }: Facts): Shape {
  const pending = { error: null, completed_at: absent, metadata: { url: absent } };
  const failed = { status: "failed", error: { code: failure.code, message: failure.message } };
  const completed = { status: "completed", progress: 100, error: null, seconds: String(made), completed_at: unixTime };
  const rest: Record<Result, { [name: string]: Shape }> = {
    queued: { ...pending, status: "queued", progress: 0 },
    running: { ...pending, status: "in_progress" },
    completed: { ...completed, metadata: { url: link } },
    stale: { ...completed, expires_at: integer, metadata: { url: absent } },
    failed,
    expired: failed,
    unknown: {},
  };
  return {
    ...{ id, object: "video", model, progress: integer, created_at: unixTime, seconds },
    ...{ prompt: text, remixed_from_video_id: null },
    ...rest[word],
  };
}

export const videos: Client = {
  name: "videos",
  hasImage: false,
  submit(model, prompt) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, prompt, seconds: "5" })) form.set(name, value);
    return { method: "POST", path, body: form };
  },
  idOf: ({ id }) => String(id),
  question: (id) => ({ method: "GET", path: `${path}/${id}` }),
  accepted: (facts) => videoObject("queued", facts),
  resultOf: (word, facts) => (word === "unknown" ? { error: envelope("object_not_found") } : videoObject(word, facts)),
  linkIn: (body) => memberAt(body, "metadata.url"),
  unknownStatus: 404,
};
