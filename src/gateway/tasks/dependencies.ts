// What the room of video tasks works with.
import type { Store } from "../../store/store.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import type { ResultsParts } from "./results.ts";

export interface TaskDependencies {
  readonly gateway: Gateway;
  readonly store: Store;
  /** How long a task is kept from its making. */
  readonly retentionMs: number;
  /** Names this process among those that share the store. */
  readonly leaseOwner: string;
  /** From 0 up to 1, for the spread of waits. */
  random(): number;
  /** All waits between polls are this many times as long as usual: 1 unless a test is in a hurry. */
  readonly waitScale: number;
  readonly results: ResultsParts;
  /** Signs links to results. */
  readonly linkKey: Uint8Array;
  readonly linkLifeMs: number;
  /** The gateway's address as clients reach it, without a slash at the end; null: as each request has reached it. */
  readonly publicUrl: string | null;
  /** Signs what this owner is told. */
  webhookKey(ownerKeyId: string): Uint8Array;
}

/** How long an upstream may take to answer a submit; nobody else may take the task meanwhile. */
export const submitPatienceMs = 120_000;
/** How long an upstream may take to answer a poll. */
export const pollPatienceMs = 20_000;
/** How long a task belongs to whoever took it; far more than a turn of work takes. */
export const leaseMs = 120_000;
