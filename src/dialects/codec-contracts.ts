// The codecs of a dialect: streams, audio, text formats, passthrough, errors.

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

/** A response as it is stored and returned. */
export type ResponseDocument = JsonObject;

/** A frame with its part of a stored response, so that its text need not be parsed again. */
export interface ResponseFrame extends Frame {
  /** The response from this frame on. */
  readonly response?: ResponseDocument;
  /** Set on the frame that ends the stream: returns the same frame with another response. */
  readonly withResponse?: (response: ResponseDocument) => Frame;
  /** An item, complete or as far as it has arrived. */
  readonly item?: Item;
}

/** Reads the frames of one upstream stream as canonical events. */
export interface StreamReader {
  read(frame: Frame): StreamEvent[];
  /**
   * For passthrough, where text is only counted: the text in a frame's data (with its escapes) if the frame only adds
   * text, otherwise null, and the frame must be read. Reading is always correct; peeking is cheaper.
   */
  peekText?(data: string): string | null;
  /** True once the finish reason has arrived: only usage and the end may follow. */
  finishing?(): boolean;
  /**
   * The body has ended: returns a finish event when the reply was complete, an error when it was cut, nothing when
   * either was already returned.
   */
  end(): StreamEvent[];
}

/** Reads a stream that is passed through, and returns each frame as the client may see it. */
export interface PassthroughReader extends StreamReader {
  /**
   * The frame that was read or peeked last, for the client: the same object, a changed one, or null when it is hidden.
   * `usage` replaces usage that cannot be true.
   */
  shown(frame: Frame, usage?: Usage): ResponseFrame | null;
  /** An error that is valid after the frames sent so far. */
  error(error: GatewayError): ResponseFrame[];
  /** An end after them, as of a reply that has reached its output limit. */
  stopped(usage: Usage): ResponseFrame[];
}

/** Writes canonical events as frames for one client. After a finish or an error it writes nothing more. */
export interface StreamWriter {
  write(event: StreamEvent): ResponseFrame[];
}

/**
 * A stream as one JSON array, for clients that do not request events: `open` before the first frame's data, `between`
 * before every other, `close` at the end (after `open` when there was no frame). `heartbeat` is white space.
 */
export interface ArrayForm {
  readonly open: string;
  readonly between: string;
  readonly close: string;
  readonly heartbeat: string;
}

/** A reply that is not JSON. */
export interface TextDocument {
  /** Its Content-Type. */
  readonly type: string;
  readonly text: string;
}

/** Replies that may not be JSON, recognized by their Content-Type. */
export interface TextFormatCodec<R extends OperationResponse> {
  /** Throws `upstream_protocol_error` for anything that is not a reply. */
  parse(bytes: Uint8Array, type: string, context: ReadContext): R;
  /** The reply in the client's format; null for JSON. */
  render(answer: R, context: WriteContext): TextDocument | null;
}

/**
 * Reads the audio in the body of a speech reply, chunk by chunk. `usage` is known at the end, if the upstream returns
 * it.
 */
export interface AudioReader {
  /** The audio format, once the first bytes have arrived. */
  readonly format: AudioFormat;
  /** Throws GatewayError for a body that is not audio. */
  read(chunk: Uint8Array): Uint8Array;
  /** The body has ended. Throws `upstream_protocol_error` when the reply was not complete. */
  end(): { readonly bytes: Uint8Array; readonly usage?: Usage };
}

/** Writes audio as the body of a reply. */
export interface AudioWriter {
  readonly type: string;
  write(sound: Uint8Array): Uint8Array;
  end(usage: Usage): Uint8Array;
}

/** How a dialect carries audio; used instead of `stream` for speech. */
export interface AudioCodec {
  /** The formats that the upstream can produce; absent: any. */
  readonly formats?: readonly AudioFormat[];
  /** `head` returns headers of the upstream's response. */
  reader(context: ReadContext, head: (name: string) => string | null): AudioReader;
  writer(context: WriteContext, format: AudioFormat): AudioWriter;
}

export interface StreamCodec {
  reader(context: ReadContext): StreamReader;
  writer(context: WriteContext): StreamWriter;
  /** Wire text that keeps an idle connection open; `started` once a frame has been sent. */
  heartbeat(started: boolean): string;
  /** True where an error within a stream depends on earlier frames: the writer renders it instead of `error.frames`. */
  readonly writesOwnErrors?: true;
  /** A complete response as frames of a stream, for upstreams that do not support streaming. */
  asStream?(response: OperationResponse, context: WriteContext): Frame[];
  /** Where clients may request the stream as an array instead of events. */
  readonly array?: ArrayForm;
}

/** The client's own wire as an upstream request, with warnings for changes beyond names and state. */
export interface PassthroughRequest extends UpstreamRequest {
  readonly warnings?: readonly Warning[];
}

/** Passthrough: client and upstream use this dialect, so the wire is forwarded almost unchanged. */
export interface Passthrough {
  /** The client's own wire as an upstream request: only `model` is replaced. */
  render(wire: JsonObject, context: RenderContext, envelope: RequestMeta): PassthroughRequest;
  /** The wire with reasoning turned off. Absent where no upstream of this dialect needs it. */
  withoutReasoning?(wire: JsonObject): JsonObject;
  /** The wire split into several in order, each with at most `most` items; a single one when it has no more. */
  splitBatch?(wire: JsonObject, most: number): readonly JsonObject[];
  /**
   * The frame as the client may see it: the same object, one without what the gateway requested for itself, or null.
   */
  visibleFrame?(frame: Frame, wire: JsonObject): Frame | null;
  /** For a frame with usage that cannot be true: a function that replaces the usage. Null for every other frame. */
  corrected?(frame: Frame): ((usage: Usage) => Frame) | null;
  /** The frame that ends a stream, for upstreams that leave it out after a complete reply. */
  readonly terminator?: Frame;
  /**
   * The usage of a complete reply, without parsing the rest of it. Throws `upstream_protocol_error` when it is not a
   * reply. Absent: the reply is parsed.
   */
  usage?(reply: JsonObject): Usage | undefined;
  /** The same from the bytes of a long reply, without parsing it; undefined where that proves nothing, so that it has to be parsed. */
  usageInBytes?(bytes: Uint8Array): Usage | undefined;
  /** The reply with this usage in place of its own, if any. Absent: the reply is forwarded as it came. */
  withUsage?(reply: JsonObject, usage: Usage): JsonObject;
  /**
   * A complete reply that must be repaired before the client can read it; the same object when nothing has to change.
   */
  normalize?(reply: JsonObject, wire: JsonObject, context?: WriteContext): JsonObject;
  /** For streams whose frames must be changed. Absent: `stream.reader`, with the frames forwarded as they came. */
  reader?(context: ReadContext, write: WriteContext): PassthroughReader;
}

/** Errors as upstreams write them and as clients read them. */
export interface ErrorCodec {
  /**
   * Parses an upstream's status and body (parsed JSON, or text). The error never contains a credential or host name.
   */
  parse(status: number, body: unknown, retryAfterMs?: number): GatewayError;
  render(error: GatewayError, requestId: string): { status: number; body: JsonObject };
  /** The same error within a stream that has started. No regular terminator follows. */
  frames(error: GatewayError, requestId: string): Frame[];
}
