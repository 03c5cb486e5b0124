// One client connection that sends the same encoded request as often as it is told to.
import { type ResponseEvents, responseReader } from "./response-reader.ts";

export type Target = { port: number; headers: Record<string, string> };

export type Connection = { send(): void; close(): void };

/** The whole request, head and body, ready for the socket. */
export function encodeRequest(target: Target, path: string, body: string): Uint8Array {
  const bytes = new TextEncoder().encode(body);
  const lines = Object.entries({
    host: `127.0.0.1:${target.port}`,
    "content-type": "application/json",
    "content-length": String(bytes.length),
    ...target.headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1"), bytes]);
}

/** `onLost` is called once, when the connection ends without having been closed here. */
export async function connect(
  port: number,
  request: Uint8Array,
  events: ResponseEvents & { onLost(reason: Error): void },
): Promise<Connection> {
  let unsent = request.subarray(request.length);
  let over = false;
  const lose = (reason: Error) => {
    if (over) return;
    over = true;
    events.onLost(reason);
  };
  const read = responseReader(events);
  const flush = (socket: Bun.Socket) => {
    if (unsent.length > 0) unsent = unsent.subarray(Math.max(0, socket.write(unsent)));
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(own, bytes) {
        try {
          read(bytes);
        } catch (cause) {
          lose(cause instanceof Error ? cause : new Error(String(cause)));
          own.terminate();
        }
      },
      drain: flush,
      close: () => lose(new Error("the peer closed the connection")),
      error: (_, cause) => lose(cause),
    },
  });
  return {
    send() {
      unsent = request;
      flush(socket);
    },
    close() {
      over = true;
      socket.end();
    },
  };
}
