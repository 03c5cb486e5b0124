// What is read of a response: some of its headers, and its bytes up to a limit that is checked as they arrive.
import type { IncomingMessage } from "node:http";
import type { ErrorFactory } from "./errors.ts";

/** No other header is passed on, such as cookies or server names. */
const passed = ["content-type", "content-length", "content-range", "accept-ranges", "etag", "last-modified"] as const;

export function passedHeaders({ headers }: IncomingMessage): Headers {
  return new Headers(passed.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/** The media type in lower case, without parameters. */
export function typeOf({ headers }: IncomingMessage): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase() || "application/octet-stream";
}

/** Whether a type is one of these; `image/*` matches all of its kind. */
export function accepts(types: readonly string[], type: string): boolean {
  return types.some((wanted) => (wanted.endsWith("/*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted));
}

export function isCompressed({ headers }: IncomingMessage): boolean {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  return encoding !== "" && encoding !== "identity";
}

interface Reading {
  readonly message: IncomingMessage;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly errorFor: ErrorFactory;
  /** Called once, whether it completes or fails. */
  release(): void;
}

/** The next bytes, or null at the actual end. Never returns more than the limit, whatever was announced. */
async function nextChunk(
  source: AsyncIterator<Uint8Array>,
  reading: Reading,
  taken: number,
): Promise<Uint8Array | null> {
  const { message, maxBytes, signal, errorFor } = reading;
  const { done, value } = await source.next().catch((thrown: unknown) => {
    throw signal.aborted ? signal.reason : errorFor("unreachable", "", thrown);
  });
  // A destroyed message may look complete.
  signal.throwIfAborted();
  if (done === true && !message.complete) throw errorFor("unreachable", "", new Error("The response was truncated."));
  if (done !== true && taken + value.byteLength > maxBytes) throw errorFor("tooLarge", maxBytes);
  return done === true ? null : value;
}

/** The body, read at the consumer's pace. It errors with a GatewayError, or with the reason of the abort. */
export function boundedBody(reading: Reading): ReadableStream<Uint8Array> {
  const { message, release } = reading;
  const source: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
  let taken = 0;
  const end = (): void => {
    release();
    message.destroy();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await nextChunk(source, reading, taken);
          taken += chunk?.byteLength ?? 0;
          if (chunk !== null) return controller.enqueue(chunk);
          end();
          controller.close();
        } catch (thrown) {
          end();
          controller.error(thrown);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
