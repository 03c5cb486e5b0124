// Clients of format A: the plain fields, and the native envelope beside them as native clients check it.
import { pixel } from "../../dialects/video/setting.ts";
import { absent, anyText, link, type Shape, text, unixMs } from "../shape.ts";
import { type Client, envelope, type Facts, memberAt, type Result } from "./client.ts";
import { plainTask } from "./generations.ts";

const words: Record<Result, string> = {
  queued: "submitted",
  running: "processing",
  completed: "succeed",
  stale: "succeed",
  failed: "failed",
  expired: "failed",
  unknown: "",
};

/** Native clients want a numeric code, texts for messages, and a length as a text. */
function native(word: Result, { id, seconds, failure }: Facts): { [name: string]: Shape } {
  const videos: Record<Result, Shape> = {
    ...{ queued: absent, running: absent, failed: absent, expired: absent, unknown: absent },
    completed: { videos: [{ id: text, url: link, duration: String(seconds) }] },
    stale: { videos: [] },
  };
  const hasFailed = word === "failed" || word === "expired";
  return {
    code: 0,
    message: "SUCCEED",
    request_id: text,
    data: {
      task_id: id,
      task_status: words[word],
      task_status_msg: hasFailed ? failure.message : "",
      task_info: { external_task_id: anyText },
      created_at: unixMs,
      updated_at: unixMs,
      task_result: videos[word],
    },
  };
}

function resultOf(word: Result, facts: Facts): Shape {
  if (word !== "unknown") return { ...plainTask(word, facts), ...native(word, facts) };
  return { error: envelope("object_not_found"), code: 1203, message: text, request_id: text };
}

const common = {
  idOf: ({ task_id: id }) => String(id),
  resultOf: resultOf,
  linkIn: (body: Record<string, unknown>) => memberAt(body, "data.task_result.videos.0.url"),
  unknownStatus: 404,
} satisfies Partial<Client>;
const accepted = (facts: Facts): Shape => ({ ...plainTask("queued", facts), ...native("queued", facts) });

export const videoAText: Client = {
  ...common,
  name: "videoAText",
  hasImage: false,
  submit: (model, prompt) => ({
    method: "POST",
    path: "/videoA/v1/videos/text2video",
    body: { model, prompt, duration: 5 },
  }),
  question: (id) => ({ method: "GET", path: `/videoA/v1/videos/text2video/${id}` }),
  accepted,
};

/** As a native client says it: its own name for the model, a length as a text, bare Base64. */
export const videoAImage: Client = {
  ...common,
  name: "videoAImage",
  hasImage: true,
  submit: (model, prompt) => ({
    method: "POST",
    path: "/kling/v1/videos/image2video",
    body: { model_name: model, prompt, duration: "5", image: Buffer.from(pixel).toString("base64") },
  }),
  question: (id) => ({ method: "GET", path: `/kling/v1/videos/image2video/${id}` }),
  accepted,
};
