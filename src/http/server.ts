// The listener: the one place that opens a port.
import { createHandler, type HandlerDependencies } from "./handler.ts";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly parts: HandlerDependencies;
  /** The setting that names the port. */
  readonly portName?: string;
}

export interface Listener {
  /** With the port that was really taken. */
  readonly url: string;
  /** The response to each request from now on closes its connection, so that clients connect elsewhere. */
  announce(): void;
  /** Whether a request has come within the last so many milliseconds. */
  isBusy(withinMs: number): boolean;
  /** Stops accepting; resolves when everything under way has ended. `force` cuts what is still open. */
  stop(force: boolean): Promise<void>;
}

/** Seconds; the longest that Bun takes. Heartbeats keep streams alive within it. */
const idleTimeout = 255;

/** Starts to listen. Throws an Error with one sentence when the port cannot be had. */
export function listen({ host, port, parts, portName = "PORT" }: ListenOptions): Listener {
  // A second in which it takes nothing ends the connection: an error in the stream would wait until the client reads.
  const drop = (request: Request): void => server.timeout(request, 1);
  const handle = createHandler({
    ...parts,
    drop,
    socketAddress: (request) => server.requestIP(request)?.address ?? null,
  });
  let isClosing = false;
  let latestMs = Number.NEGATIVE_INFINITY;
  const serve = (request: Request): Promise<Response> => {
    latestMs = performance.now();
    return isClosing ? handle(request).then(closing) : handle(request);
  };
  let server: Bun.Server<undefined>;
  try {
    server = Bun.serve({
      hostname: host,
      port,
      idleTimeout,
      development: false,
      // Without a word, a second gateway would share the port with the first: `development: false` allows that.
      reusePort: false,
      // The body limit of the gateway answers in its own envelope; Bun's is only the wall behind it.
      maxRequestBodySize: parts.limits.maxBodyBytes * 4,
      fetch: serve,
      error: () => new Response(null, { status: 500 }),
    });
    const name = host.includes(":") ? `[${host}]` : host;
    return {
      url: `http://${name}:${server.port}`,
      announce() {
        isClosing = true;
      },
      isBusy: (withinMs) => performance.now() - latestMs < withinMs,
      stop: (force) => server.stop(force),
    };
  } catch (cause) {
    throw new Error(whyNot({ host, port, portName }, cause), { cause });
  }
}

function closing(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

function whyNot({ host, port, portName }: Omit<Required<ListenOptions>, "parts">, cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "EADDRINUSE") return `Port ${port} on ${host} is already in use. Set ${portName} to a free one.`;
  if (code === "EACCES")
    return `This user is not allowed to open port ${port} on ${host}. Set ${portName} to one above 1023.`;
  return `The gateway cannot listen on ${host}:${port} (${code || "unknown reason"}). Check ${portName} and its host.`;
}
