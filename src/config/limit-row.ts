// The contract of a row in the table of limits.
import type { ErrorKind } from "../canonical/error.ts";

export interface LimitRow {
  /** In camelCase; `maxBodyBytes` is `max_body_bytes` in the file. */
  readonly name: string;
  readonly default: number;
  /** The smallest and the largest allowed value. */
  readonly least: number;
  readonly most: number;
  readonly unit: string;
  /** The client's error beyond the limit; null if there is none, and `meaning` describes what happens. */
  readonly error: ErrorKind | null;
  readonly meaning: string;
}
