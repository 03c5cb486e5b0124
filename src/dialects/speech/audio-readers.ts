// Readers of upstream audio: files, fragments inside JSON, and error documents with status 200.
import type { AudioFormat } from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import { type FrameSplitter, frameSplitter, readFrame } from "../../lib/sse.ts";
import type { AudioReader, ReadContext } from "../dialect.ts";
import { invalidUpstreamResponse, streamTruncated } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { soundOfType, soundOfTyped, tellingBytes } from "../shared/audio-format.ts";

const nothing = new Uint8Array();
const decoder = new TextDecoder();
const maxHeldBytes = 64 * 1024 * 1024;
const maxFrameBytes = 32 * 1024 * 1024;

export type HeaderGetter = (name: string) => string | null;

/** The requested format. */
export function formatOf({ request }: ReadContext): AudioFormat {
  return request?.operation === "speak" ? request.format : "mp3";
}

/** A body that is held until it is complete, up to a limit. */
function heldBody() {
  const chunks: Uint8Array[] = [];
  let total = 0;
  return {
    /** Holds the chunk and returns nothing yet. */
    add(chunk: Uint8Array): Uint8Array {
      total += chunk.length;
      if (total > maxHeldBytes) throw invalidUpstreamResponse("the response exceeds the size limit");
      chunks.push(chunk);
      return nothing;
    },
    json: () => parseJsonText(decoder.decode(Buffer.concat(chunks))),
  };
}

/**
 * An audio file, forwarded as it arrives. Its bytes show the format; raw samples do not, so the Content-Type or the
 * requested format decides. `usage` is called at the end.
 */
export function plainReader(requested: AudioFormat, type: string, usage?: () => Usage | undefined): AudioReader {
  const declared = soundOfType(type) ?? requested;
  let format: AudioFormat | null = null;
  let held: Uint8Array = nothing;
  let total = 0;
  const shown = (bytes: Uint8Array): AudioFormat =>
    soundOfTyped(bytes, type) ?? (declared === "pcm" ? "pcm" : requested);
  return {
    get format() {
      return format ?? declared;
    },
    read(chunk) {
      total += chunk.length;
      if (format !== null) return chunk;
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (held.length < tellingBytes) return nothing;
      format = shown(held);
      return held;
    },
    end() {
      if (total === 0) throw invalidUpstreamResponse("the response has no audio");
      const bytes = format === null ? held : nothing;
      format ??= shown(held);
      const used = usage?.();
      return used === undefined ? { bytes } : { bytes, usage: used };
    },
  };
}

const documentTypes = /^(?:application\/(?:\S+\+)?json|text\/)/;

/** Whether a body is a document and not audio. */
export const isDocument = (type: string): boolean => documentTypes.test(type);

/** Status 200 without audio. */
function errorReader(format: AudioFormat): AudioReader {
  const held = heldBody();
  return {
    format,
    read: held.add,
    end() {
      const body = held.json();
      if (isObject(body) && (body.error || body.type === "error")) throw openaiErrors.parse(200, body);
      throw invalidUpstreamResponse("the response has no audio");
    },
  };
}

/** A file, or an error, by the Content-Type of the response. */
export function fileReader(context: ReadContext, head: HeaderGetter, usage?: () => Usage | undefined): AudioReader {
  const [requested, type] = [formatOf(context), head("content-type") ?? ""];
  return isDocument(type) ? errorReader(requested) : plainReader(requested, type, usage);
}

/** The content of one document. */
export interface AudioChunk {
  readonly sound?: Uint8Array;
  readonly usage?: Usage;
  /** The reply is complete. */
  readonly done?: boolean;
}

/** How the documents of one upstream are read. */
export interface AudioDecoder {
  /** The audio format, once the first audio has arrived. */
  readonly format: AudioFormat;
  /** Throws GatewayError for an error in the document. `whole`: this is the only document. */
  decode(body: JsonObject, whole: boolean): AudioChunk;
}

/** Audio in events that each carry a fragment, or in a single document, by the Content-Type of the response. */
export function jsonAudioReader(type: string | null, decoder: AudioDecoder): AudioReader {
  const isStream = (type ?? "").startsWith("text/event-stream");
  const splitter: FrameSplitter = frameSplitter(maxFrameBytes);
  const held = heldBody();
  let usage: Usage | undefined;
  let [isDone, hasAudio] = [!isStream, false];
  const take = (body: unknown): Uint8Array => {
    if (!isObject(body)) return nothing;
    const chunk = decoder.decode(body, !isStream);
    usage = chunk.usage ?? usage;
    isDone ||= chunk.done === true;
    hasAudio ||= (chunk.sound?.length ?? 0) > 0;
    return chunk.sound ?? nothing;
  };
  const takeFrames = (raws: readonly string[] = []): Uint8Array =>
    Buffer.concat(raws.map((raw) => take(parseJsonText(readFrame(raw)?.data ?? ""))));
  const rest = (): Uint8Array => {
    if (isStream) return takeFrames(splitter.rest()?.raws);
    const body = held.json();
    if (!isObject(body)) throw invalidUpstreamResponse("expected a JSON object");
    return take(body);
  };
  return {
    get format() {
      return decoder.format;
    },
    read: (chunk) => (isStream ? takeFrames(splitter.push(chunk)?.raws) : held.add(chunk)),
    end() {
      const bytes = rest();
      if (!isDone) throw streamTruncated();
      if (!hasAudio) throw invalidUpstreamResponse("the response has no audio");
      return usage === undefined ? { bytes } : { bytes, usage };
    },
  };
}
