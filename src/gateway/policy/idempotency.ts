// Idempotency: requests of one caller with the same key are one call. The first runs it, concurrent ones join it, later
// ones get the stored reply.
import { type CallReplies, type CallReply, conflict, inProgress } from "./call-replies.ts";
import type { GatewayLimits } from "./limits.ts";

interface IdempotentCall {
  /** The id of the caller's key in this gateway. */
  readonly keyId: string;
  /** The value of the header. */
  readonly key: string;
  /** The hash of the whole request. */
  readonly hash: string;
  /** The caller's signal: aborted when it disconnects. */
  readonly signal: AbortSignal;
}

/** A complete reply, or one that is still streamed to the caller that made it. */
export type PerformedCall =
  | { readonly reply: CallReply; readonly isStored: boolean }
  | { readonly stream: ReadableStream<Uint8Array>; complete(body: Uint8Array): CallReply | null };

type CallOutcome =
  | { readonly reply: CallReply; readonly isReplayed: boolean }
  | { readonly stream: ReadableStream<Uint8Array> };

type Perform = (signal: AbortSignal) => Promise<PerformedCall>;

export interface Idempotency {
  /**
   * Runs the call, joins a running one, or returns its stored reply. `signal` is aborted when all callers have
   * disconnected. Throws `idempotency_conflict` if the key was used for another request, `idempotency_in_progress` if
   * it cannot be joined.
   */
  run(call: IdempotentCall, perform: Perform): Promise<CallOutcome>;
}

/** A call that runs in this process, and its callers. */
class RunningCall {
  readonly controller = new AbortController();
  /** Null for a reply that is streamed to the first caller. */
  readonly result = Promise.withResolvers<CallReply | null>();
  readonly ended = Promise.withResolvers<void>();
  readonly hash: string;
  callers = 0;

  constructor(hash: string) {
    this.hash = hash;
    this.result.promise.catch(() => undefined);
  }

  /** True when all callers have left: it is about to end, and cannot be joined. */
  get isLeft(): boolean {
    return this.controller.signal.aborted;
  }

  /** The call continues while at least one caller waits. */
  join(signal: AbortSignal): void {
    this.callers++;
    const leave = (): void => {
      this.callers--;
      if (this.callers === 0) this.controller.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  }
}

type IdempotencyLimits = Pick<GatewayLimits, "idempotencyReplyBytes" | "maxIdempotencyWaiters">;

export function createIdempotency(replies: CallReplies, limits: IdempotencyLimits): Idempotency {
  const calls = new Map<string, RunningCall>();
  const forget = (id: string, running: RunningCall): void => {
    calls.delete(id);
    running.ended.resolve();
  };
  const lead = async (id: string, running: RunningCall, perform: Perform): Promise<CallOutcome> => {
    const claimed = await replies.claim(id, running.hash);
    if ("status" in claimed) {
      running.result.resolve(claimed);
      return { reply: claimed, isReplayed: true };
    }
    const performed = await perform(running.controller.signal).catch(async (thrown: unknown) => {
      await replies.end(claimed, null);
      throw thrown;
    });
    if ("stream" in performed) {
      running.result.resolve(null);
      const done = async (body: Uint8Array | null): Promise<void> => {
        await replies.end(claimed, body === null ? null : performed.complete(body));
        forget(id, running);
      };
      const recording = { maxBytes: limits.idempotencyReplyBytes, signal: running.controller.signal, done };
      return { stream: recorded(performed.stream, recording) };
    }
    await replies.end(claimed, performed.isStored ? performed.reply : null);
    running.result.resolve(performed.reply);
    return { reply: performed.reply, isReplayed: false };
  };
  return {
    async run(call, perform) {
      const id = idOf(call);
      for (let running = calls.get(id); running !== undefined; running = calls.get(id)) {
        if (!running.isLeft) return join(running, call, limits.maxIdempotencyWaiters);
        await running.ended.promise;
      }
      const started = new RunningCall(call.hash);
      calls.set(id, started);
      started.join(call.signal);
      try {
        const outcome = await lead(id, started, perform);
        if ("reply" in outcome) forget(id, started);
        return outcome;
      } catch (thrown) {
        forget(id, started);
        started.result.reject(thrown);
        throw thrown;
      }
    },
  };
}

async function join(running: RunningCall, call: IdempotentCall, maxWaiters: number): Promise<CallOutcome> {
  if (running.hash !== call.hash) throw conflict();
  if (running.callers > maxWaiters) throw inProgress();
  running.join(call.signal);
  const reply = await running.result.promise;
  if (reply === null) throw inProgress();
  return { reply, isReplayed: true };
}

/** Stored rows do not contain the keys of clients. */
function idOf({ keyId, key }: IdempotentCall): string {
  return new Bun.CryptoHasher("sha256").update(`${keyId}\n${key}`).digest("hex");
}

interface Recording {
  readonly maxBytes: number;
  /** Aborted when the client has disconnected, because an unread stream may not detect it. */
  readonly signal: AbortSignal;
  /** Receives the whole reply before the stream ends; null if it was cut or exceeds `maxBytes`. Called once. */
  done(body: Uint8Array | null): Promise<void>;
}

/** The same stream, recorded. */
function recorded(
  source: ReadableStream<Uint8Array>,
  { maxBytes, signal, done }: Recording,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let chunks: Uint8Array[] | null = [];
  let size = 0;
  let ended: Promise<void> | null = null;
  const end = (body: Uint8Array | null): Promise<void> => {
    ended ??= done(body);
    return ended;
  };
  signal.addEventListener("abort", () => void end(null), { once: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await reader.read().catch(async (thrown: unknown) => {
          await end(null);
          throw thrown;
        });
        if (read.done) {
          await end(chunks === null ? null : Buffer.concat(chunks));
          return controller.close();
        }
        size += read.value.length;
        if (size > maxBytes) chunks = null;
        chunks?.push(read.value.slice());
        controller.enqueue(read.value);
      },
      async cancel(reason) {
        await Promise.all([reader.cancel(reason), end(null)]);
      },
    },
    { highWaterMark: 0 },
  );
}
