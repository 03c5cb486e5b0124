// Videos of the sandbox: a task with its script in its id, so that it continues after a restart, and a small video.

import type { VideoState } from "../../canonical/video.ts";
import type { UpstreamRequest } from "../../dialects/dialect.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import { parseError } from "../../dialects/openai-error.ts";
import type { VideoProgress, VideoUpstream } from "../../dialects/video/upstream.ts";
import { pause } from "../../lib/abortable.ts";
import { ranged } from "../../lib/byte-range.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import { readDirectives } from "./directives.ts";
import { sampleVideo } from "./sample-video.ts";
import { videoWarnings } from "./warnings.ts";

/** What a prompt makes a task do, in the same brackets as other directives: `[sandbox run=500 fail=50]`. */
interface TaskScript {
  readonly atMs: number;
  /** Its duration. */
  readonly runMs: number;
  /** At this percentage it fails, is lost, or stops responding. */
  readonly fail?: number;
  readonly lose?: number;
  readonly stall?: number;
}

const tasks = "video/tasks";
const defaultRunMs = 3_000;
const queuedPercent = 10;
const word = /\b(run|fail|lose|stall)=(\d{1,9})/g;

function scriptOf(prompt: string, nowMs: number): TaskScript {
  const directives = /\[sandbox ([^\]]{1,200})\]/.exec(prompt)?.[1] ?? "";
  const words = Object.fromEntries([...directives.matchAll(word)].map(([, name = "", value]) => [name, Number(value)]));
  const { run, ...rest } = words;
  return { atMs: nowMs, runMs: run ?? defaultRunMs, ...rest };
}

const idOf = (script: TaskScript): string => Buffer.from(JSON.stringify(script)).toString("base64url");

function scriptIn(id: string): TaskScript | null {
  const script = parseJsonText(Buffer.from(id, "base64url").toString());
  return isObject(script) && typeof script.atMs === "number" && typeof script.runMs === "number"
    ? (script as unknown as TaskScript)
    : null;
}

/** The present state of a script. */
function statusOf(script: TaskScript, nowMs: number): JsonObject | null {
  const reached = script.runMs <= 0 ? 100 : Math.min(100, (100 * (nowMs - script.atMs)) / script.runMs);
  if (reached >= (script.lose ?? 101)) return null;
  if (reached >= (script.fail ?? 101)) return { status: "failed", message: "The sandbox was instructed to fail." };
  const percent = Math.floor(Math.min(reached, script.stall ?? 100));
  if (percent >= 100) return { status: "completed", percent };
  return { status: percent < queuedPercent ? "queued" : "in_progress", percent };
}

const notFound = (): Response => Response.json({ error: { message: "The task was not found." } }, { status: 404 });

function videoResponse(range: string | undefined): Response {
  const part = ranged(sampleVideo.bytes, range);
  const headers: Record<string, string> = { "content-type": sampleVideo.mediaType, "accept-ranges": "bytes" };
  if (part.status !== 416) headers["content-length"] = String(part.bytes.length);
  if ("contentRange" in part) headers["content-range"] = part.contentRange;
  return new Response(part.status === 416 ? null : part.bytes, { status: part.status, headers });
}

async function submit({ body }: UpstreamRequest, signal: Cancellation): Promise<Response> {
  const prompt = String(body.prompt ?? "");
  const { delayMs, error: instructedStatus, rateLimit } = readDirectives(String(body.model), prompt);
  await pause(delayMs, signal);
  const status = rateLimit === null ? instructedStatus : 429;
  const headers = rateLimit === null ? {} : { "retry-after": String(rateLimit) };
  const error = { message: "The sandbox was instructed to refuse." };
  if (status !== null) return Response.json({ error }, { status, headers });
  return Response.json({ id: idOf(scriptOf(prompt, Date.now())), status: "queued", percent: 0 });
}

/** Answers a call about a task, as an upstream would. */
export async function answerSandboxTask(call: UpstreamRequest, signal: Cancellation): Promise<Response> {
  const [, id = "", what = ""] = /^video\/tasks\/([\w-]+)(?:\/(\w+))?$/.exec(call.path) ?? [];
  if (call.path === tasks) return submit(call, signal);
  const script = scriptIn(id);
  if (script === null) return notFound();
  if (what === "remix") return submit(call, signal);
  if (call.method === "DELETE") return new Response(null, { status: 204 });
  const status = statusOf(script, Date.now());
  if (status === null) return notFound();
  return what === "content" ? videoResponse(call.headers?.range) : Response.json({ id, ...status });
}

const states = new Set<unknown>(["queued", "in_progress", "completed", "failed"] satisfies VideoState[]);
const { bytes: _bytes, ...figures } = sampleVideo;
const result = { place: { kind: "content" }, ...figures } as const;

function progressIn(body: JsonObject): VideoProgress {
  const { status, percent, message } = body;
  const failure = { code: "sandbox_error", message: String(message) };
  return {
    ...(states.has(status) ? { state: status as VideoState } : { unknownStatus: String(status) }),
    ...(typeof percent === "number" ? { percent } : {}),
    ...(status === "failed" ? { failure } : {}),
    ...(status === "completed" ? { results: [result] } : {}),
  };
}

const path = (id: string, what = ""): string => `${tasks}/${id}${what}`;
const get = (at: string): UpstreamRequest => ({ method: "GET", path: at, body: {} });

export const sandboxVideos: VideoUpstream = {
  name: "sandbox-videos",
  imageForms: ["url", "data", "file"],
  render: (request, context) => ({
    call: { path: tasks, body: { model: context.model, prompt: request.prompt ?? "" } },
    warnings: videoWarnings(request, context),
    // There is one video, whatever was requested.
    effect: { seconds: sampleVideo.seconds, width: sampleVideo.width, height: sampleVideo.height, audio: false },
  }),
  accepted({ body }) {
    if (!isObject(body) || typeof body.id !== "string") throw invalidUpstreamResponse("the response has no task ID");
    return { upstreamId: body.id, progress: progressIn(body) };
  },
  poll: ({ upstreamId }) => get(path(upstreamId)),
  progress: ({ status, body }) => {
    if (status === 404) return { isGone: true };
    return status === 200 && isObject(body) ? progressIn(body) : null;
  },
  cancel: ({ upstreamId }) => ({ method: "DELETE", path: path(upstreamId), body: {} }),
  remix: ({ upstreamId, model }, prompt) => ({
    call: { path: path(upstreamId, "/remix"), body: { model, prompt } },
    warnings: [],
    effect: {},
  }),
  content: ({ upstreamId }, _place, variant) => (variant === "video" ? get(path(upstreamId, "/content")) : null),
  error: { parse: parseError },
  pace: { firstMs: 300, mostMs: 700 },
};
