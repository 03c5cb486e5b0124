// A wire that has passed its schema, on its way to become an inquiry.
import type { Dialect, RequestMeta, WriteContext } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { JsonSource } from "../../lib/json-source.ts";
import type { StreamEncoder } from "../streaming/client-stream.ts";
import { nothing } from "../streaming/transcoder.ts";
import { createGatewayRequest, type GatewayRequest } from "./gateway-request.ts";
import type { RequestContext } from "./request-context.ts";

/** What the room above knows of a request when its body has been read and validated. */
export interface IncomingRequest {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  /** The body as it came, where it was JSON. */
  readonly source?: JsonSource;
  readonly envelope: RequestMeta;
  readonly strict: boolean;
  /** The request's id. */
  readonly id: string;
  /** Size of the body. */
  readonly bytes: number;
  readonly visit: Omit<RequestContext, "encoder">;
}

/** Where an inquiry differs from what was asked. */
export interface Overrides {
  /** What goes to the upstream, where it is not the client's own wire. */
  readonly wire?: JsonObject;
  /** What the client is told that it asked. */
  readonly echo?: JsonObject;
  /** The identity of the reply, where it is stored: its id takes the place of the request's. */
  readonly stored?: NonNullable<WriteContext["stored"]>;
  readonly pinnedTo?: GatewayRequest["pinnedTo"];
}

const encoder = new TextEncoder();

/** The inquiry behind a request. Throws the 400 of a wire that makes no sense. */
export function gatewayRequestOf(incoming: IncomingRequest, nowMs: number, changes: Overrides = {}): GatewayRequest {
  const { dialect, envelope, strict } = incoming;
  const wire = changes.wire ?? incoming.wire;
  const createdAt = Math.floor(nowMs / 1000);
  const { pinnedTo, stored, echo = wire } = changes;
  const write = { wire: echo, id: stored?.id ?? incoming.id, createdAt, ...(stored && { stored }) };
  const pinned = pinnedTo === undefined ? {} : { pinnedTo };
  const source = incoming.source === undefined ? {} : { source: incoming.source };
  return createGatewayRequest(
    { dialect, wire, envelope, strict, ...(stored && { asJson: true as const }), ...pinned, ...source },
    write,
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
