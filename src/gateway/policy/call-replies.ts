// Replies to calls with an idempotency key, in the store: claimed by the instance that runs the call, encrypted,
// limited, and deleted in time.
import { GatewayError } from "../../canonical/error.ts";
import type { Clock } from "../../lib/clock.ts";
import { openBytes, seal } from "../../lib/secret.ts";
import {
  claimCall,
  findCall,
  keepCallsAlive,
  purgeCalls,
  releaseCall,
  releaseCallsOf,
  storeCallReply,
} from "../../store/idempotent-calls.ts";
import type { Store } from "../../store/store.ts";
import type { GatewayLimits } from "./limits.ts";

/** A reply to a call, as it is stored and returned to each repetition. */
export interface CallReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The exchange of the original reply. */
  readonly exchangeId: string | null;
}

/** The right to run a call. */
export interface CallClaim {
  readonly id: string;
  /** Proves the claim. */
  readonly exchangeId: string;
}

export interface CallReplies {
  /** The right to run the call, or its stored reply. Throws status 409 for a key in use. */
  claim(id: string, hash: string): Promise<CallClaim | CallReply>;
  /** Stores the reply; without one, or if it is too large, the key is released. Never rejects. */
  end(claim: CallClaim, reply: CallReply | null): Promise<void>;
  close(): void;
}

interface CallRepliesOptions {
  readonly store: Store;
  /** Encrypts replies. */
  readonly sealKey: Uint8Array;
  /** The id of this installation's ledger, which survives a restart. */
  readonly instance: string;
  readonly clock: Clock;
  readonly limits: Pick<
    GatewayLimits,
    "idempotencyMs" | "idempotencyReplyBytes" | "idempotencyTotalBytes" | "maxIdempotencyWaiters"
  >;
  nextId(): string;
  failed(cause: unknown): void;
}

const aliveMs = 30_000;
const keepAliveEveryMs = 10_000;
const purgeEveryMs = 60_000;
/** How many parts of the limit may be written between two purges. */
const purgeParts = 16;
const claimTries = 3;

const param = "Idempotency-Key";

export const conflict = (): GatewayError =>
  new GatewayError("idempotency_conflict", `This ${param} was used for a different request.`, { param });

export const inProgress = (): GatewayError => {
  const message = `A request with this ${param} is still in progress.`;
  return new GatewayError("idempotency_in_progress", message, { param, retryAfterMs: 1_000 });
};

/** Releases the claims of an earlier process of this instance. */
export async function openCallReplies(options: CallRepliesOptions): Promise<CallReplies> {
  const { store, instance, clock, limits, failed } = options;
  await releaseCallsOf(store, instance);
  const claims = new Set<CallClaim>();
  let bytesSincePurge = 0;
  const purge = (): void => {
    bytesSincePurge = 0;
    purgeCalls(store, clock.nowMs(), limits.idempotencyTotalBytes).catch(failed);
  };
  const keepAlive = (): void => {
    if (claims.size > 0) keepCallsAlive(store, instance, clock.nowMs() + aliveMs).catch(failed);
  };
  const timers = [setInterval(keepAlive, keepAliveEveryMs), setInterval(purge, purgeEveryMs)];
  for (const timer of timers) timer.unref();
  return {
    async claim(id, hash) {
      const claimed = await claimOrReply(options, id, hash);
      if (!("status" in claimed)) claims.add(claimed);
      return claimed;
    },
    async end(claim, reply) {
      claims.delete(claim);
      try {
        bytesSincePurge += await write(options, claim, reply);
        if (bytesSincePurge * purgeParts > limits.idempotencyTotalBytes) purge();
      } catch (cause) {
        // The caller has its reply anyway; the claim expires.
        failed(cause);
      }
    },
    close() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

async function claimOrReply(options: CallRepliesOptions, id: string, hash: string): Promise<CallClaim | CallReply> {
  const { store, instance, clock, limits } = options;
  for (let tries = 0; tries < claimTries; tries++) {
    const nowMs = clock.nowMs();
    const exchangeId = options.nextId();
    const until = { nowMs, aliveUntilMs: nowMs + aliveMs, expiresAtMs: nowMs + limits.idempotencyMs };
    if (await claimCall(store, { id, hash, exchangeId, instance, ...until })) return { id, exchangeId };
    const found = await findCall(store, id, nowMs);
    if (found === undefined) continue;
    if (found.hash !== hash) throw conflict();
    if (found.reply === null) throw inProgress();
    try {
      return decodeReply(openBytes(options.sealKey, found.reply, id));
    } catch (cause) {
      // Encrypted with another secret: the call runs again.
      options.failed(cause);
      await releaseCall(store, found);
    }
  }
  throw inProgress();
}

/** Returns the number of bytes written. */
async function write(
  { store, sealKey, clock, limits }: CallRepliesOptions,
  claim: CallClaim,
  reply: CallReply | null,
): Promise<number> {
  if (reply === null || reply.body.length > limits.idempotencyReplyBytes) {
    await releaseCall(store, claim);
    return 0;
  }
  const sealed = seal(sealKey, encodeReply(reply), claim.id);
  await storeCallReply(store, claim, sealed, clock.nowMs() + limits.idempotencyMs);
  return sealed.length;
}

/** A line of JSON, then the body. */
function encodeReply({ body, ...head }: CallReply): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
}

function decodeReply(bytes: Buffer): CallReply {
  const end = bytes.indexOf(0x0a);
  const head = JSON.parse(bytes.subarray(0, end).toString("utf8")) as Omit<CallReply, "body">;
  return { ...head, body: bytes.subarray(end + 1) };
}
