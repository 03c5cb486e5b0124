// The bytes of a finished video at its provider, streamed: from an open address, behind our credential, or inside a poll.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoLocation, VideoResult } from "../../canonical/video.ts";
import type { UpstreamRequest } from "../../dialects/dialect.ts";
import type { UpstreamTask } from "../../dialects/video/upstream.ts";
import { ranged } from "../../lib/byte-range.ts";
import { deadline } from "../../lib/deadline.ts";
import { readBounded } from "../../providers/read-body.ts";
import { safeError } from "../../providers/redaction.ts";
import { safeOpen } from "../../providers/safe-fetch/index.ts";
import { retryAfterMs } from "../streaming/buffered-response.ts";
import { pollPatienceMs, type TaskDependencies } from "./dependencies.ts";
import { type Content, checkedSource } from "./source-body.ts";
import { type Task, upstreamTaskOf } from "./task.ts";
import { askUpstream, sendTask, type UpstreamClient, wireOf } from "./upstream-client.ts";

/** What the client wants: `video` or another asset, the part of it, and until when. */
export interface ContentWish {
  readonly variant: string;
  /** Which of several results, from 0. */
  readonly index: number;
  readonly range: string | null;
  readonly signal: AbortSignal;
}

interface Fetch {
  readonly parts: TaskDependencies;
  readonly task: Task;
  readonly wire: UpstreamClient;
  readonly known: UpstreamTask;
  readonly result: VideoResult;
  readonly wish: ContentWish;
}

const maxErrorBytes = 64 * 1024;
/** Until the first word of an answer; far less than a lease, which nobody renews meanwhile. */
const headPatienceMs = 30_000;
const never = new AbortController().signal;
const decoder = new TextDecoder();
const passed = ["content-type", "content-length", "content-range", "accept-ranges", "etag", "last-modified"] as const;

export const notThere = (code: string, message: string): GatewayError =>
  new GatewayError("object_not_found", message, { code });
const expired = (): GatewayError => notThere("video_expired", "The video is no longer available at the provider.");

const tooSlow = (): GatewayError => new GatewayError("upstream_timeout", "Timed out waiting for the video.");

/** How often one download may be led on. */
export const mostRedirects = 3;

/** The address of a redirect, whole; null where there is none, or none that can be read. */
export function redirectIn({ status, headers, url }: Response): string | null {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  return location === null ? null : (URL.parse(location, url === "" ? undefined : url)?.href ?? null);
}

/** The call that goes on from `call`, asked at `asked`, to an address of the same account; null for any other address: our credential does not go there. */
export function ownCall(call: UpstreamRequest, asked: string, address: string): UpstreamRequest | null {
  const base = asked.endsWith(call.path) ? asked.slice(0, asked.length - call.path.length) : "";
  return base.endsWith("/") && address.startsWith(base) ? { ...call, path: address.slice(base.length) } : null;
}

function alive(result: VideoResult, nowMs: number): VideoResult {
  if (result.expiresAtMs !== undefined && result.expiresAtMs <= nowMs) throw expired();
  return result;
}

/** An address from the upstream's own answer; nothing of ours goes along. */
async function fromUrl({ parts, task, wish, result }: Fetch, url: string): Promise<Content> {
  const { limits } = parts.gateway;
  const answer = await safeOpen(url, {
    givenBy: "upstream",
    maxBytes: limits.videoDownloadBytes,
    timeoutMs: limits.videoDownloadMs,
    signal: wish.signal,
    allow: parts.gateway.fetchAllow,
    dns: parts.gateway.dnsFor(task.ownerKeyId),
    range: wish.range ?? undefined,
  });
  const { status, headers, body } = answer;
  if (status === 200 || status === 206 || status === 416) return described({ status, headers, body }, result);
  await body.cancel();
  if (status === 404 || status === 410 || status === 403) throw expired();
  throw new GatewayError("upstream_failed", `The video could not be fetched: the server returned status ${status}.`);
}

/** Servers tell a plain type for a video now and then. */
export function described(content: Content, result: VideoResult): Content {
  const { status, headers, body } = content;
  const { mediaType } = result;
  const told = headers.get("content-type") ?? "";
  const type = /^(?:video|image)\//.test(told) ? told : (mediaType ?? "video/mp4");
  const kept = new Headers(passed.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])));
  if (status !== 416) kept.set("content-type", type);
  kept.set("accept-ranges", "bytes");
  return { status, headers: kept, body };
}

/** Bytes that only the account may fetch. A redirect leads on below its own address, or to an open one. */
async function fromContent(fetch: Fetch): Promise<Content> {
  const { wire, known, result, wish } = fetch;
  const call = wire.upstream.content?.(known, result.place, wish.variant) ?? null;
  if (call === null) throw notThere("not_found", "The video does not have this asset.");
  const headers = wish.range === null ? call.headers : { ...call.headers, range: wish.range };
  return fromCall(fetch, headers === undefined ? call : { ...call, headers }, mostRedirects);
}

async function fromCall(fetch: Fetch, call: UpstreamRequest, redirects: number): Promise<Content> {
  const { wire, result, wish, parts } = fetch;
  const response = await sendTask(wire, call, wish.signal);
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
  const bytes = await readBounded(response, maxErrorBytes, wish.signal);
  const text = bytes === null ? "" : decoder.decode(bytes);
  const failure = wire.upstream.error.parse(status, text, retryAfterMs(response.headers, parts.gateway.clock.nowMs()));
  throw safeError(failure, wire.provider);
}

/** An address that has to be asked for each time. */
async function fromLocated(fetch: Fetch, ref: string): Promise<Content> {
  const { wire, known, parts } = fetch;
  const { locate } = wire.upstream;
  if (locate === undefined) throw expired();
  const answer = await askUpstream(wire, locate.call(known, ref), pollPatienceMs, parts.gateway);
  const url = answer.status === 200 ? locate.read(answer) : null;
  if (url === null) throw expired();
  return fromUrl(fetch, url);
}

/** Bytes inside the answer to a poll. */
async function fromPoll({ wire, known, parts, wish, result }: Fetch): Promise<Content> {
  const answer = await askUpstream(wire, wire.upstream.poll(known), pollPatienceMs, parts.gateway);
  const place = wire.upstream.progress(answer, known)?.results?.[wish.index]?.place;
  if (place?.kind !== "inline" || place.base64 === undefined) throw expired();
  const part = ranged(new Uint8Array(Buffer.from(place.base64, "base64")), wish.range);
  const headers = new Headers("contentRange" in part ? { "content-range": part.contentRange } : {});
  const body = part.status === 416 ? null : part.bytes;
  headers.set("content-length", String(body?.length ?? 0));
  return described({ status: part.status, headers, body }, result);
}

function open(fetch: Fetch, place: Exclude<VideoLocation, { kind: "kept" }>): Promise<Content> {
  if (place.kind === "content") return fromContent(fetch);
  // Other assets than the video itself are only known behind the credential.
  if (fetch.wish.variant !== "video") throw notThere("not_found", "The video does not have this asset.");
  switch (place.kind) {
    case "url":
      return fromUrl(fetch, place.url);
    case "locate":
      return fromLocated(fetch, place.ref);
    case "inline":
      return fromPoll(fetch);
  }
}

/** The bytes of a result at the provider that made it. Throws the 404 of one that is there no more. */
export async function openSource(
  dependencies: TaskDependencies,
  task: Task,
  source: VideoResult,
  wish: ContentWish,
): Promise<Content> {
  const result = alive(source, dependencies.gateway.clock.nowMs());
  const wire = wireOf(task, dependencies.gateway.catalog.current());
  const known = upstreamTaskOf(task);
  if (wire === null || known === null || result.place.kind === "kept") throw expired();
  const patienceMs = Math.min(wire.provider.timeouts.wholeMs, headPatienceMs);
  const head = deadline(() => never, patienceMs, dependencies.gateway.deadlines, tooSlow);
  const signal = AbortSignal.any([wish.signal, head.signal]);
  try {
    const content = await open(
      { parts: dependencies, task, wire, known, result, wish: { ...wish, signal } },
      result.place,
    );
    return await checkedSource(content, dependencies.gateway, signal);
  } finally {
    head.release();
  }
}
