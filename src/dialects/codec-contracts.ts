// The sides of a dialect: how it streams, how it carries documents and sound, what passes through, how it errs.

import type { GatewayError } from "../canonical/error.ts";
import type { OperationResponse } from "../canonical/operation.ts";
import type { AudioFormat } from "../canonical/speech.ts";
import type { StreamEvent } from "../canonical/stream-event.ts";
import type { Usage } from "../canonical/usage.ts";
import type { Warning } from "../canonical/warning.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Frame } from "../lib/sse.ts";
import type { ReadContext, RenderContext, RequestMeta, WriteContext } from "./context.ts";
import type { UpstreamRequest } from "./upstream-request.ts";

/** One item of a conversation, as its dialect writes it. */
export type Item = JsonObject;

/** A response as it is stored, and as a client gets it again. */
export type ResponseDocument = JsonObject;

/** A frame with what it holds of a response that is stored, so that its text need not be parsed again. */
export interface ResponseFrame extends Frame {
  /** The response from this frame on. */
  readonly response?: ResponseDocument;
  /** Set on the frame that ends the stream: the same frame with another response. */
  readonly withResponse?: (response: ResponseDocument) => Frame;
  /** An item that is complete, or as far as it came. */
  readonly item?: Item;
}

/** Frames of one upstream stream into deltas. */
export interface StreamReader {
  read(frame: Frame): StreamEvent[];
  /**
   * For passthrough, where nothing is made of a delta but its count: the text in a frame's data (escapes as written)
   * when it is surely nothing but more of a text, else null and the frame must be read. Reading is always right, skimming is cheap.
   */
  peekText?(data: string): string | null;
  /** True once the upstream has said why the reply ended: only its usage and its end are to come. */
  finishing?(): boolean;
  /** The body has ended: a finish when the reply was complete, an error when it was cut. Nothing when already said. */
  end(): StreamEvent[];
}

/** Reads a stream that is passed through, and gives each of its frames as the client may see it. */
export interface PassthroughReader extends StreamReader {
  /**
   * The frame that was read or peeked last, for the client: the same object, another one, or null where the client does
   * not see it. `usage` replaces usage that cannot be true.
   */
  shown(frame: Frame, usage?: Usage): ResponseFrame | null;
  /** An error that fits behind the frames that were shown. */
  error(error: GatewayError): ResponseFrame[];
  /** An end behind them, as of a reply that has reached the bound on its output. */
  stopped(usage: Usage): ResponseFrame[];
}

/** Deltas into frames for one client. After a finish or an error delta it writes nothing more. */
export interface StreamWriter {
  write(event: StreamEvent): ResponseFrame[];
}

/**
 * A stream as one JSON array, for clients that ask for no events: `open` before the first frame's data, `between` before
 * every other, `close` at the end (behind `open` where there was no frame). `heartbeat` is white space.
 */
export interface ArrayForm {
  readonly open: string;
  readonly between: string;
  readonly close: string;
  readonly heartbeat: string;
}

/** A reply that is no JSON. */
export interface TextDocument {
  /** Its Content-Type. */
  readonly type: string;
  readonly text: string;
}

/** Replies that may be no JSON object: told by their Content-Type. */
export interface TextFormatCodec<R extends OperationResponse> {
  /** Throws `upstream_protocol_error` on anything that is no reply. */
  parse(bytes: Uint8Array, type: string, context: ReadContext): R;
  /** The reply as the client wants it; null where it wants JSON. */
  render(answer: R, context: WriteContext): TextDocument | null;
}

/** The body of a spoken reply into sound, chunk by chunk; `usage` is known at the end, where the upstream tells it. */
export interface AudioReader {
  /** What the sound is, when its first bytes are there. */
  readonly format: AudioFormat;
  /** Throws GatewayError for a body that is no sound. */
  read(chunk: Uint8Array): Uint8Array;
  /** The body has ended. Throws `upstream_protocol_error` when the reply was not complete. */
  end(): { readonly bytes: Uint8Array; readonly usage?: Usage };
}

/** Sound into the body of a reply. */
export interface AudioWriter {
  readonly type: string;
  write(sound: Uint8Array): Uint8Array;
  end(usage: Usage): Uint8Array;
}

/** How a dialect carries sound; it takes the place of `stream` where the operation is to speak. */
export interface AudioCodec {
  /** The formats that the upstream makes; absent where it is not known to lack any. */
  readonly formats?: readonly AudioFormat[];
  /** `head` is asked for headers of the upstream's answer. */
  reader(context: ReadContext, head: (name: string) => string | null): AudioReader;
  writer(context: WriteContext, format: AudioFormat): AudioWriter;
}

export interface StreamCodec {
  reader(context: ReadContext): StreamReader;
  writer(context: WriteContext): StreamWriter;
  /** Wire text that keeps a silent connection warm; `started` once a frame has been sent. */
  heartbeat(started: boolean): string;
  /** True where an error within a stream must fit what was said before it: the writer words it, not `error.frames`. */
  readonly writesOwnErrors?: true;
  /** A whole answer as the frames of a stream, for upstreams that cannot stream what this dialect can. */
  asStream?(response: OperationResponse, context: WriteContext): Frame[];
  /** Where clients may have the stream without events. */
  readonly array?: ArrayForm;
}

/** The client's own wire as a call, with what had to change in it beyond names and state. */
export interface PassthroughRequest extends UpstreamRequest {
  readonly warnings?: readonly Warning[];
}

/** Passthrough: client and upstream speak this dialect, so the wire goes through almost untouched. */
export interface Passthrough {
  /** The client's own wire as a call: `model` replaced, nothing else lost. */
  render(wire: JsonObject, context: RenderContext, envelope: RequestMeta): PassthroughRequest;
  /** The wire with reasoning off. Absent where no upstream of this dialect asks for that. */
  withoutReasoning?(wire: JsonObject): JsonObject;
  /** The wire as several in this order, each with at most `most` items; the wire alone when it has no more. */
  splitBatch?(wire: JsonObject, most: number): readonly JsonObject[];
  /** The frame as the client may see it: the same object, one without what the gateway asked for by itself, or null. */
  visibleFrame?(frame: Frame, wire: JsonObject): Frame | null;
  /** For a frame with usage that cannot be true: the frame with other usage. Null for every other frame. */
  corrected?(frame: Frame): ((usage: Usage) => Frame) | null;
  /** The frame that ends a stream, for upstreams that leave it out after a complete reply. */
  readonly terminator?: Frame;
  /**
   * What a whole reply has used, told without reading the rest of it; throws `upstream_protocol_error` where it is no
   * reply. Absent: the reply is parsed.
   */
  usage?(reply: JsonObject): Usage | undefined;
  /** The reply with this usage in place of its own, or of none. Absent: the reply goes on as it came. */
  withUsage?(reply: JsonObject, usage: Usage): JsonObject;
  /** A whole reply that needs a repair before the client can read it; the same object when it needs none. */
  normalize?(reply: JsonObject, wire: JsonObject, context?: WriteContext): JsonObject;
  /** For a stream whose frames have to be changed on their way. Absent: `stream.reader`, and the frames as they came. */
  reader?(context: ReadContext, write: WriteContext): PassthroughReader;
}

/** Errors as the upstream writes them and as the client reads them. */
export interface ErrorCodec {
  /** From an upstream's status and body (parsed JSON, or text). Never carries a credential or host name on. */
  parse(status: number, body: unknown, retryAfterMs?: number): GatewayError;
  render(error: GatewayError, requestId: string): { status: number; body: JsonObject };
  /** The same error inside a stream that has begun. No clean terminator follows. */
  frames(error: GatewayError, requestId: string): Frame[];
}
