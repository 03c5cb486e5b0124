// Cells that are not green yet, and why. A pending cell that passes fails the suite, and the table has to become empty.
import type { Cell } from "./cell.ts";

export interface Pending {
  readonly reason: string;
  readonly has: (cell: Cell) => boolean;
}

export const pending: readonly Pending[] = [];

export const pendingFor = (cell: Cell): Pending | undefined => pending.find(({ has }) => has(cell));
