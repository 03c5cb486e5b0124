// Reads HTTP/1.1 answers from the bytes of one connection, at as little cost as a client can have.

export type ResponseEvents = {
  /** A piece of the body, without chunk framing. The bytes are only good during the call. */
  onBody(piece: Buffer): void;
  /** The answer is complete, and the connection is free for the next request. */
  onEnd(status: number): void;
};

type State = "head" | "body" | "size" | "chunk" | "gap" | "trailer";

/** A step consumes input from `at` and says where to go on, or `needMore`. */
type Step = (input: Buffer, at: number) => number;

const needMore = -1;
const gapBytes = 2;

function bodyLength(head: string): number | "chunked" {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return "chunked";
  throw new Error(`an answer without length: ${head.slice(0, 200)}`);
}

/** Feed it the bytes of one connection in order. Throws on an answer that has no length of its own. */
export function responseReader(events: ResponseEvents): (bytes: Buffer) => void {
  let state: State = "head";
  let status = 0;
  let remaining = 0;
  let pending: Buffer | undefined;

  const finish = () => {
    state = "head";
    events.onEnd(status);
  };
  const take = (input: Buffer, at: number, done: () => void) => {
    const end = Math.min(input.length, at + remaining);
    remaining -= end - at;
    events.onBody(input.subarray(at, end));
    if (remaining === 0) done();
    return end;
  };
  const line = (input: Buffer, at: number, mark: string, use: (text: string) => void) => {
    const end = input.indexOf(mark, at, "latin1");
    if (end < 0) return needMore;
    use(input.toString("latin1", at, end));
    return end + mark.length;
  };
  const readHead = (head: string) => {
    status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 ".length + 3));
    const length = bodyLength(head);
    remaining = length === "chunked" ? 0 : length;
    state = length === "chunked" ? "size" : "body";
    if (length === 0) finish();
  };
  const readSize = (size: string) => {
    remaining = Number.parseInt(size, 16);
    state = remaining === 0 ? "trailer" : "chunk";
  };
  const steps: Record<State, Step> = {
    head: (input, at) => line(input, at, "\r\n\r\n", readHead),
    body: (input, at) => take(input, at, finish),
    size: (input, at) => line(input, at, "\r\n", readSize),
    chunk: (input, at) =>
      take(input, at, () => {
        state = "gap";
      }),
    gap: (input, at) => {
      if (input.length - at < gapBytes) return needMore;
      state = "size";
      return at + gapBytes;
    },
    trailer: (input, at) =>
      line(input, at, "\r\n", (text) => {
        if (text === "") finish();
      }),
  };

  return (bytes) => {
    const input = pending === undefined ? bytes : Buffer.concat([pending, bytes]);
    pending = undefined;
    let at = 0;
    while (at < input.length) {
      const next = steps[state](input, at);
      if (next === needMore) {
        pending = Buffer.from(input.subarray(at));
        return;
      }
      at = next;
    }
  };
}
