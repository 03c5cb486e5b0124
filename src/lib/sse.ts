// Server-sent events on the byte level: cutting a byte stream into frames, reading a frame, writing one.

/** One server-sent event. `event` is absent when the wire had no `event:` line. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
}

/** Cuts chunks into complete raw frames, each with its blank line; bytes of an unfinished frame are held back. */
export interface FrameSplitter {
  push(chunk: Uint8Array): Uint8Array[];
  /** What is held at the end of the stream; a last frame without its blank line counts as one. */
  rest(): Uint8Array | null;
}

const lineFeed = 10;
const carriageReturn = 13;
const decoder = new TextDecoder("utf-8");

/** Thrown by a splitter when one frame outgrows its bound. */
export const frameTooLarge = "the event stream holds a frame over the size limit";

/** Index just behind the next blank line at or after `from`, or -1. Accepts LF, CRLF and CR line ends. */
function endOfFrame(bytes: Uint8Array, from: number, hasReturns: boolean): number {
  for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  if (!hasReturns) return -1;
  for (let at = bytes.indexOf(carriageReturn, from); at >= 0; at = bytes.indexOf(carriageReturn, at + 1)) {
    if (bytes[at + 1] === carriageReturn) return at + 2;
  }
  return -1;
}

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

/** A splitter for one stream. `maxFrameBytes` bounds what is held, so a peer cannot fill memory with one line. */
export function frameSplitter(maxFrameBytes: number): FrameSplitter {
  let held: Uint8Array | null = null;
  return {
    push(chunk) {
      const bytes: Uint8Array = held === null ? chunk : join(held, chunk);
      let from = held === null ? 0 : Math.max(0, held.length - 3);
      const hasReturns = bytes.includes(carriageReturn);
      const frames: Uint8Array[] = [];
      let start = 0;
      for (let end = endOfFrame(bytes, from, hasReturns); end > 0; end = endOfFrame(bytes, from, hasReturns)) {
        frames.push(bytes.subarray(start, end));
        start = end;
        from = end;
      }
      held = start === bytes.length ? null : bytes.slice(start);
      if (held !== null && held.length > maxFrameBytes) throw new Error(frameTooLarge);
      return frames;
    },
    rest() {
      const last = held;
      held = null;
      return last;
    },
  };
}

/** Reads one raw frame; null when it carries no data (a comment, a bare `event:` line, an empty frame). */
export function readFrame(raw: Uint8Array): Frame | null {
  const text = decoder.decode(raw);
  if (text.startsWith("data: ") && text.indexOf("\n") === text.length - 2) return { data: text.slice(6, -2) };
  let event: string | undefined;
  let data: string | undefined;
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    const field = line.slice(0, colon);
    if (field === "event") event = value;
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
  }
  if (data === undefined) return null;
  return event === undefined ? { data } : { event, data };
}

/** The wire text of a frame, closed by its blank line. */
export function formatFrame(frame: Frame): string {
  const event = frame.event === undefined ? "" : `event: ${frame.event}\n`;
  const data = frame.data.includes("\n") ? frame.data.replaceAll("\n", "\ndata: ") : frame.data;
  return `${event}data: ${data}\n\n`;
}

/** A comment that every client skips; it only keeps the connection warm. */
export const keepAliveComment = ": keep-alive\n\n";
