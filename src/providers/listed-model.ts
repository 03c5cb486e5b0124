// A model in a provider's own list.
import type { JsonObject } from "../lib/json.ts";

/** A model as a provider lists it. `createdAt` in Unix seconds. */
export interface ListedModel {
  readonly id: string;
  readonly displayName?: string;
  readonly createdAt?: number;
  readonly ownedBy?: string;
  /** Members of Anthropic's list beyond these. */
  readonly details?: JsonObject;
}
