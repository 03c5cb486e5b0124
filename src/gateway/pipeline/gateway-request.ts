// A request as it arrives from the client, and as the pipeline uses it; the canonical request is built when it is first read.
import type { OperationRequest } from "../../canonical/operation.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Dialect, RequestMeta, WriteContext } from "../../dialects/dialect.ts";
import { outlineOf, type RequestOutline } from "../../dialects/request-outline.ts";
import { approximateInput, type InputScan, scanInput } from "../../dialects/tokens/figures.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { JsonSource } from "../../lib/json-source.ts";
import type { StreamEncoder } from "../streaming/stream-encoder.ts";
import { nothing } from "../streaming/transcoder.ts";
import type { RequestContext } from "./request-context.ts";

/** A request as the client sent it: its dialect, its wire, and its canonical form. */
export interface GatewayRequest {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  /** The original body, if it was JSON. */
  readonly source?: JsonSource;
  readonly envelope: RequestMeta;
  /** The fields that every request needs. */
  readonly outline: RequestOutline;
  /** Built when it is first read: passthrough needs only the outline. */
  readonly request: OperationRequest;
  /** True: what would be dropped or approximated is refused instead. */
  readonly strict: boolean;
  readonly write: WriteContext;
  /** Changes that the gateway made to the request after a refusal. */
  readonly adjustments?: readonly Warning[];
  /** A complete reply stays a value, because it is processed before its bytes are made. */
  readonly asJson?: true;
  /** The result of one pass over its input. */
  readonly input: InputScan;
  /** Set if the wire contains state that only its origin can read, at this path: other candidates are skipped. */
  readonly pinnedTo?: { readonly origin: string; readonly path: string };
  /** The same request with changes for one candidate. Its outline stays. */
  with(changes: RequestChanges): GatewayRequest;
}

/** What may differ in the request for one candidate. */
type RequestChanges = Partial<Pick<GatewayRequest, "wire" | "request" | "adjustments">>;

interface Given extends Pick<GatewayRequest, "dialect" | "wire" | "envelope" | "strict"> {
  readonly source?: JsonSource | undefined;
  readonly adjustments?: readonly Warning[];
  readonly asJson?: true | undefined;
  readonly pinnedTo?: GatewayRequest["pinnedTo"] | undefined;
}
type WriteGiven = Omit<WriteContext, "request" | "inputEstimate">;

/** The context of writers; the canonical request is built when the first of them uses it. */
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

/** `built` is given if the request is not read from the wire. Throws status 400 for an invalid wire. */
export function createGatewayRequest(given: Given, write: WriteGiven, built?: OperationRequest): GatewayRequest {
  return new ReadRequest(given, write, built);
}

/** A request whose body has been read and validated. */
export interface IncomingRequest {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  /** The body as it came, where it was JSON. */
  readonly source: JsonSource | undefined;
  readonly envelope: RequestMeta;
  readonly strict: boolean;
  /** The request's id. */
  readonly id: string;
  /** Size of the body. */
  readonly bytes: number;
  readonly context: RequestContext;
}

/** Where the request to the upstream differs from what the client asked. */
export interface Overrides {
  /** What goes to the upstream, where it is not the client's own wire. */
  readonly wire?: JsonObject;
  /** What the response repeats of the request, where that is not `wire`. */
  readonly echo?: JsonObject;
  /** The identity of the reply, where it is stored: its id takes the place of the request's. */
  readonly stored?: NonNullable<WriteContext["stored"]>;
  readonly pinnedTo?: GatewayRequest["pinnedTo"];
}

const encoder = new TextEncoder();

/** The request for the pipeline. Throws the 400 of an invalid wire. */
export function gatewayRequestOf(incoming: IncomingRequest, nowMs: number, changes: Overrides = {}): GatewayRequest {
  const { dialect, envelope, strict } = incoming;
  const wire = changes.wire ?? incoming.wire;
  const { pinnedTo, stored, echo = wire } = changes;
  const write = { wire: echo, id: stored?.id ?? incoming.id, createdAt: Math.floor(nowMs / 1000) };
  const given = { dialect, wire, source: incoming.source, envelope, strict };
  if (stored === undefined && pinnedTo === undefined) return createGatewayRequest(given, write);
  return createGatewayRequest(
    { ...given, asJson: stored && (true as const), pinnedTo },
    stored === undefined ? write : { ...write, stored },
  );
}

/** Silence and errors in the words of a dialect; `id` is the one that its errors name. */
export function streamEncoderOf(dialect: Dialect, id: string): StreamEncoder {
  if (dialect.audio !== undefined) return { heartbeat: () => nothing, error: () => [] };
  return {
    heartbeat: (started) => encoder.encode(dialect.stream?.heartbeat(started) ?? ""),
    error: (error) => dialect.error.frames(error, id),
  };
}
