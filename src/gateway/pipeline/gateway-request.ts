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
  /** The same request, changed as one candidate needs it. Its outline stays. */
  with(changes: RequestChanges): GatewayRequest;
}

/** What may differ in the request that one candidate gets. */
export type RequestChanges = Partial<Pick<GatewayRequest, "wire" | "request" | "adjustments">>;

interface Given extends Pick<GatewayRequest, "dialect" | "wire" | "envelope" | "strict"> {
  readonly source?: JsonSource | undefined;
  readonly adjustments?: readonly Warning[];
  readonly asJson?: true | undefined;
  readonly pinnedTo?: GatewayRequest["pinnedTo"] | undefined;
}
type WriteGiven = Omit<WriteContext, "request" | "inputEstimate">;

/** What writers are given; the request is built when the first of them looks at it. */
class RequestWriteContext implements WriteContext {
  declare readonly wire: JsonObject;
  declare readonly id: string;
  declare readonly createdAt: number;
  declare readonly inputEstimate: number;
  declare readonly stored?: NonNullable<WriteContext["stored"]>;
  declare private readonly of: GatewayRequest;

  constructor(given: WriteGiven, inputEstimate: number, of: GatewayRequest) {
    this.wire = given.wire;
    this.id = given.id;
    this.createdAt = given.createdAt;
    this.inputEstimate = inputEstimate;
    if (given.stored !== undefined) this.stored = given.stored;
    this.of = of;
  }

  get request(): OperationRequest {
    return this.of.request;
  }
}

/** One object for each request, without closures: docs/decisions/0015-state-of-a-request.md. */
class ReadRequest implements GatewayRequest {
  declare readonly given: Given;
  declare readonly dialect: Dialect;
  declare readonly wire: JsonObject;
  declare readonly source?: JsonSource;
  declare readonly envelope: RequestMeta;
  declare readonly strict: boolean;
  declare readonly adjustments?: readonly Warning[];
  declare readonly asJson?: true;
  declare readonly pinnedTo?: NonNullable<GatewayRequest["pinnedTo"]>;
  declare readonly outline: RequestOutline;
  declare readonly input: InputScan;
  declare readonly write: WriteContext;
  declare private built: OperationRequest | undefined;

  constructor(
    given: Given,
    write: WriteGiven | WriteContext,
    built: OperationRequest | undefined,
    from?: GatewayRequest,
  ) {
    this.given = given;
    this.dialect = given.dialect;
    this.wire = given.wire;
    if (given.source !== undefined) this.source = given.source;
    this.envelope = given.envelope;
    this.strict = given.strict;
    if (given.adjustments !== undefined) this.adjustments = given.adjustments;
    if (given.asJson !== undefined) this.asJson = given.asJson;
    if (given.pinnedTo !== undefined) this.pinnedTo = given.pinnedTo;
    this.built = built;
    this.outline = from?.outline ?? this.readOutline();
    this.input = from?.input ?? scanInput(this.outline.parts);
    this.write = from === undefined ? new RequestWriteContext(write, approximateInput(this.input), this) : from.write;
  }

  get request(): OperationRequest {
    this.built ??= this.dialect.request.parse(this.wire, this.envelope);
    return this.built;
  }

  private readOutline(): RequestOutline {
    const outline = this.built === undefined ? this.dialect.request.outline?.(this.wire, this.envelope) : null;
    return outline ?? outlineOf(this.request);
  }

  with(changes: RequestChanges): GatewayRequest {
    const { request, ...others } = changes;
    return new ReadRequest({ ...this.given, ...others }, this.write, request ?? this.built, this);
  }
}

/** `built` is there where the request is not read from the wire. Throws the 400 of a wire that is not plain and makes no sense. */
export function createGatewayRequest(given: Given, write: WriteGiven, built?: OperationRequest): GatewayRequest {
  return new ReadRequest(given, write, built);
}
