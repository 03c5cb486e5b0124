// A provider's response with a repair on the way: whole replies and frames that show its sign are rewritten, the rest goes by as bytes.
import { parseExactText } from "../lib/exact-json.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { formatFrame, frameSplitter, readFrame } from "../lib/sse.ts";
import type { ReplyPatch, StreamPatch } from "./provider.ts";

/** Larger than the corridor takes, so that its own bounds speak. */
const maxReplyBytes = 65 * 1024 * 1024;
const maxFrameBytes = 17 * 1024 * 1024;
const encoder = new TextEncoder();

/** The text mended; the same text when it needs nothing. */
function mendedText(text: string, { needs, mend }: StreamPatch): string {
  if (!needs(text)) return text;
  const body = parseExactText(text);
  if (!isObject(body)) return text;
  const mended: JsonObject = mend(body);
  return mended === body ? text : JSON.stringify(mended);
}

/** A repair that looks at each body alone. */
function plainMend(reply: ReplyPatch): StreamPatch {
  return { needs: (raw) => raw.includes(reply.sign), mend: (body) => reply.mend(body) };
}

/** Null where there is nothing to mend. */
function mendedFrame(raw: string, mend: StreamPatch): string | null {
  const frame = mend.needs(raw) ? readFrame(raw) : null;
  if (frame === null) return null;
  const data = mendedText(frame.data, mend);
  return data === frame.data ? null : formatFrame({ ...frame, data });
}

type Bytes = TransformStream<Uint8Array, Uint8Array>;

function frameMender(mend: StreamPatch): Bytes {
  const splitter = frameSplitter(maxFrameBytes);
  const turned = (cut: ReturnType<typeof splitter.push>): Uint8Array | null => {
    if (cut === null) return null;
    const frames = cut.raws.map((raw) => mendedFrame(raw, mend));
    if (frames.every((frame) => frame === null)) return cut.bytes;
    return encoder.encode(frames.map((frame, index) => frame ?? `${cut.raws[index]}\n\n`).join(""));
  };
  return new TransformStream({
    transform(chunk, out) {
      const bytes = turned(splitter.push(chunk));
      if (bytes !== null) out.enqueue(bytes);
    },
    flush(out) {
      const bytes = turned(splitter.rest());
      if (bytes !== null) out.enqueue(bytes);
    },
  });
}

/** Gathers the reply; one that is too large for a repair goes by as it is. */
function wholeMender(mend: StreamPatch): Bytes {
  let held: Uint8Array[] = [];
  let total = 0;
  return new TransformStream({
    transform(chunk, out) {
      total += chunk.length;
      held.push(chunk);
      if (total <= maxReplyBytes) return;
      for (const each of held) out.enqueue(each);
      held = [];
    },
    flush(out) {
      if (held.length > 0) out.enqueue(encoder.encode(mendedText(Buffer.concat(held).toString("utf8"), mend)));
    },
  });
}

/** Anything else, as sound, would not survive being read as text. */
const textTypes = /^(?:text\/|application\/(?:[\w.+-]*\+)?json|$)/i;

/** Refusals are not mended: their words are read with every caution anyway. */
export function patchedResponse(response: Response, reply: ReplyPatch): Response {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || response.body === null || !textTypes.test(type)) return response;
  const isStream = type.startsWith("text/event-stream");
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const body = response.body.pipeThrough(
    isStream ? frameMender(reply.stream?.() ?? plainMend(reply)) : wholeMender(plainMend(reply)),
  );
  return new Response(body, { status: response.status, headers });
}
