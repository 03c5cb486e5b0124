// A wire that has passed its schema, on its way to become an inquiry.
import type { Dialect, Envelope } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../lib/json.ts";
import { formatFrame } from "../../lib/sse.ts";
import type { PipeWire } from "../streaming/client-stream.ts";
import { nothing } from "../streaming/transcoder.ts";
import { type Inquiry, measured } from "./gateway-request.ts";
import { answer, type GatewayParts, type Reply, type Visit } from "./run.ts";

/** What the room above knows of a request when its body has been read and validated. */
export interface Asked {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  readonly envelope: Envelope;
  readonly strict: boolean;
  /** The request's id. */
  readonly id: string;
  /** Size of the body. */
  readonly bytes: number;
  readonly visit: Omit<Visit, "wire">;
}

/** Where an inquiry differs from what was asked. */
export interface Changes {
  /** What goes to the upstream, where it is not the client's own wire. */
  readonly wire?: JsonObject;
  /** What the client is told that it asked. */
  readonly echo?: JsonObject;
  /** The id of the reply, in place of the request's. */
  readonly id?: string;
  readonly bound?: Inquiry["bound"];
}

const encoder = new TextEncoder();

/** The inquiry behind a request. Throws the 400 of a wire that makes no sense. */
export function inquiryOf(asked: Asked, nowMs: number, changes: Changes = {}): Inquiry {
  const { dialect, envelope, strict } = asked;
  const wire = changes.wire ?? asked.wire;
  const ask = dialect.request.parse(wire, envelope);
  const createdAt = Math.floor(nowMs / 1000);
  const write = { ask, wire: changes.echo ?? wire, id: changes.id ?? asked.id, createdAt };
  const { bound } = changes;
  return { dialect, wire, envelope, ask, strict, ...measured(write), ...(bound === undefined ? {} : { bound }) };
}

/** Silence and errors in the words of a dialect; `id` is the one that its errors name. */
export function pipeWireOf(dialect: Dialect, id: string): PipeWire {
  if (dialect.sound !== undefined) return { heartbeat: () => nothing, error: () => nothing };
  return {
    heartbeat: (started) => encoder.encode(dialect.stream?.heartbeat(started) ?? ""),
    error: (error) => encoder.encode(dialect.error.frames(error, id).map(formatFrame).join("")),
  };
}

/** Asks the corridor. */
export function answerAsked(parts: GatewayParts, asked: Asked): Promise<Reply> {
  const inquiry = inquiryOf(asked, parts.clock.nowMs());
  return answer(parts, inquiry, { ...asked.visit, wire: pipeWireOf(asked.dialect, asked.id) });
}
