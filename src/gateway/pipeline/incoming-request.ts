// A request whose body has passed its schema, and what the pipeline makes of it.
import type { Dialect, RequestMeta, WriteContext } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { JsonSource } from "../../lib/json-source.ts";
import type { StreamEncoder } from "../streaming/client-stream.ts";
import { nothing } from "../streaming/transcoder.ts";
import { createGatewayRequest, type GatewayRequest } from "./gateway-request.ts";
import type { RequestContext } from "./request-context.ts";

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

/** The request that goes through the pipeline. Throws the 400 of a wire that makes no sense. */
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
