// Copies the bytes of one result from its provider to the store: streamed, counted, with an idle timeout, and under a
// claim.

import { GatewayError } from "../../canonical/error.ts";
import type { VideoResult } from "../../canonical/video.ts";
import { raceAbort } from "../../lib/abortable.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import type { Deadline } from "../../lib/deadline.ts";
import type { Blobs } from "../../store/blobs/blobs.ts";
import { extendLease } from "../../store/task-jobs.ts";
import { openSource } from "./content.ts";
import { leaseMs, type TaskDependencies } from "./dependencies.ts";
import { type DiskReservation, nameOf, reserveSpace, sourceOf } from "./results.ts";
import type { Task } from "./task.ts";

/** Far less than a claim, which is extended while bytes arrive. */
const silenceMs = 45_000;
const renewMs = 30_000;

/** One result and the end of its transfer. */
export interface Transfer {
  readonly dependencies: TaskDependencies;
  readonly task: Task;
  readonly index: number;
  readonly result: VideoResult;
  readonly life: Deadline;
}

const tooLarge = (): GatewayError => new GatewayError("request_too_large", "The video is too large to store.");
export const late = (): GatewayError => new GatewayError("upstream_timeout", "Timed out downloading the video.");
const cut = (): GatewayError => new GatewayError("upstream_truncated", "The video download was truncated.");
const lost = (): Error => new Error("Another worker has taken over this copy.");

type Body = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null;

/** The chunks of a body, until the signal aborts. */
async function* chunksOf(body: Body, signal: Cancellation): AsyncGenerator<Uint8Array> {
  if (!(body instanceof ReadableStream)) {
    if (body !== null) yield body;
    return;
  }
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await raceAbort(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Aborts a transfer that is idle for too long. `active` is called when bytes arrive. */
function guardSilence({ dependencies, life }: Transfer): { active(): void; end(): void } {
  const { ticker, clock } = dependencies.gateway.deadlines;
  let activeMs = clock.monotonicMs();
  const look = (): void => {
    if (clock.monotonicMs() - activeMs > silenceMs) life.abort(late());
  };
  ticker.subscribe(look);
  return {
    active() {
      activeMs = clock.monotonicMs();
    },
    end: () => ticker.unsubscribe(look),
  };
}

/** Throws if another worker has the job by now. */
async function renewLease({ dependencies, task }: Transfer): Promise<void> {
  const untilMs = dependencies.gateway.clock.nowMs() + leaseMs;
  if (!(await extendLease(dependencies.store, "copy", task.id, dependencies.leaseOwner, untilMs))) throw lost();
}

/** The same chunks, counted against the limit; the claim is extended as they arrive. */
async function* watched(copy: Transfer, body: Body, maxBytes: number): AsyncGenerator<Uint8Array> {
  const { dependencies, life } = copy;
  const { clock } = dependencies.gateway;
  const silenceGuard = guardSilence(copy);
  let taken = 0;
  let renewedMs = clock.monotonicMs();
  try {
    for await (const chunk of chunksOf(body, life.signal)) {
      silenceGuard.active();
      taken += chunk.byteLength;
      if (taken > maxBytes) throw tooLarge();
      yield chunk;
      if (clock.monotonicMs() - renewedMs < renewMs) continue;
      renewedMs = clock.monotonicMs();
      await renewLease(copy);
    }
  } finally {
    silenceGuard.end();
  }
}

interface OpenedSource {
  readonly body: Body;
  /** As announced; null if it was not. */
  readonly length: number | null;
}

/** The complete result at its source. */
async function openWhole({ dependencies, task, index, result, life }: Transfer): Promise<OpenedSource> {
  const request = { variant: "video", range: null, index, signal: life.signal };
  const { status, headers, body } = await openSource(dependencies, task, sourceOf(result), request);
  const length = headers.has("content-length") ? Number(headers.get("content-length")) : null;
  if (status === 200 && (length ?? 0) <= dependencies.results.maxVideoBytes) return { body, length };
  await cancelBody(body);
  throw status === 200 ? tooLarge() : cut();
}

/** Does nothing if a reader holds it, which then cancels it. */
async function cancelBody(body: Body): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel().catch(() => undefined);
}

/** Returns the number of bytes. */
export async function transfer(copy: Transfer, target: Blobs, reservation: DiskReservation): Promise<number> {
  const { dependencies, task, index, result } = copy;
  // Earlier results may have used up the claim.
  await renewLease(copy);
  const { body, length } = await openWhole(copy);
  const maxBytes = length ?? dependencies.results.maxVideoBytes;
  reservation.reserved += maxBytes;
  try {
    await reserveSpace(dependencies, reservation);
    const name = nameOf(task, index);
    const written = await target.write(name, watched(copy, body, maxBytes), result.mediaType ?? "video/mp4");
    if (written > 0 && (length === null || written === length)) return written;
    await target.remove(name);
    throw cut();
  } finally {
    reservation.reserved -= maxBytes;
    await cancelBody(body);
  }
}
