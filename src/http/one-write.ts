// Gives a complete body to the runtime in the form in which it writes headers and body together.
import type { GatewayReply } from "../gateway/pipeline/request-context.ts";

/** Below this size the runtime joins headers and body by itself. */
const joinedBytes = 15 * 1024;
/** Above this size, one more copy would cost more than the writes. */
const largestCopyBytes = 1024 * 1024;

/**
 * Below its limit, a complete body in a stream that has ended when the runtime first writes: it keeps `Content-Length`,
 * and everything goes out at once. Otherwise the runtime makes a call of the system for each name, value and separator
 * of the headers: docs/decisions/0027-one-write.md.
 */
export function inOneWrite(body: GatewayReply["body"]): ReadableStream | string | Uint8Array {
  if (body instanceof ReadableStream || body.length > largestCopyBytes) return body;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.length < joinedBytes) return body;
  const pull = (controller: ReadableStreamDirectController): void => {
    controller.write(bytes);
    controller.end();
  };
  return new ReadableStream({ type: "direct", pull }, { highWaterMark: bytes.length + 1 });
}
