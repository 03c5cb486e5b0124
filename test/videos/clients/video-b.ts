// A client of format B: one path, an action in the query, a code that is looked at before anything else.
import { absent, link, type Shape, text } from "../shape.ts";
import { type Client, type Facts, memberAt, type Result } from "./client.ts";

const version = "Version=2022-08-31";
export const submitPath = `/videoB/?Action=CVSync2AsyncSubmitTask&${version}`;
export const resultPath = `/videoB/?Action=CVSync2AsyncGetResult&${version}`;

const answer = (data: Shape, code = 10_000, message: Shape = "Success"): Shape => ({
  code,
  status: code,
  message,
  request_id: text,
  time_elapsed: /^\d+\.\d+ms$/,
  data,
});

const data = (id: Shape, status: string, url: Shape = ""): Shape => ({
  task_id: id,
  status,
  video_url: url,
  image_urls: null,
  binary_data_base64: [],
});

function resultOf(word: Result, { id, failure }: Facts): Shape {
  const isContent = /policy|moderation/.test(failure.code);
  const answers: Record<Result, Shape> = {
    queued: answer(data(id, "in_queue")),
    running: answer(data(id, "generating")),
    completed: answer(data(id, "done", link)),
    stale: answer(data(id, "done")),
    failed: answer(null, isContent ? 50_511 : 50_500, failure.message),
    expired: answer(data(id, "expired")),
    unknown: answer(data(absent, "not_found")),
  };
  return answers[word];
}

export const videoB: Client = {
  name: "videoB",
  hasImage: false,
  submit: (model, prompt) => ({ method: "POST", path: submitPath, body: { req_key: model, prompt, frames: 121 } }),
  idOf: ({ data: found }) => String((found as { task_id: unknown } | null)?.task_id),
  question: (id) => ({ method: "POST", path: resultPath, body: { req_key: "any", task_id: id } }),
  accepted: ({ id }) => answer({ task_id: id }),
  resultOf: resultOf,
  linkIn: (body) => memberAt(body, "data.video_url"),
  // Native clients read it in the data.
  unknownStatus: 200,
};
