// A request as the client made it.
import type { OperationRequest } from "../../canonical/operation.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Dialect, RequestMeta, WriteContext } from "../../dialects/dialect.ts";
import { approximateInput, type InputScan, scanInput } from "../../dialects/tokens/figures.ts";
import { requestParts } from "../../dialects/tokens/request-parts.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { JsonSource } from "../../lib/json-source.ts";

/** A request as the client made it: the dialect it speaks, its wire, and what the wire means. */
export interface GatewayRequest {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  /** The body as it came, where it was JSON. */
  readonly source?: JsonSource;
  readonly envelope: RequestMeta;
  readonly request: OperationRequest;
  /** True: whatever would be dropped or approximated is refused instead. */
  readonly strict: boolean;
  readonly write: WriteContext;
  /** What a refusal has made the gateway change in what the client asked. */
  readonly adjustments?: readonly Warning[];
  /** A reply that is not streamed stays a value: it is worked on before its bytes are made. */
  readonly asJson?: true;
  /** What one pass over its input has found. */
  readonly input: InputScan;
  /** Set where the wire holds state that only its maker can read, at this path: other candidates are passed over. */
  readonly pinnedTo?: { readonly origin: string; readonly path: string };
}

/** What a writer to the client must know, with the quick estimate of the input, and the pass that it comes from. */
export function measured(write: Omit<WriteContext, "inputEstimate">): Pick<GatewayRequest, "write" | "input"> {
  const input = scanInput(requestParts(write.request));
  return { write: { ...write, inputEstimate: approximateInput(input) }, input };
}
