// What a request has used at providers, also where their replies came to nothing for the client: it was billed all the same.
import { addUsage, type Usage } from "../canon/usage.ts";

export interface Spending {
  /** Counts a reply that was read. */
  add(usage: Usage | undefined): void;
  /** Undefined where nothing was told. */
  total(): Usage | undefined;
}

export function createSpending(): Spending {
  let total: Usage | undefined;
  return {
    add(usage) {
      if (usage !== undefined) total = total === undefined ? usage : addUsage(total, usage);
    },
    total: () => total,
  };
}
