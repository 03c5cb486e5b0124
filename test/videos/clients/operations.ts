// A client of Google's format: an operation that is polled by its name, and files that are downloaded with the key.
import { absent, integer, type Shape, text } from "../shape.ts";
import type { Client, Facts, Result } from "./client.ts";

const codes: Readonly<Record<string, number>> = { task_timeout: 4, cancelled: 1, expired: 4 };
const refused = new Set(["content_policy_violation", "moderation_blocked"]);
const uri = /^http:\/\/127\.0\.0\.1:\d+\/v1beta\/files\/[0-9a-f]+:download\?alt=media$/;

function operation(word: Result, { id, model, failure }: Facts): Shape {
  const running = { done: absent, response: absent, error: absent };
  const failed = refused.has(failure.code)
    ? { done: true, error: absent, response: { generateVideoResponse: { raiMediaFilteredCount: 1 } } }
    : { done: true, response: absent, error: { code: codes[failure.code] ?? integer, message: failure.message } };
  const response = (generatedSamples: Shape): Shape => ({ generateVideoResponse: { generatedSamples } });
  const rest: Record<Result, { [name: string]: Shape }> = {
    queued: running,
    running,
    completed: { done: true, error: absent, response: response([{ video: { uri } }]) },
    stale: { done: true, error: absent, response: response([]) },
    failed,
    expired: failed,
    unknown: {},
  };
  return { name: `models/${model}/operations/${id}`, ...rest[word] };
}

const bodyOf = (body: Record<string, unknown>, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);

export const operations: Client = {
  name: "operations",
  hasImage: false,
  submit: (model, prompt) => ({
    method: "POST",
    path: `/v1beta/models/${model}:predictLongRunning`,
    body: { instances: [{ prompt }], parameters: { durationSeconds: 5 } },
  }),
  idOf: ({ name }) => String(name).replace(/^.*\//, ""),
  question: (id) => ({ method: "GET", path: `/v1beta/models/any/operations/${id}` }),
  accepted: (facts) => ({ ...(operation("queued", facts) as object), name: text }),
  resultOf: (word, facts) =>
    word === "unknown" ? { error: { code: 404, status: "NOT_FOUND", message: text } } : operation(word, facts),
  linkIn: (body) => bodyOf(body, "response", "generateVideoResponse", "generatedSamples", 0, "video", "uri"),
  linkNeedsKey: true,
  unknownStatus: 404,
};
