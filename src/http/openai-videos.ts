// Requests that only one video format has: list, delete, download, remix.
import { GatewayError } from "../canonical/error.ts";
import type { VideoRequest } from "../canonical/video.ts";
import type { VideoClient } from "../dialects/video/client.ts";
import { remixSchema, videoPage } from "../dialects/video/index.ts";
import type { Content } from "../gateway/tasks/source-body.ts";
import type { HandlerContext, QueryParameter } from "./endpoint.ts";
import { queryOf } from "./target.ts";
import { answerCreated, callerOf, namedCaller, readValid, seen, type VideoPartsOf } from "./videos.ts";
import { writeJson } from "./write.ts";

const defaultLimit = 20;
const mostListed = 100;
const orders = ["asc", "desc"];

export const pageQuery: readonly QueryParameter[] = [
  {
    name: "limit",
    description: "Number of videos to return.",
    schema: { type: "integer", minimum: 1, maximum: mostListed, default: defaultLimit },
  },
  {
    name: "order",
    description: "Sort order by creation time.",
    schema: { type: "string", enum: orders, default: "desc" },
  },
  { name: "after", description: "ID of the video after which the page starts.", schema: { type: "string" } },
];

export const contentQuery: readonly QueryParameter[] = [
  {
    name: "variant",
    description: "The asset to download: the video, or an image of it if the provider has one.",
    schema: { type: "string", enum: ["video", "thumbnail", "spritesheet"], default: "video" },
  },
  {
    name: "index",
    description: "Index of the video, for tasks with several videos.",
    schema: { type: "integer", minimum: 0, maximum: 15, default: 0 },
  },
  { name: "exp", description: "Expiry time of a signed link.", schema: { type: "string" } },
  { name: "sig", description: "Signature of a signed link.", schema: { type: "string" } },
];

const bad = (param: string, message: string): GatewayError => new GatewayError("invalid_value", message, { param });

function limitIn(query: URLSearchParams): number {
  const text = query.get("limit");
  if (text === null || text === "") return defaultLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > mostListed) throw bad("limit", `'limit' must be an integer from 1 to ${mostListed}.`);
  return limit;
}

function isDescending(query: URLSearchParams): boolean {
  const order = query.get("order") ?? "desc";
  if (!orders.includes(order)) throw bad("order", "'order' must be 'asc' or 'desc'.");
  return order === "desc";
}

/** A page of the caller's videos. */
export async function listVideos(parts: VideoPartsOf, visit: HandlerContext): Promise<Response> {
  const searchParams = queryOf(visit.request);
  const page = {
    limit: limitIn(searchParams),
    isDescending: isDescending(searchParams),
    after: searchParams.get("after") || null,
  };
  const { tasks, hasMore } = await parts().videos.list(callerOf(visit).keyId, page);
  return writeJson(
    videoPage(
      tasks.map((task) => seen(parts, visit, task)),
      hasMore,
    ),
    visit.requestId,
  );
}

/** Deletes a video; an unfinished one is canceled. */
export async function deleteVideo(parts: VideoPartsOf, visit: HandlerContext, id: string): Promise<Response> {
  await parts().videos.remove(id, callerOf(visit).keyId);
  return writeJson({ id, object: "video.deleted", deleted: true }, visit.requestId);
}

/** Creates a video from a completed one and another prompt. */
export async function remixVideo(
  parts: VideoPartsOf,
  client: VideoClient,
  visit: HandlerContext,
  id: string,
): Promise<Response> {
  const { wire } = await readValid(parts, visit, remixSchema, true);
  const prompt = String(wire.prompt);
  const request: VideoRequest = { operation: "video", model: "", prompt, images: [], n: 1, metadata: {} };
  const remixer = { ...namedCaller(parts, visit, wire), requestId: visit.requestId };
  const start = () => parts().videos.remix(id, remixer, client, prompt);
  return answerCreated(parts, { client, visit, caller: remixer.caller, request, wire }, start);
}

/** Throws status 400 for one that no task has. */
export function indexIn(query: URLSearchParams): number {
  const text = query.get("index") || "0";
  if (/^\d{1,2}$/.test(text) && Number(text) <= 15) return Number(text);
  throw bad("index", "'index' must be an integer from 0 to 15.");
}

/** Whether a request has a signed link and no key. */
export function showsLink(request: Request): boolean {
  return !request.headers.has("authorization") && queryOf(request).has("sig");
}

export async function writeContent(
  { status, headers, body }: Content,
  { request, requestId }: HandlerContext,
): Promise<Response> {
  headers.set("x-request-id", requestId);
  if (request.method !== "HEAD") return new Response(body, { status, headers });
  // The runtime reports length 0 without a body, and no length for a stream.
  if (body instanceof ReadableStream && !headers.has("content-length")) return new Response(body, { status, headers });
  if (body instanceof ReadableStream) await body.cancel();
  if (body instanceof Uint8Array) headers.set("content-length", String(body.length));
  return new Response(null, { status, headers });
}

/** The bytes, as they arrive. */
export async function content(parts: VideoPartsOf, visit: HandlerContext, id: string): Promise<Response> {
  const { request } = visit;
  const searchParams = queryOf(request);
  const index = indexIn(searchParams);
  const variant = searchParams.get("variant") || "video";
  const contentRequest = { variant, index, range: request.headers.get("range"), signal: request.signal };
  const { videos } = parts();
  const claim = { id, index, endsAt: searchParams.get("exp"), signature: searchParams.get("sig") };
  const found = await (showsLink(request)
    ? videos.linkedContent(claim, contentRequest)
    : videos.content(id, callerOf(visit).keyId, contentRequest));
  return writeContent(found, visit);
}

/** The bytes of one result of a task, for its owner. */
export async function contentAt(
  parts: VideoPartsOf,
  visit: HandlerContext,
  { id, index }: { readonly id: string; readonly index: number },
): Promise<Response> {
  const { headers, signal } = visit.request;
  const contentRequest = { variant: "video", index, range: headers.get("range"), signal };
  return writeContent(await parts().videos.content(id, callerOf(visit).keyId, contentRequest), visit);
}
