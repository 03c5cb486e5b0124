// What video tasks depend on.
import type { Blobs, BlobsKind } from "../../store/blobs/blobs.ts";
import type { Store } from "../../store/store.ts";
import type { Gateway } from "../pipeline/gateway.ts";

/** The stores of results, and their limits. */
export interface ResultStore {
  /** The store for new copies; null: none. */
  readonly target: Blobs | null;
  /** Every configured store, including earlier ones. */
  readonly places: ReadonlyMap<BlobsKind, Blobs>;
  readonly maxVideoBytes: number;
  readonly maxTotalBytes: number;
  /** Free disk space that a copy must leave. */
  readonly minFreeBytes: number;
  readonly maxAgeMs: number;
}

export interface TaskDependencies {
  readonly gateway: Gateway;
  readonly store: Store;
  /** How long a task is stored after its creation. */
  readonly retentionMs: number;
  /** The name of this process among those that share the store. */
  readonly leaseOwner: string;
  /** From 0 up to 1, for jitter. */
  random(): number;
  /** A factor for all waits between polls: 1 except in tests. */
  readonly waitScale: number;
  readonly results: ResultStore;
  /** Signs links to results. */
  readonly linkKey: Uint8Array;
  readonly linkLifeMs: number;
  /** The public URL of the gateway, without a trailing slash; null: taken from each request. */
  readonly publicUrl: string | null;
  /** Signs the webhooks of this owner. */
  webhookKey(ownerKeyId: string): Uint8Array;
}

/** How long a claim on a task lasts; far longer than a poll takes. */
export const leaseMs = 120_000;
