// Says what a scripted upstream answers, as data, and cuts it into the pieces that go onto the socket.

/** What the upstream does. Give one of json, text, frames or bytes; the rest says how it misbehaves. */
export interface Reply {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  /** Server-sent event records as they stand on the wire, each with its blank line. */
  frames?: string[];
  bytes?: Uint8Array[];
  /** Bytes sent in place of status line and headers. */
  head?: string;
  /** Default: chunked for frames and bytes, length for json and text. "close" lets the end of the connection be the end. */
  framing?: "length" | "chunked" | "close";
  /** Overrides the true length with a lie. */
  contentLength?: number;
  /** Where writes are cut: at each frame (default for frames), each byte, these offsets, or nowhere. */
  cutAt?: "frame" | "byte" | "nowhere" | number[];
  /** Wait before the head, in milliseconds. */
  delayMs?: number;
  /** Wait between two writes of the body, in milliseconds. */
  gapMs?: number;
  /** Resolves when the rest of the body may go; the first `gateAfter` pieces (default 1) go before it. */
  gate?: Promise<unknown>;
  gateAfter?: number;
  /** How it ends: as HTTP wants (default), a reset, silence, or a closed connection without terminator. */
  ending?: "end" | "reset" | "hang" | "cut";
}

const encoder = new TextEncoder();

/** The head that goes before the body, as bytes. */
export function headOf(reply: Reply): Uint8Array {
  if (reply.head !== undefined) return encoder.encode(reply.head);
  const headers = { "content-type": contentTypeOf(reply), ...framingHeaders(reply), ...reply.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return encoder.encode(`HTTP/1.1 ${reply.status ?? 200} Scripted\r\n${lines.join("")}\r\n`);
}

/** The writes of the body in order, framed as the reply says. */
export function piecesOf(reply: Reply): Uint8Array[] {
  const pieces = cut(bodyOf(reply), reply.cutAt ?? (reply.frames || reply.bytes ? "frame" : "nowhere"));
  return framingOf(reply) === "chunked" ? pieces.map(asChunk) : pieces;
}

/** What ends the body on the wire: a zero chunk, or nothing. */
export function terminatorOf(reply: Reply): Uint8Array {
  return encoder.encode(framingOf(reply) === "chunked" ? "0\r\n\r\n" : "");
}

/** True when only the end of the connection ends the body. */
export function endsByClosing(reply: Reply): boolean {
  return framingOf(reply) === "close" || reply.contentLength !== undefined || reply.head !== undefined;
}

/** One piece in the chunked transfer coding. */
function asChunk(piece: Uint8Array): Uint8Array {
  return Buffer.concat([encoder.encode(`${piece.length.toString(16)}\r\n`), piece, encoder.encode("\r\n")]);
}

function bodyOf(reply: Reply): Uint8Array[] {
  if (reply.bytes) return reply.bytes;
  if (reply.frames) return reply.frames.map((frame) => encoder.encode(frame));
  return [encoder.encode(reply.json === undefined ? (reply.text ?? "") : JSON.stringify(reply.json))];
}

function cut(pieces: Uint8Array[], cutAt: NonNullable<Reply["cutAt"]>): Uint8Array[] {
  if (cutAt === "frame") return pieces.filter((piece) => piece.length > 0);
  const whole = Buffer.concat(pieces);
  const offsets = cutAt === "byte" ? Array.from(whole.keys()).slice(1) : cutAt === "nowhere" ? [] : cutAt;
  const edges = [0, ...offsets, whole.length];
  return edges.slice(1).flatMap((end, index) => {
    const piece = whole.subarray(edges[index], end);
    return piece.length > 0 ? [piece] : [];
  });
}

function framingOf(reply: Reply): NonNullable<Reply["framing"]> {
  return reply.framing ?? (reply.frames || reply.bytes ? "chunked" : "length");
}

function framingHeaders(reply: Reply): Record<string, string> {
  if (reply.contentLength !== undefined) return { "content-length": String(reply.contentLength) };
  if (framingOf(reply) === "chunked") return { "transfer-encoding": "chunked" };
  if (framingOf(reply) === "close") return { connection: "close" };
  return { "content-length": String(Buffer.concat(bodyOf(reply)).length) };
}

function contentTypeOf(reply: Reply): string {
  if (reply.frames) return "text/event-stream; charset=utf-8";
  return reply.text === undefined ? "application/json" : "text/plain; charset=utf-8";
}
