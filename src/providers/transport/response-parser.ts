// Reads HTTP/1.1 responses from the bytes of one connection (RFC 9112): their heads, and their bodies by length, in
// chunks, or up to the end of the connection.
import { HeaderList } from "./headers.ts";

export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderList;
  /** Whether a body may follow. */
  readonly hasBody: boolean;
  /** The length of the body; null if only its end shows it. */
  readonly length: number | null;
  /** Whether the connection serves another request after this response. */
  readonly keepsAlive: boolean;
}

export interface ResponseEvents {
  head(head: ResponseHead): void;
  /** A part of the body, at most one for each `push`. */
  data(bytes: Uint8Array): void;
  end(): void;
}

/** The bytes are not an HTTP response. */
export class InvalidResponse extends Error {
  override readonly name = "InvalidResponse";
}

/** As many as the runtime's `fetch` accepts. */
const maxHeaders = 256;
const maxHeadBytes = 64 * 1024;
/** A server may announce what it is about to do; it does not do so for ever. */
const maxInterimResponses = 16;
const maxSizeLineBytes = 4_096;
const maxTrailerBytes = 16 * 1024;

const lineFeed = 10;
const carriageReturn = 13;
/** An empty line behind another one. Some servers end lines without a carriage return. */
const emptyLine = Buffer.from("\n\r\n");
const bareEmptyLine = Buffer.from("\n\n");
const nothing = Buffer.alloc(0);

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?\r?(?:\n|$)/;
const headerLine = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*((?:[^\r\n\0]*[^\r\n\0 \t])?)[ \t]*$/;

type State = "head" | "length" | "untilClose" | "size" | "chunk" | "chunkEnd" | "trailer";

/** What follows a head, by its framing headers. */
interface Framing {
  readonly state: State;
  readonly length: number;
}

/** The length that all of the values name. Throws where they differ. */
function lengthIn(value: string): number {
  const [first = "", ...others] = value.split(",").map((each) => each.trim());
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first))
    throw new InvalidResponse("invalid Content-Length");
  return Number(first);
}

function framingOf(status: number, headers: HeaderList): Framing {
  if (status === 204 || status === 304) return { state: "length", length: 0 };
  const coding = headers.get("transfer-encoding")?.toLowerCase() ?? "identity";
  if (coding !== "identity") {
    if (coding !== "chunked") throw new InvalidResponse("unsupported Transfer-Encoding");
    return { state: "size", length: 0 };
  }
  const length = headers.get("content-length");
  return length === null ? { state: "untilClose", length: 0 } : { state: "length", length: lengthIn(length) };
}

/**
 * Headers that announce another body than the one that is read are a fault of the server or an attempt at smuggling (RFC
 * 9112 6.3): the response is read, and its connection is not used again.
 */
function isAmbiguous(status: number, minor: string, headers: HeaderList, { state }: Framing): boolean {
  if (status === 204 || status === 304)
    return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
  return state === "size" && (minor === "0" || headers.has("content-length"));
}

function keepsAlive(status: number, minor: string, headers: HeaderList, framing: Framing): boolean {
  if (framing.state === "untilClose" || isAmbiguous(status, minor, headers, framing)) return false;
  const connection = headers.get("connection")?.toLowerCase() ?? "";
  return minor === "1" ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
}

function headersIn(text: string, from: number): HeaderList {
  const headers = new HeaderList();
  for (let at = from; at < text.length; ) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(at, text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end);
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new InvalidResponse("invalid header");
    headers.add(name.toLowerCase(), value);
    if (headers.size > maxHeaders) throw new InvalidResponse("too many headers");
    at = end + 1;
  }
  return headers;
}

/** The size at the start of a chunk, in hexadecimal digits; extensions behind it are ignored. */
function chunkSizeIn(bytes: Buffer, from: number, end: number): number {
  let size = 0;
  let at = from;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    const digit = byte < 58 ? byte - 48 : (byte | 32) - 87;
    if (digit < 0 || digit > 15 || (byte >= 58 && digit < 10)) break;
    size = size * 16 + digit;
  }
  const rest = bytes[at];
  const isEnded = at === end || rest === 59 || rest === 32 || rest === 9;
  if (at === from || at - from > 13 || !isEnded) throw new InvalidResponse("invalid chunk size");
  return size;
}

/** Parses the responses of one connection, one after the other. Each method may throw InvalidResponse. */
export class ResponseParser {
  private readonly events: ResponseEvents;
  private state: State = "head";
  /** Bytes of a line that is not complete. */
  private held: Buffer = nothing;
  /** Bytes that are left of the body or the chunk. */
  private left = 0;
  private interim = 0;
  private trailerBytes = 0;

  constructor(events: ResponseEvents) {
    this.events = events;
  }

  /** The bytes behind a response are returned: they belong to no request. */
  push(chunk: Buffer): Buffer {
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    this.held = nothing;
    let at = 0;
    while (this.state === "head") {
      const next = this.readHead(bytes, at);
      if (next < 0) return nothing;
      at = next;
      if (this.isComplete()) return this.endAt(bytes, at);
    }
    return at === bytes.length ? nothing : this.readBody(bytes, at);
  }

  /** The peer closed the connection: true if that is the end of the response. */
  close(): boolean {
    if (this.state !== "untilClose") return false;
    this.finish();
    return true;
  }

  private isComplete(): boolean {
    return this.state === "length" && this.left === 0;
  }

  private finish(): void {
    this.state = "head";
    this.interim = 0;
    this.events.end();
  }

  private endAt(bytes: Buffer, at: number): Buffer {
    this.finish();
    return at === bytes.length ? nothing : bytes.subarray(at);
  }

  /** Returns the place behind the head; -1 if it is not complete. */
  private readHead(bytes: Buffer, from: number): number {
    const usual = bytes.indexOf(emptyLine, from);
    const bare = bytes.subarray(from, usual < 0 ? bytes.length : usual + 1).indexOf(bareEmptyLine);
    const end = bare < 0 ? usual : from + bare;
    const next = end + (bare < 0 ? emptyLine : bareEmptyLine).length;
    if ((end < 0 ? bytes.length : end) - from > maxHeadBytes) throw new InvalidResponse("the head is too large");
    if (end < 0) {
      this.held = bytes.subarray(from);
      return -1;
    }
    this.parseHead(bytes.toString("latin1", from, end));
    return next;
  }

  private parseHead(text: string): void {
    const line = statusLine.exec(text);
    if (line === null) throw new InvalidResponse("invalid status line");
    const [start, minor = "", digits] = line;
    const status = Number(digits);
    if (status < 200) {
      if (status === 101 || ++this.interim > maxInterimResponses) throw new InvalidResponse("unexpected status");
      return;
    }
    const headers = headersIn(text, start.length);
    const framing = framingOf(status, headers);
    this.state = framing.state;
    this.left = framing.length;
    this.trailerBytes = 0;
    const hasBody = status !== 204 && status !== 304;
    const length = framing.state === "length" ? framing.length : null;
    this.events.head({ status, headers, hasBody, length, keepsAlive: keepsAlive(status, minor, headers, framing) });
  }

  private readBody(bytes: Buffer, at: number): Buffer {
    if (this.state === "untilClose") {
      this.events.data(at === 0 ? bytes : bytes.subarray(at));
      return nothing;
    }
    if (this.state !== "length") return this.readChunks(bytes, at);
    const end = Math.min(bytes.length, at + this.left);
    this.left -= end - at;
    this.events.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    return this.left === 0 ? this.endAt(bytes, end) : nothing;
  }

  /** Moves the contents of all chunks together, so that they are passed on at once. */
  private readChunks(bytes: Buffer, from: number): Buffer {
    let at = from;
    let start = -1;
    let end = -1;
    let isOver = false;
    while (at < bytes.length && !isOver) {
      if (this.state === "chunk") {
        const until = Math.min(bytes.length, at + this.left);
        if (start < 0) start = at;
        else bytes.copyWithin(end, at, until);
        end = (end < 0 ? start : end) + (until - at);
        this.left -= until - at;
        at = until;
        if (this.left === 0) this.state = "chunkEnd";
        continue;
      }
      const feed = bytes.indexOf(lineFeed, at);
      if (feed < 0) {
        this.hold(bytes, at);
        break;
      }
      isOver = this.readLine(bytes, at, feed);
      at = feed + 1;
    }
    if (start >= 0) this.events.data(bytes.subarray(start, end));
    return isOver ? this.endAt(bytes, at) : nothing;
  }

  private hold(bytes: Buffer, at: number): void {
    if (bytes.length - at > maxSizeLineBytes) throw new InvalidResponse("a line of the chunked body is too long");
    // A copy: the bytes before it are passed on, and may be changed there.
    this.held = Buffer.from(bytes.subarray(at));
  }

  /** A line of the chunked coding; true at the last one. */
  private readLine(bytes: Buffer, at: number, feed: number): boolean {
    const end = bytes[feed - 1] === carriageReturn && feed > at ? feed - 1 : feed;
    if (this.state === "size") {
      if (feed - at > maxSizeLineBytes) throw new InvalidResponse("a line of the chunked body is too long");
      this.left = chunkSizeIn(bytes, at, end);
      this.state = this.left === 0 ? "trailer" : "chunk";
      return false;
    }
    if (this.state === "chunkEnd") {
      if (end !== at) throw new InvalidResponse("a chunk is longer than its size");
      this.state = "size";
      return false;
    }
    this.trailerBytes += feed - at;
    if (this.trailerBytes > maxTrailerBytes) throw new InvalidResponse("the trailers are too large");
    return end === at;
  }
}
