// A request as the client made it.
import type { Ask } from "../canon/operation.ts";
import type { Warning } from "../canon/warning.ts";
import type { Dialect, Envelope, WriteContext } from "../dialects/dialect.ts";
import type { JsonObject } from "../lib/json.ts";

/** A request as the client made it: the dialect it speaks, its wire, and what the wire means. */
export interface Inquiry {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  readonly envelope: Envelope;
  readonly ask: Ask;
  /** True: whatever would be dropped or approximated is refused instead. */
  readonly strict: boolean;
  readonly write: WriteContext;
  /** What a refusal has made the gateway change in what the client asked. */
  readonly changes?: readonly Warning[];
  /** Set where the wire holds state that only its maker can read, at this path: other candidates are passed over. */
  readonly bound?: { readonly origin: string; readonly path: string };
}
