// What video tasks depend on.
import type { Blobs, BlobsKind } from "../../store/blobs/blobs.ts";
import type { Store } from "../../store/store.ts";
import type { Gateway } from "../pipeline/gateway.ts";

/** Where results are stored, and within which bounds. */
export interface ResultStore {
  /** Where new results are copied to; null: nowhere. */
  readonly target: Blobs | null;
  /** Every configured store, also one that was used before. */
  readonly places: ReadonlyMap<BlobsKind, Blobs>;
  readonly maxVideoBytes: number;
  readonly maxTotalBytes: number;
  /** What a folder's disk must have left behind a copy. */
  readonly minFreeBytes: number;
  readonly maxAgeMs: number;
}

export interface TaskDependencies {
  readonly gateway: Gateway;
  readonly store: Store;
  /** How long a task is stored after its creation. */
  readonly retentionMs: number;
  /** Names this process among those that share the store. */
  readonly leaseOwner: string;
  /** From 0 up to 1, for the spread of waits. */
  random(): number;
  /** All waits between polls are this many times as long as usual: 1 unless a test is in a hurry. */
  readonly waitScale: number;
  readonly results: ResultStore;
  /** Signs links to results. */
  readonly linkKey: Uint8Array;
  readonly linkLifeMs: number;
  /** The gateway's address as clients reach it, without a slash at the end; null: as each request has reached it. */
  readonly publicUrl: string | null;
  /** Signs the webhooks of this owner. */
  webhookKey(ownerKeyId: string): Uint8Array;
}

/** How long a claim on a task lasts; far longer than one poll takes. */
export const leaseMs = 120_000;
