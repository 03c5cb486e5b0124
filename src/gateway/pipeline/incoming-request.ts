// A request whose body has passed its schema, and its conversion for the pipeline.
import type { Dialect, RequestMeta, WriteContext } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { JsonSource } from "../../lib/json-source.ts";
import type { StreamEncoder } from "../streaming/client-stream.ts";
import { nothing } from "../streaming/transcoder.ts";
import { createGatewayRequest, type GatewayRequest } from "./gateway-request.ts";
import type { RequestContext } from "./request-context.ts";

/** A request with a parsed and validated body. */
export interface IncomingRequest {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  /** The original body, if it was JSON. */
  readonly source: JsonSource | undefined;
  readonly envelope: RequestMeta;
  readonly strict: boolean;
  /** The request's id. */
  readonly id: string;
  /** Size of the body. */
  readonly bytes: number;
  readonly context: RequestContext;
}

/** Where the request to the upstream differs from the client's. */
export interface Overrides {
  /** The wire for the upstream, if it is not the client's own. */
  readonly wire?: JsonObject;
  /** The request that the response repeats, if it is not `wire`. */
  readonly echo?: JsonObject;
  /** The identity of a stored reply: its id replaces that of the request. */
  readonly stored?: NonNullable<WriteContext["stored"]>;
  readonly pinnedTo?: GatewayRequest["pinnedTo"];
}

const encoder = new TextEncoder();

/** The request for the pipeline. Throws status 400 for an invalid wire. */
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

/** Heartbeats and errors in the format of a dialect; `id` is the request id in errors. */
export function streamEncoderOf(dialect: Dialect, id: string): StreamEncoder {
  if (dialect.audio !== undefined) return { heartbeat: () => nothing, error: () => [] };
  return {
    heartbeat: (started) => encoder.encode(dialect.stream?.heartbeat(started) ?? ""),
    error: (error) => dialect.error.frames(error, id),
  };
}
