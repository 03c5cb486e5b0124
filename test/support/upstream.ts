// A scripted upstream on a real socket that can misbehave byte by byte and remembers what it was asked.
import { type RawRequest, takeRequest } from "./http1.ts";
import { type Connection, hangUp, type Line, lineOf, newConnection, type Seen } from "./raw-connection.ts";
import type { Reply } from "./sample-responses.ts";

export type { Line, Seen } from "./raw-connection.ts";
export type { Reply } from "./sample-responses.ts";

export type Script = Reply | ((line: Line) => void | Promise<void>);

export interface Upstream {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  url: string;
  requests: Seen[];
  /** Answers `"POST /v1/x"` with these scripts in turn; the last one repeats. `"*"` matches all. */
  on(route: string, ...scripts: Script[]): void;
  /** Answers the next request that comes, whatever it asks; goes before `on`. */
  next(...scripts: Script[]): void;
  /** Resolves with the request number `index` (from 0) as soon as it has been seen. */
  seen(index: number): Promise<Seen>;
  /** Forgets requests and scripts. */
  clear(): void;
  stop(): Promise<void>;
}

interface State {
  requests: Seen[];
  routes: Map<string, Script[]>;
  queue: Script[];
  waiting: { index: number; resolve(seen: Seen): void }[];
}

/** Starts an upstream on a free port of the loopback address. */
export async function upstream(): Promise<Upstream> {
  const state: State = { requests: [], routes: new Map(), queue: [], waiting: [] };
  const server = listen(state);
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests: state.requests,
    on: (route, ...scripts) => void state.routes.set(route, scripts),
    next: (...scripts) => void state.queue.push(...scripts),
    seen: (index) => waitForSeen(state, index),
    clear: () => clear(state),
    stop: async () => server.stop(true),
  };
}

/** An address of the loopback without a listener: a connection to it is refused. */
export function closedAddress(): string {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const url = `http://127.0.0.1:${server.port}`;
  server.stop(true);
  return url;
}

function listen(state: State) {
  return Bun.listen<Connection>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = newConnection(socket);
      },
      data(socket, bytes) {
        socket.data.pending = Buffer.concat([socket.data.pending, bytes]);
        void answerPending(state, socket.data);
      },
      drain: (socket) => socket.data.drained.resolve(),
      close: (socket) => hangUp(socket.data),
      error: (socket) => hangUp(socket.data),
    },
  });
}

function clear(state: State): void {
  state.requests.length = 0;
  state.queue.length = 0;
  state.routes.clear();
}

async function answerPending(state: State, connection: Connection): Promise<void> {
  if (connection.isBusy) return;
  const taken = takeRequest(connection.pending);
  if (!taken) return;
  connection.pending = taken.rest;
  connection.isBusy = true;
  await answer(state, connection, taken.request);
  connection.isBusy = false;
  if (connection.isOpen) await answerPending(state, connection);
}

async function answer(state: State, connection: Connection, raw: RawRequest): Promise<void> {
  const finished = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<number>();
  let hasEnded = false;
  void connection.closed.promise.then(() => !hasEnded && aborted.resolve(performance.now()));
  const earlier = connection.requests++;
  const seen = { ...describe(raw), aborted: aborted.promise, finished: finished.promise, earlier };
  remember(state, seen);
  const line = lineOf(connection, seen, () => {
    hasEnded = true;
  });
  const script = scriptFor(state, seen);
  await (typeof script === "function" ? script(line) : line.play(script));
  hasEnded = true;
  finished.resolve();
}

function describe(raw: RawRequest): Omit<Seen, "aborted" | "finished" | "earlier"> {
  const url = new URL(raw.target, "http://upstream.invalid");
  const text = new TextDecoder().decode(raw.body);
  return {
    method: raw.method,
    path: url.pathname,
    query: url.searchParams,
    headers: raw.headers,
    text,
    json: jsonOrUndefined(text),
    at: performance.now(),
    sentBytes: 0,
  };
}

function remember(state: State, seen: Seen): void {
  state.requests.push(seen);
  for (const waiter of state.waiting) if (waiter.index === state.requests.length - 1) waiter.resolve(seen);
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function scriptFor(state: State, seen: Seen): Script {
  const queued = state.queue.shift();
  if (queued) return queued;
  const scripts = state.routes.get(`${seen.method} ${seen.path}`) ?? state.routes.get("*");
  const script = scripts && scripts.length > 1 ? scripts.shift() : scripts?.[0];
  return script ?? unscripted(seen);
}

function unscripted(seen: Seen): Reply {
  return { status: 404, json: { error: { message: `nothing is scripted for ${seen.method} ${seen.path}` } } };
}

function waitForSeen(state: State, index: number): Promise<Seen> {
  const already = state.requests[index];
  if (already) return Promise.resolve(already);
  return new Promise((resolve) => state.waiting.push({ index, resolve }));
}
