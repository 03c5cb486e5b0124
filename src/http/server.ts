// The listener: the only place that opens a port.
import { createHandler, type HandlerDependencies } from "./handler.ts";

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly parts: HandlerDependencies;
  /** The name of the port's setting. */
  readonly portName?: string;
}

export interface Listener {
  /** With the actual port. */
  readonly url: string;
  /** From now on every response closes its connection, so that clients connect elsewhere. */
  announce(): void;
  /** Whether a request has arrived within so many milliseconds. */
  isBusy(withinMs: number): boolean;
  /** Stops accepting; resolves when everything in progress has ended. `force` closes what is still open. */
  stop(force: boolean): Promise<void>;
}

/** Seconds; the maximum of Bun. Heartbeats keep streams open within it. */
const idleTimeout = 255;

/** Starts to listen. Throws an Error with one sentence if the port is unavailable. */
export function listen({ host, port, parts, portName = "PORT" }: ListenOptions): Listener {
  // Closes the connection after an idle second: an error in the stream would wait until the client reads.
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
      // Otherwise a second gateway would silently share the port with the first: `development: false` allows that.
      reusePort: false,
      // The gateway's own limit responds with its error envelope; Bun's is only a backstop.
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
