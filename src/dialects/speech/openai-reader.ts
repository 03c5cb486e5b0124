// Sound from an OpenAI-style upstream: a file as it comes, or events that carry it; a document is an error in disguise.
import type { AudioFormat } from "../../canonical/speech.ts";
import { tokenCount, type Usage } from "../../canonical/usage.ts";
import { isObject, type Json, parseJsonText } from "../../lib/json.ts";
import { frameSplitter, readFrame } from "../../lib/sse.ts";
import type { AudioReader, ReadContext } from "../dialect.ts";
import { invalidUpstreamResponse, streamTruncated } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { formatOf, heldBytes, plainReader } from "./audio-readers.ts";

const maxFrameBytes = 16 * 1024 * 1024;

function readUsage(usage: Json | undefined): { usage?: Usage } {
  if (!isObject(usage)) return {};
  const tokens = { inputTokens: tokenCount(usage.input_tokens), outputTokens: tokenCount(usage.output_tokens) };
  return { usage: { ...tokens, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 } };
}

function eventReader(format: AudioFormat): AudioReader {
  const splitter = frameSplitter(maxFrameBytes);
  let done: { usage?: Usage } | null = null;
  const soundIn = (raw: string): Uint8Array[] => {
    const body = parseJsonText(readFrame(raw)?.data ?? "");
    if (!isObject(body)) return [];
    if (body.error || body.type === "error") throw openaiErrors.parse(200, body);
    if (body.type === "speech.audio.done") done = readUsage(body.usage);
    return body.type === "speech.audio.delta" ? [Buffer.from(String(body.audio), "base64")] : [];
  };
  const read = (raws: readonly string[]): Uint8Array => Buffer.concat(raws.flatMap(soundIn));
  return {
    format,
    read: (chunk) => read(splitter.push(chunk)?.raws ?? []),
    end() {
      const bytes = read(splitter.rest()?.raws ?? []);
      if (done === null) throw streamTruncated();
      return { bytes, ...done };
    },
  };
}

const documentTypes = /^(?:application\/(?:\S+\+)?json|text\/)/;

/** True for a body that is a document, and no sound. */
export const isDocument = (type: string): boolean => documentTypes.test(type);

/** Status 200, and yet no sound. */
export function documentReader(format: AudioFormat): AudioReader {
  const held = heldBytes();
  return {
    format,
    read: held.add,
    end() {
      const body = parseJsonText(held.text());
      if (isObject(body) && (body.error || body.type === "error")) throw openaiErrors.parse(200, body);
      throw invalidUpstreamResponse("the response has no audio");
    },
  };
}

/** By the Content-Type of the answer. */
export function openaiSoundReader(context: ReadContext, head: (name: string) => string | null): AudioReader {
  const type = head("content-type") ?? "";
  const asked = formatOf(context);
  if (type.startsWith("text/event-stream")) return eventReader(asked);
  if (isDocument(type)) return documentReader(asked);
  return plainReader(asked, type);
}
