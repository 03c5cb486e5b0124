// Audio in OpenAI's format: a file, or events with Base64 audio; from upstreams and for clients.
import { type AudioFormat, soundTypes } from "../../canonical/speech.ts";
import { tokenCount, totalInput, totalOutput, type Usage } from "../../canonical/usage.ts";
import { isObject, type Json, parseJsonText } from "../../lib/json.ts";
import { formatFrame, frameSplitter, readFrame } from "../../lib/sse.ts";
import type { AudioReader, AudioWriter, ReadContext, WriteContext } from "../dialect.ts";
import { streamTruncated } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { fileReader, formatOf, type HeaderGetter } from "./audio-readers.ts";

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

/** By the Content-Type of the response. */
export function openaiSoundReader(context: ReadContext, head: HeaderGetter): AudioReader {
  return (head("content-type") ?? "").startsWith("text/event-stream")
    ? eventReader(formatOf(context))
    : fileReader(context, head);
}

const encoder = new TextEncoder();
const nothing = new Uint8Array();

const event = (body: unknown): Uint8Array => encoder.encode(formatFrame({ data: JSON.stringify(body) }));

function wireUsage(usage: Usage): { input_tokens: number; output_tokens: number; total_tokens: number } {
  const input = totalInput(usage);
  const output = totalOutput(usage);
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

/** Each chunk of audio is an event of its own, so that it is sent at once. */
const eventWriter: AudioWriter = {
  type: "text/event-stream; charset=utf-8",
  write: (sound) => event({ type: "speech.audio.delta", audio: Buffer.from(sound).toString("base64") }),
  end: (usage) => event({ type: "speech.audio.done", usage: wireUsage(usage) }),
};

/** The writer for the requested stream format. */
export function soundWriter({ request }: WriteContext, format: AudioFormat): AudioWriter {
  if (request.operation === "speak" && request.events) return eventWriter;
  return { type: soundTypes[format], write: (sound) => sound, end: () => nothing };
}
