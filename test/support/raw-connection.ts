// One connection of the scripted upstream: whole writes, noticing that the peer left, and playing a reply.
import type { Socket } from "bun";
import { endsByClosing, headOf, piecesOf, type Reply, terminatorOf } from "./sample-responses.ts";

/** One request that the upstream saw. */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  text: string;
  /** The body as JSON, or undefined when it is none. */
  json: unknown;
  /** `performance.now()` when the request was whole. */
  at: number;
  /** Bytes of the answer that the kernel has taken so far. */
  sentBytes: number;
  /** Resolves with `performance.now()` when the peer left before the answer had ended. */
  aborted: Promise<number>;
  /** Resolves when the answer has ended, however it ended. */
  finished: Promise<void>;
  /** How many requests came on its connection before it. */
  earlier: number;
}

/** What a script function may do with the connection. Every wait ends when the peer leaves. */
export interface Line {
  request: Seen;
  /** Resolves when the kernel has taken all bytes, or the peer has left. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** Plays a whole reply, its end included. */
  play(reply: Reply): Promise<void>;
  /** Closes the connection in order. */
  end(): void;
  reset(): void;
  /** Resolves when the connection is closed. */
  closed: Promise<void>;
}

export interface Connection {
  socket: Socket<Connection>;
  /** Bytes that came and are no whole request yet. */
  pending: Buffer;
  isBusy: boolean;
  isOpen: boolean;
  /** Requests so far. */
  requests: number;
  drained: PromiseWithResolvers<void>;
  closed: PromiseWithResolvers<void>;
}

export function newConnection(socket: Socket<Connection>): Connection {
  return {
    socket,
    pending: Buffer.alloc(0),
    isBusy: false,
    isOpen: true,
    requests: 0,
    drained: Promise.withResolvers(),
    closed: Promise.withResolvers(),
  };
}

/** Wakes everything that waits on a connection that is gone. */
export function hangUp(connection: Connection | undefined): void {
  if (!connection) return;
  connection.isOpen = false;
  connection.closed.resolve();
  connection.drained.resolve();
}

/** The script's side of a connection; `markEnded` says that a close from now on is no abort. */
export function lineOf(connection: Connection, request: Seen, markEnded: () => void): Line {
  const line: Line = {
    request,
    closed: connection.closed.promise,
    write: (bytes) => writeAll(connection, request, typeof bytes === "string" ? Buffer.from(bytes) : bytes),
    play: (reply) => play(line, reply, markEnded),
    end() {
      markEnded();
      connection.socket.end();
    },
    reset() {
      markEnded();
      connection.socket.terminate();
    },
  };
  return line;
}

async function writeAll(connection: Connection, request: Seen, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length && connection.isOpen; ) {
    connection.drained = Promise.withResolvers();
    const written = connection.socket.write(bytes.subarray(at));
    if (written < 0) return;
    at += written;
    request.sentBytes += written;
    if (at < bytes.length) await connection.drained.promise;
  }
}

async function play(line: Line, reply: Reply, markEnded: () => void): Promise<void> {
  await pause(line, reply.delayMs);
  await playBody(line, reply);
  const ending = reply.ending ?? "end";
  if (ending === "reset") return line.reset();
  if (ending === "hang") return line.closed;
  if (ending === "cut" || endsByClosing(reply)) return line.end();
  markEnded();
}

async function playBody(line: Line, reply: Reply): Promise<void> {
  const pieces = piecesOf(reply);
  const end = (reply.ending ?? "end") === "end" ? terminatorOf(reply) : new Uint8Array();
  const isOneWrite = !reply.frames && !reply.bytes && !reply.cutAt && !reply.gate;
  if (isOneWrite) return line.write(Buffer.concat([headOf(reply), ...pieces, end]));
  await line.write(headOf(reply));
  for (const [index, piece] of pieces.entries()) {
    if (reply.gate && index === (reply.gateAfter ?? 1)) await Promise.race([reply.gate, line.closed]);
    if (index > 0) await pause(line, reply.gapMs);
    await line.write(piece);
    // One turn of the event loop, so that each piece leaves as a packet of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await line.write(end);
}

async function pause(line: Line, ms: number | undefined): Promise<void> {
  if (ms) await Promise.race([Bun.sleep(ms), line.closed]);
}
