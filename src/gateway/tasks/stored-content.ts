// The bytes of a result that the gateway keeps itself, whole or in part.
import type { VideoLocation } from "../../canonical/video.ts";
import { parseRange } from "../../lib/byte-range.ts";
import type { TaskDependencies } from "./dependencies.ts";

/** Status 200, 206 or 416, and what there is to say of the part. */
export interface KeptPart {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Null where they are not there any more, or not where this instance can reach them. */
export async function openStored(
  { results, gateway }: TaskDependencies,
  { where, name, bytes }: Extract<VideoLocation, { kind: "kept" }>,
  range: string | null,
): Promise<KeptPart | null> {
  const blobs = results.places.get(where);
  const span = parseRange(bytes, range);
  const { start, end } = span.status === 416 ? { start: 0, end: 1 } : span;
  const body = await blobs?.open(name, bytes, start, end).catch((thrown: unknown) => {
    gateway.events.backgroundFailed("videos", thrown);
    return null;
  });
  if (body === undefined || body === null) return null;
  const headers = new Headers("contentRange" in span ? { "content-range": span.contentRange } : {});
  headers.set("content-length", String(span.status === 416 ? 0 : end - start));
  if (span.status !== 416) return { status: span.status, headers, body };
  await body.cancel();
  return { status: 416, headers, body: null };
}
