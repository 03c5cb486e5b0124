// Server-sent events at the byte level: splitting a byte stream into frames, reading a frame, writing one.

/** One server-sent event. `event` is absent if the wire had no `event:` line. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
  /** The id from which a client that lost the stream can request the rest. */
  readonly id?: string;
}

/** The frames that one chunk completed: their texts without blank lines, and exactly their bytes. */
export interface SseChunk {
  readonly raws: readonly string[];
  readonly bytes: Uint8Array;
}

/** Splits chunks at frame boundaries; the bytes of an incomplete frame are held back. */
export interface FrameSplitter {
  /** Null when the chunk completed no frame. Throws an Error when a frame exceeds the limit. */
  push(chunk: Uint8Array): SseChunk | null;
  /** The bytes held at the end of the stream: a last frame without its blank line counts as one. */
  rest(): SseChunk | null;
  /** True when the held bytes start anything other than a comment. */
  holdsEvent(): boolean;
}

const lineFeed = 10;
const carriageReturn = 13;
const colon = 58;
const decoder = new TextDecoder("utf-8");
const encoder = new TextEncoder();

/** The message of the error that a splitter throws. */
export const frameTooLarge = "the event stream holds a frame over the size limit";

/** The index after the last blank line that ends after `from`, or 0. Accepts LF, CRLF and CR line ends. */
function lastBorder(bytes: Uint8Array, from: number): number {
  for (let at = bytes.lastIndexOf(lineFeed); at >= from && at > 0; at = bytes.lastIndexOf(lineFeed, at - 1)) {
    if (bytes[at - 1] === lineFeed) return at + 1;
    if (bytes[at - 1] === carriageReturn && bytes[at - 2] === lineFeed) return at + 1;
  }
  if (bytes.includes(lineFeed)) return 0;
  for (let at = bytes.lastIndexOf(carriageReturn); at >= from && at > 0; at = bytes.lastIndexOf(carriageReturn, at - 1))
    if (bytes[at - 1] === carriageReturn) return at + 1;
  return 0;
}

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

/** Only complete frames are decoded, so no character is ever split. */
function cutOf(bytes: Uint8Array): SseChunk {
  const text = decoder.decode(bytes);
  const raws = text.includes("\r") ? text.split(/\r\n\r?\n|\n\r?\n|\r\r/) : text.split("\n\n");
  if (raws.at(-1) === "") raws.pop();
  return { raws, bytes };
}

/** The chunk without its first frames. */
export function cutFrom({ raws }: SseChunk, first: number): SseChunk {
  const left = raws.slice(first);
  return { raws: left, bytes: encoder.encode(left.map((raw) => `${raw}\n\n`).join("")) };
}

/**
 * A splitter for one stream. `maxFrameBytes` limits a frame and the held bytes, so that a peer cannot fill the memory
 * with one line.
 */
export function frameSplitter(maxFrameBytes: number): FrameSplitter {
  let held: Uint8Array | null = null;
  return {
    push(chunk) {
      const bytes: Uint8Array = held === null ? chunk : join(held, chunk);
      const end = lastBorder(bytes, held === null ? 0 : Math.max(0, held.length - 2));
      held = end === bytes.length ? null : bytes.slice(end);
      if (held !== null && held.length > maxFrameBytes) throw new Error(frameTooLarge);
      if (end === 0) return null;
      const cut = cutOf(end === bytes.length ? bytes : bytes.subarray(0, end));
      if (end > maxFrameBytes && cut.raws.some(({ length }) => length > maxFrameBytes)) throw new Error(frameTooLarge);
      return cut;
    },
    rest() {
      const last = held;
      held = null;
      return last === null ? null : cutOf(join(last, encoder.encode("\n\n")));
    },
    holdsEvent: () => held !== null && held[0] !== colon,
  };
}

/** Parses the text of one frame; null when it has no data (a comment, a bare `event:` line, nothing). */
export function readFrame(raw: string): Frame | null {
  if (raw.startsWith("data: ") && !raw.includes("\n") && !raw.includes("\r")) return { data: raw.slice(6) };
  let event: string | undefined;
  let data: string | undefined;
  for (const line of raw.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") event = value;
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
  }
  if (data === undefined) return null;
  return event === undefined ? { data } : { event, data };
}

/** The wire text of a frame, including its blank line. */
export function formatFrame(frame: Frame): string {
  const id = frame.id === undefined ? "" : `id: ${frame.id}\n`;
  const event = frame.event === undefined ? "" : `event: ${frame.event}\n`;
  const data = frame.data.includes("\n") ? frame.data.replaceAll("\n", "\ndata: ") : frame.data;
  return `${id}${event}data: ${data}\n\n`;
}

/** The bytes of consecutive frames. */
export function encodeFrames(frames: readonly Frame[]): Uint8Array {
  let text = "";
  for (const frame of frames) text += formatFrame(frame);
  return encoder.encode(text);
}

/** A comment that clients ignore; it keeps the connection open. */
export const keepAliveComment = ": keep-alive\n\n";
