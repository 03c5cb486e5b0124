// Quirks of compatible servers in responses: replies and frames with a marker are rewritten to the form of their
// dialect, the rest passes as bytes.
// Each quirk needs a fixture `test/fixtures/providers/<kind>/reply-*.json` with input and output; a test checks that it
// exists.
import { splitContent } from "../dialects/openai-chat/response.ts";
import { parseExactText } from "../lib/exact-json.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { formatFrame, frameSplitter, readFrame } from "../lib/sse.ts";
import type { ResponsePatch, StreamPatch } from "./provider.ts";
import type { HttpResponse } from "./transport/response.ts";

/** Usage under a member of the server's own. */
export const usageInXGroq: ResponsePatch = {
  marker: '"x_groq"',
  patch: (body) =>
    isObject(body.x_groq) && isObject(body.x_groq.usage) && !isObject(body.usage)
      ? { ...body, usage: body.x_groq.usage }
      : body,
};

/** Usage inside the last choice of a stream. */
export const usageInChoice: ResponsePatch = {
  marker: '"usage"',
  patch(body) {
    const [choice] = Array.isArray(body.choices) ? body.choices : [];
    return isObject(choice) && isObject(choice.usage) && !isObject(body.usage)
      ? { ...body, usage: choice.usage }
      : body;
  },
};

function plainContent(message: JsonObject): JsonObject {
  if (!Array.isArray(message.content)) return message;
  const { text, thinking } = splitContent(message.content);
  return { ...message, content: text, ...(thinking === "" ? {} : { reasoning_content: thinking }) };
}

/** Content as parts that include thinking: clients of the dialect expect a string. */
export const thinkingInContent: ResponsePatch = {
  marker: '"thinking"',
  patch(body) {
    if (!Array.isArray(body.choices)) return body;
    const choices = body.choices.map((choice) => {
      if (!isObject(choice)) return choice;
      if (isObject(choice.message)) return { ...choice, message: plainContent(choice.message) };
      return isObject(choice.delta) ? { ...choice, delta: plainContent(choice.delta) } : choice;
    });
    return { ...body, choices };
  },
};

/** Larger than the gateway accepts, so that its own limits apply. */
const maxReplyBytes = 65 * 1024 * 1024;
const maxFrameBytes = 17 * 1024 * 1024;
const encoder = new TextEncoder();

/** The patched text; the same text when nothing changes. */
function patchedText(text: string, { needs, patch }: StreamPatch): string {
  if (!needs(text)) return text;
  const body = parseExactText(text);
  if (!isObject(body)) return text;
  const patched: JsonObject = patch(body);
  return patched === body ? text : JSON.stringify(patched);
}

/** A patch that handles each body independently. */
function statelessPatch(reply: ResponsePatch): StreamPatch {
  return { needs: (raw) => raw.includes(reply.marker), patch: (body) => reply.patch(body) };
}

/** Null when nothing changes. */
function patchedFrame(raw: string, patch: StreamPatch): string | null {
  const frame = patch.needs(raw) ? readFrame(raw) : null;
  if (frame === null) return null;
  const data = patchedText(frame.data, patch);
  return data === frame.data ? null : formatFrame({ ...frame, data });
}

type Bytes = TransformStream<Uint8Array, Uint8Array>;

function framePatcher(patch: StreamPatch): Bytes {
  const splitter = frameSplitter(maxFrameBytes);
  const turned = (cut: ReturnType<typeof splitter.push>): Uint8Array | null => {
    if (cut === null) return null;
    const frames = cut.raws.map((raw) => patchedFrame(raw, patch));
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

/** Collects the reply; one that is too large for a patch is passed on unchanged. */
function wholePatcher(patch: StreamPatch): Bytes {
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
      if (held.length > 0) out.enqueue(encoder.encode(patchedText(Buffer.concat(held).toString("utf8"), patch)));
    },
  });
}

/** Other types, such as audio, cannot be decoded as text. */
const textTypes = /^(?:text\/|application\/(?:[\w.+-]*\+)?json|$)/i;

/** Errors are not patched, because their parsers are tolerant. */
export function patchedResponse(response: HttpResponse, reply: ResponsePatch): HttpResponse {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || response.body === null || !textTypes.test(type)) return response;
  const isStream = type.startsWith("text/event-stream");
  const headers = new Headers([...response.headers]);
  headers.delete("content-length");
  const body = response.body.pipeThrough(
    isStream ? framePatcher(reply.stream?.() ?? statelessPatch(reply)) : wholePatcher(statelessPatch(reply)),
  );
  return new Response(body, { status: response.status, headers });
}
