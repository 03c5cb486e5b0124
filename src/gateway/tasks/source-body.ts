// The bytes of a video as its provider sends them: not empty, and limited in size and time. The limits are rows of
// src/config/limits.ts.

import { GatewayError } from "../../canonical/error.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import { type Deadline, deadline } from "../../lib/deadline.ts";
import { replyError } from "../../providers/upstream.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";

/** Status 200, 206 or 416, and the headers that describe the bytes. */
export interface Content {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null;
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

const never = new AbortController().signal;
const beyond = (what: string, setting: string): string =>
  `The provider's video ${what} than this gateway allows ('${setting}').`;
const tooLarge = (): GatewayError =>
  new GatewayError("upstream_protocol_error", beyond("is larger", "limits.video_download_bytes"));
const tooSlow = (): GatewayError =>
  new GatewayError("upstream_timeout", beyond("took longer", "limits.video_download_ms"));
const empty = (): GatewayError => new GatewayError("upstream_failed", "The provider's video is empty.");

/** The first bytes; null if there are none. */
async function firstChunk(reader: Reader, signal: Cancellation): Promise<Uint8Array | null> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return null;
      if (value !== undefined && value.byteLength > 0) return value;
    }
  } catch (thrown) {
    throw thrown instanceof GatewayError ? thrown : replyError(thrown, signal);
  }
}

/** The same bytes at the reader's pace, cut at either limit; `first` were already read. */
function cutAtBounds(reader: Reader, first: Uint8Array | null, life: Deadline, maxBytes: number) {
  let taken = 0;
  let waiting = first;
  const fail = (controller: ReadableStreamDefaultController<Uint8Array>, reason: unknown): void => {
    life.release();
    controller.error(reason);
    void reader.cancel(reason).catch(() => undefined);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        life.signal.addEventListener("abort", () => fail(controller, life.signal.reason));
      },
      async pull(controller) {
        try {
          const { value } = waiting === null ? await reader.read() : { value: waiting };
          waiting = null;
          if (life.signal.aborted) return;
          taken += value?.byteLength ?? 0;
          if (taken > maxBytes) return fail(controller, tooLarge());
          if (value !== undefined) return controller.enqueue(value);
          life.release();
          controller.close();
        } catch (thrown) {
          fail(controller, thrown);
        }
      },
      cancel(reason) {
        life.release();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A source without an announced size must start before the client gets a response: an empty one is an error. */
export async function checkedSource(
  content: Content,
  { limits, deadlines }: Pick<GatewayDependencies, "limits" | "deadlines">,
  signal: Cancellation,
): Promise<Content> {
  const { status, headers, body } = content;
  const announced = headers.get("content-length");
  const isEmpty = status === 200 && announced === "0";
  if (isEmpty || Number(announced) > limits.videoDownloadBytes) {
    if (body instanceof ReadableStream) await body.cancel();
    throw isEmpty ? empty() : tooLarge();
  }
  if (!(body instanceof ReadableStream)) return content;
  const life = deadline(() => never, limits.videoDownloadMs, deadlines, tooSlow);
  const reader = body.getReader();
  try {
    const isUnknown = status === 200 && announced === null;
    const first = isUnknown ? await firstChunk(reader, signal) : null;
    if (isUnknown && first === null) throw empty();
    return { ...content, body: cutAtBounds(reader, first, life, limits.videoDownloadBytes) };
  } catch (thrown) {
    life.release();
    throw thrown;
  }
}
