// A request as the client made it; what it means is built when it is first asked for.
import type { OperationRequest } from "../../canonical/operation.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Dialect, RequestMeta, WriteContext } from "../../dialects/dialect.ts";
import { outlineOf, type RequestOutline } from "../../dialects/request-outline.ts";
import { approximateInput, type InputScan, scanInput } from "../../dialects/tokens/figures.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { JsonSource } from "../../lib/json-source.ts";

/** A request as the client made it: the dialect it speaks, its wire, and what the wire means. */
export interface GatewayRequest {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  /** The body as it came, where it was JSON. */
  readonly source?: JsonSource;
  readonly envelope: RequestMeta;
  /** What every request is asked for. */
  readonly outline: RequestOutline;
  /** Built when it is first read: what passes through needs the outline only. */
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

type Given = Omit<GatewayRequest, "outline" | "request" | "write" | "input">;

/** `built` is there where the request is not read from the wire. Throws the 400 of a wire that is not plain and makes no sense. */
export function createGatewayRequest(
  given: Given,
  write: Omit<WriteContext, "request" | "inputEstimate">,
  built?: OperationRequest,
): GatewayRequest {
  const { dialect, wire, envelope } = given;
  let known = built;
  const request = (): OperationRequest => {
    known ??= dialect.request.parse(wire, envelope);
    return known;
  };
  const read = known === undefined ? dialect.request.outline?.(wire, envelope) : null;
  const outline = read ?? outlineOf(request());
  const input = scanInput(outline.parts);
  return {
    ...given,
    outline,
    input,
    write: {
      ...write,
      inputEstimate: approximateInput(input),
      get request() {
        return request();
      },
    },
    get request() {
      return request();
    },
  };
}
