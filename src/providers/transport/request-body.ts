// The bytes of a request in the pieces in which they are written: a large body is neither joined nor encoded at once,
// which would block the event loop.

type Piece = string | Uint8Array;

/** Text is sent as UTF-8. */
export interface RequestBody {
  /** Pieces of text are ASCII: as many bytes as characters. */
  readonly pieces: readonly Piece[];
  readonly bytes: number;
}

/** From here on, a text that is not ASCII is encoded in slices. */
const sliceCharacters = 256 * 1024;

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

function encodedSlices(text: string): Uint8Array[] {
  const slices: Uint8Array[] = [];
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + sliceCharacters);
    // Both halves of a character stay together.
    const whole = end < text.length && isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
    slices.push(Buffer.from(text.slice(at, whole)));
    at = whole;
  }
  return slices;
}

export function bodyOf(
  body: string | Uint8Array | undefined,
  pieces: readonly Uint8Array[] | undefined,
): RequestBody | null {
  if (pieces !== undefined) return { pieces, bytes: pieces.reduce((sum, { length }) => sum + length, 0) };
  if (body === undefined) return null;
  if (typeof body !== "string") return { pieces: [body], bytes: body.length };
  const bytes = Buffer.byteLength(body);
  return { pieces: bytes === body.length ? [body] : encodedSlices(body), bytes };
}

/** What is written to. Returns how many bytes were taken; negative on a closed connection. */
interface Writable {
  write(piece: Piece): number;
}

/** Small requests are sent as one packet. */
const joinedCharacters = 16 * 1024;
/** What is written in one turn of the event loop: encrypting takes its time. */
const turnBytes = 1024 * 1024;

/** Writes one request, as fast as the connection takes it. */
export class RequestWriter {
  private readonly pieces: Piece[];
  private at = 0;

  /** A `head` of text is ASCII. */
  constructor(head: Piece, body: RequestBody | null) {
    const [first] = body?.pieces ?? [];
    const isSmall = typeof head === "string" && typeof first === "string" && first.length <= joinedCharacters;
    if (isSmall && body?.pieces.length === 1) this.pieces = [head + first];
    else this.pieces = [head, ...(body?.pieces ?? [])];
  }

  get isDone(): boolean {
    return this.at === this.pieces.length;
  }

  /** True if the rest may be written in the next turn; false if the connection must be able to take more first. */
  write(socket: Writable): boolean {
    let written = 0;
    while (this.at < this.pieces.length) {
      const piece = this.pieces[this.at] ?? "";
      const part = piece.length > turnBytes ? cut(piece, 0, turnBytes) : piece;
      const taken = part.length === 0 ? 0 : socket.write(part);
      if (taken < 0) return false;
      written += taken;
      if (taken === piece.length) this.at += 1;
      else this.pieces[this.at] = cut(piece, taken);
      if (taken < part.length) return false;
      if (written >= turnBytes) return true;
    }
    return false;
  }
}

const cut = (piece: Piece, from: number, to?: number): Piece =>
  typeof piece === "string" ? piece.slice(from, to) : piece.subarray(from, to);
