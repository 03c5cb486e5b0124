// The bytes of a completed video: from the store, otherwise from its provider (a public URL, behind a credential, or in
// a poll).

import { GatewayError } from "../../canonical/error.ts";
import type { VideoLocation, VideoResult } from "../../canonical/video.ts";
import type { UpstreamRequest } from "../../dialects/dialect.ts";
import type { UpstreamTask } from "../../dialects/video/upstream.ts";
import { parseRange, ranged } from "../../lib/byte-range.ts";
import { abortSignalOf, type Cancellation } from "../../lib/cancellation.ts";
import { deadline } from "../../lib/deadline.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { safeError } from "../../providers/redaction.ts";
import { safeOpen } from "../../providers/safe-fetch/index.ts";
import type { ResponseHeaders } from "../../providers/transport/headers.ts";
import type { HttpResponse } from "../../providers/transport/response.ts";
import { readBounded } from "../../providers/upstream.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { sourceOf } from "./results.ts";
import { type Content, checkedSource } from "./source-body.ts";
import { type Task, upstreamTaskOf } from "./task.ts";
import { askUpstream, clientFor, sendTask, type UpstreamClient } from "./upstream-client.ts";

/** The result. Throws status 404 with the reason if there is none. */
function resultOf({ state, view }: Task, index: number): VideoResult {
  if (state === "queued" || state === "in_progress") throw notThere("video_not_ready", "The video is not ready yet.");
  const result = view.results[index];
  if (state !== "completed" || view.results.length === 0)
    throw notThere(state === "expired" ? "video_expired" : "video_failed", "The task has no video.");
  if (result === undefined) throw notThere("not_found", "The task has no video with this index.");
  return result;
}

/** Null if they are gone, or stored where this instance cannot reach them. */
async function openStored(
  { results, gateway }: TaskDependencies,
  { where, name, bytes }: Extract<VideoLocation, { kind: "kept" }>,
  range: string | null,
): Promise<Content | null> {
  const blobs = results.places.get(where);
  const span = parseRange(bytes, range);
  const { start, end } = span.status === 416 ? { start: 0, end: 1 } : span;
  const body = await blobs?.open(name, bytes, start, end).catch((thrown: unknown) => {
    gateway.events.backgroundTaskFailed("videos", thrown);
    return null;
  });
  if (body === undefined || body === null) return null;
  const headers = new Headers("contentRange" in span ? { "content-range": span.contentRange } : {});
  headers.set("content-length", String(span.status === 416 ? 0 : end - start));
  if (span.status !== 416) return { status: span.status, headers, body };
  await body.cancel();
  return { status: 416, headers, body: null };
}

/** The bytes of one result of a task. Throws status 404 if it is missing, unfinished or expired. */
export async function contentOf(dependencies: TaskDependencies, task: Task, request: ContentRequest): Promise<Content> {
  const result = resultOf(task, request.index);
  const { place } = result;
  const isStored = place.kind === "kept" && request.variant === "video";
  const stored = isStored ? await openStored(dependencies, place, request.range) : null;
  return stored === null ? openSource(dependencies, task, sourceOf(result), request) : described(stored, result);
}

/** What the client requests: `video` or another asset, a range of it, and until when. */
export interface ContentRequest {
  readonly variant: string;
  /** The index of the result, from 0. */
  readonly index: number;
  readonly range: string | null;
  readonly signal: Cancellation;
}

interface Fetch {
  readonly dependencies: TaskDependencies;
  readonly task: Task;
  readonly client: UpstreamClient;
  readonly upstreamTask: UpstreamTask;
  readonly result: VideoResult;
  readonly request: ContentRequest;
}

const maxErrorBytes = 64 * 1024;
/** Until the first byte of a response; far less than a claim, which is not extended meanwhile. */
const headTimeoutMs = 30_000;
const never = new AbortController().signal;
const decoder = new TextDecoder();
const passed = ["content-type", "content-length", "content-range", "accept-ranges", "etag", "last-modified"] as const;

const notThere = (code: string, message: string): GatewayError =>
  new GatewayError("object_not_found", message, { code });
const expired = (): GatewayError => notThere("video_expired", "The video is no longer available at the provider.");

const tooSlow = (): GatewayError => new GatewayError("upstream_timeout", "Timed out waiting for the video.");

/** Maximum redirects of one download. */
export const maxRedirects = 3;

/** The absolute URL of a redirect; null if there is none, or an invalid one. */
export function redirectIn({ status, headers, url }: HttpResponse): string | null {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  return location === null ? null : (URL.parse(location, url === "" ? undefined : url)?.href ?? null);
}

/**
 * The call that follows a redirect of `call`, sent to `sentTo`, within the same account; null for any other URL, which
 * must not receive the credential.
 */
export function ownCall(call: UpstreamRequest, sentTo: string, address: string): UpstreamRequest | null {
  const base = sentTo.endsWith(call.path) ? sentTo.slice(0, sentTo.length - call.path.length) : "";
  return base.endsWith("/") && address.startsWith(base) ? { ...call, path: address.slice(base.length) } : null;
}

function alive(result: VideoResult, nowMs: number): VideoResult {
  if (result.expiresAtMs !== undefined && result.expiresAtMs <= nowMs) throw expired();
  return result;
}

/** A URL from the upstream's reply; no credential is sent. */
async function fromUrl({ dependencies, task, request, result }: Fetch, url: string): Promise<Content> {
  const { limits } = dependencies.gateway;
  const answer = await safeOpen(url, {
    givenBy: "upstream",
    maxBytes: limits.videoDownloadBytes,
    timeoutMs: limits.videoDownloadMs,
    signal: abortSignalOf(request.signal),
    allow: dependencies.gateway.fetchAllow,
    dns: dependencies.gateway.dnsFor(task.ownerKeyId),
    range: request.range ?? undefined,
  });
  const { status, headers, body } = answer;
  if (status === 200 || status === 206 || status === 416) return described({ status, headers, body }, result);
  await body.cancel();
  if (status === 404 || status === 410 || status === 403) throw expired();
  throw new GatewayError("upstream_failed", `The video could not be fetched: the server returned status ${status}.`);
}

/** Sets the headers that describe the bytes. Some servers send a generic type for a video. */
export function described(
  content: Omit<Content, "headers"> & { readonly headers: ResponseHeaders },
  result: VideoResult,
): Content {
  const { status, headers, body } = content;
  const { mediaType } = result;
  const reported = headers.get("content-type") ?? "";
  const type = /^(?:video|image)\//.test(reported) ? reported : (mediaType ?? "video/mp4");
  const described = new Headers(passed.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])));
  if (status !== 416) described.set("content-type", type);
  described.set("accept-ranges", "bytes");
  return { status, headers: described, body };
}

/** Bytes that require the credential. A redirect is followed within the same account, or to a public URL. */
async function fromContent(fetch: Fetch): Promise<Content> {
  const { client, upstreamTask, result, request } = fetch;
  const call = client.upstream.content?.(upstreamTask, result.place, request.variant) ?? null;
  if (call === null) throw notThere("not_found", "The video does not have this asset.");
  const headers = request.range === null ? call.headers : { ...call.headers, range: request.range };
  return fromCall(fetch, headers === undefined ? call : { ...call, headers }, maxRedirects);
}

async function fromCall(fetch: Fetch, call: UpstreamRequest, redirects: number): Promise<Content> {
  const { client, result, request, dependencies } = fetch;
  const response = await sendTask(client, call, request.signal);
  const { status } = response;
  const address = redirectIn(response);
  if (address !== null) {
    await response.body?.cancel();
    const own = redirects > 0 ? ownCall(call, response.url, address) : null;
    return own === null ? fromUrl(fetch, address) : fromCall(fetch, own, redirects - 1);
  }
  if (status === 200 || status === 206 || status === 416)
    return described({ status, headers: response.headers, body: response.body }, result);
  if (status === 404 || status === 410) {
    await response.body?.cancel();
    throw expired();
  }
  const bytes = await readBounded(response, maxErrorBytes, request.signal);
  const text = bytes === null ? "" : decoder.decode(bytes);
  const failure = client.upstream.error.parse(
    status,
    text,
    retryAfterMs(response.headers, dependencies.gateway.clock.nowMs()),
  );
  throw safeError(failure, client.provider);
}

/** A URL that must be requested each time. */
async function fromLocated(fetch: Fetch, ref: string): Promise<Content> {
  const { client, upstreamTask, dependencies } = fetch;
  const { locate } = client.upstream;
  if (locate === undefined) throw expired();
  const { gateway } = dependencies;
  const answer = await askUpstream(client, locate.call(upstreamTask, ref), gateway.limits.videoPollMs, gateway);
  const url = answer.status === 200 ? locate.read(answer) : null;
  if (url === null) throw expired();
  return fromUrl(fetch, url);
}

/** Bytes within the reply to a poll. */
async function fromPoll({ client, upstreamTask, dependencies, request, result }: Fetch): Promise<Content> {
  const { gateway } = dependencies;
  const answer = await askUpstream(client, client.upstream.poll(upstreamTask), gateway.limits.videoPollMs, gateway);
  const place = client.upstream.progress(answer, upstreamTask)?.results?.[request.index]?.place;
  if (place?.kind !== "inline" || place.base64 === undefined) throw expired();
  const part = ranged(new Uint8Array(Buffer.from(place.base64, "base64")), request.range);
  const headers = new Headers("contentRange" in part ? { "content-range": part.contentRange } : {});
  const body = part.status === 416 ? null : part.bytes;
  headers.set("content-length", String(body?.length ?? 0));
  return described({ status: part.status, headers, body }, result);
}

function open(fetch: Fetch, place: Exclude<VideoLocation, { kind: "kept" }>): Promise<Content> {
  if (place.kind === "content") return fromContent(fetch);
  // Other assets than the video itself are only available with the credential.
  if (fetch.request.variant !== "video") throw notThere("not_found", "The video does not have this asset.");
  switch (place.kind) {
    case "url":
      return fromUrl(fetch, place.url);
    case "locate":
      return fromLocated(fetch, place.ref);
    case "inline":
      return fromPoll(fetch);
  }
}

/** The bytes of a result at its provider. Throws status 404 if it has expired. */
export async function openSource(
  dependencies: TaskDependencies,
  task: Task,
  source: VideoResult,
  request: ContentRequest,
): Promise<Content> {
  const result = alive(source, dependencies.gateway.clock.nowMs());
  const client = clientFor(task, dependencies.gateway.catalog.current());
  const upstreamTask = upstreamTaskOf(task);
  if (client === null || upstreamTask === null || result.place.kind === "kept") throw expired();
  const timeoutMs = Math.min(client.provider.entry.timeouts.wholeMs ?? headTimeoutMs, headTimeoutMs);
  const head = deadline(() => never, timeoutMs, dependencies.gateway.deadlines, tooSlow);
  const signal = AbortSignal.any([abortSignalOf(request.signal), abortSignalOf(head.signal)]);
  try {
    const content = await open(
      { dependencies, task, client, upstreamTask, result, request: { ...request, signal } },
      result.place,
    );
    return await checkedSource(content, dependencies.gateway, signal);
  } finally {
    head.release();
  }
}
