// What the room of stored responses works with.
import type { JsonObject } from "../../lib/json.ts";
import type { Store } from "../../store/store.ts";
import type { Gateway } from "../pipeline/gateway.ts";

export interface ResponsesDependencies {
  readonly gateway: Gateway;
  readonly store: Store;
  /** 32 bytes under which summaries are sealed. */
  readonly sealKey: Uint8Array;
  /** How long a response is kept; 0: nothing is. */
  readonly retentionMs: number;
}

/** A response that is being made: whose it is, what it was asked, and whether it is kept. */
export interface ResponseJob {
  readonly id: string;
  readonly ownerKeyId: string;
  /** Every input item, those of earlier responses first; each with an id. */
  readonly input: readonly JsonObject[];
  readonly previousResponseId: string | null;
  readonly createdAtMs: number;
  readonly isKept: boolean;
  readonly isBackground: boolean;
}
