// What one limit is: a row of the table of limits.
import type { ErrorKind } from "../canonical/error.ts";

export interface LimitRow {
  /** As in code; `maxBodyBytes` is `max_body_bytes` in the file. */
  readonly name: string;
  readonly default: number;
  /** The smallest and the largest value that the file may set. */
  readonly least: number;
  readonly most: number;
  readonly unit: string;
  /** What a client gets beyond it; null where a client gets no error, and `meaning` says what happens. */
  readonly error: ErrorKind | null;
  readonly meaning: string;
}
