// A provider's response with a repair on the way: whole replies and frames that show its sign are rewritten, the rest goes by as bytes.
import { isObject, type JsonObject, parseJsonText } from "../lib/json.ts";
import { formatFrame, frameSplitter, readFrame } from "../lib/sse.ts";
import type { ReplyMend } from "./provider.ts";

/** Larger than the corridor takes, so that its own bounds speak. */
const maxReplyBytes = 65 * 1024 * 1024;
const maxFrameBytes = 17 * 1024 * 1024;
const encoder = new TextEncoder();

/** The text mended; the same text when it needs nothing. */
function mendedText(text: string, { sign, mend }: ReplyMend): string {
  if (!text.includes(sign)) return text;
  const body = parseJsonText(text);
  if (!isObject(body)) return text;
  const mended: JsonObject = mend(body);
  return mended === body ? text : JSON.stringify(mended);
}

function mendedFrame(raw: string, reply: ReplyMend): string {
  const frame = raw.includes(reply.sign) ? readFrame(raw) : null;
  if (frame === null) return `${raw}\n\n`;
  const data = mendedText(frame.data, reply);
  return data === frame.data ? `${raw}\n\n` : formatFrame({ ...frame, data });
}

type Bytes = TransformStream<Uint8Array, Uint8Array>;

function frameMender(reply: ReplyMend): Bytes {
  const splitter = frameSplitter(maxFrameBytes);
  const turned = (cut: ReturnType<typeof splitter.push>): Uint8Array | null => {
    if (cut === null) return null;
    if (!cut.raws.some((raw) => raw.includes(reply.sign))) return cut.bytes;
    return encoder.encode(cut.raws.map((raw) => mendedFrame(raw, reply)).join(""));
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
function wholeMender(reply: ReplyMend): Bytes {
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
      if (held.length > 0) out.enqueue(encoder.encode(mendedText(Buffer.concat(held).toString("utf8"), reply)));
    },
  });
}

/** Refusals are not mended: their words are read with every caution anyway. */
export function mendedResponse(response: Response, reply: ReplyMend): Response {
  if (!response.ok || response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const body = response.body.pipeThrough(isStream ? frameMender(reply) : wholeMender(reply));
  return new Response(body, { status: response.status, headers });
}
