// The bytes of one result from their source to where they last: streamed, counted, never silent for long, and leased all the while.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoResult } from "../../canonical/video.ts";
import { raceAbort } from "../../lib/abortable.ts";
import type { Deadline } from "../../lib/deadline.ts";
import type { Blobs } from "../../store/blobs/blobs.ts";
import { extendLease } from "../../store/task-jobs.ts";
import { leaseMs, type TaskDependencies } from "./dependencies.ts";
import { openSource } from "./provider-content.ts";
import { type DiskReservation, nameOf, reserveSpace, sourceOf } from "./results.ts";
import type { Task } from "./task.ts";

/** Far less than a lease, which is renewed with the bytes that come. */
const silenceMs = 45_000;
const renewMs = 30_000;

/** One result on its way. */
export interface Transfer {
  readonly parts: TaskDependencies;
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

/** The chunks of a body, until the signal says otherwise. */
async function* chunksOf(body: Body, signal: AbortSignal): AsyncGenerator<Uint8Array> {
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

/** Ends a life in which nothing happens; gives what is called when something does, and what ends the watch. */
function guardSilence({ parts, life }: Transfer): { heard(): void; end(): void } {
  const { ticker, clock } = parts.gateway.deadlines;
  let heardMs = clock.monotonicMs();
  const look = (): void => {
    if (clock.monotonicMs() - heardMs > silenceMs) life.abort(late());
  };
  ticker.subscribe(look);
  return {
    heard() {
      heardMs = clock.monotonicMs();
    },
    end: () => ticker.unsubscribe(look),
  };
}

/** Goes on holding the task's errand. Throws where it went to somebody else. */
async function renew({ parts, task }: Transfer): Promise<void> {
  const untilMs = parts.gateway.clock.nowMs() + leaseMs;
  if (!(await extendLease(parts.store, "copy", task.id, parts.leaseOwner, untilMs))) throw lost();
}

/** The same chunks: counted against the bound, and with each of them the lease is looked after. */
async function* watched(copying: Transfer, body: Body, most: number): AsyncGenerator<Uint8Array> {
  const { parts, life } = copying;
  const { clock } = parts.gateway;
  const silence = guardSilence(copying);
  let taken = 0;
  let renewedMs = clock.monotonicMs();
  try {
    for await (const chunk of chunksOf(body, life.signal)) {
      silence.heard();
      taken += chunk.byteLength;
      if (taken > most) throw tooLarge();
      yield chunk;
      if (clock.monotonicMs() - renewedMs < renewMs) continue;
      renewedMs = clock.monotonicMs();
      await renew(copying);
    }
  } finally {
    silence.end();
  }
}

interface OpenedItems {
  readonly body: Body;
  /** As it was announced; null where it was not. */
  readonly length: number | null;
}

/** The whole result at its source. */
async function openWhole({ parts, task, index, result, life }: Transfer): Promise<OpenedItems> {
  const wish = { variant: "video", range: null, index, signal: life.signal };
  const { status, headers, body } = await openSource(parts, task, sourceOf(result), wish);
  const length = headers.has("content-length") ? Number(headers.get("content-length")) : null;
  if (status === 200 && (length ?? 0) <= parts.results.maxVideoBytes) return { body, length };
  await leave(body);
  throw status === 200 ? tooLarge() : cut();
}

/** Whoever reads it already leaves it by himself. */
async function leave(body: Body): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel().catch(() => undefined);
}

/** The bytes from wherever they are to the store; gives how many there were. */
export async function transfer(copying: Transfer, target: Blobs, room: DiskReservation): Promise<number> {
  const { parts, task, index, result } = copying;
  // Results before this one may have used the lease up.
  await renew(copying);
  const { body, length } = await openWhole(copying);
  const most = length ?? parts.results.maxVideoBytes;
  room.reserved += most;
  try {
    await reserveSpace(parts, room);
    const name = nameOf(task, index);
    const written = await target.write(name, watched(copying, body, most), result.mediaType ?? "video/mp4");
    if (written > 0 && (length === null || written === length)) return written;
    await target.remove(name);
    throw cut();
  } finally {
    room.reserved -= most;
    await leave(body);
  }
}
