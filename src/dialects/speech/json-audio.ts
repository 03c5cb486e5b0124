// Sound inside JSON: events that each carry a piece of it, or one document with all of it.
import type { AudioFormat } from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import { type FrameSplitter, frameSplitter, readFrame } from "../../lib/sse.ts";
import type { AudioReader } from "../dialect.ts";
import { invalidUpstreamResponse, streamTruncated } from "../errors.ts";
import { heldBytes } from "./audio-readers.ts";

const maxFrameBytes = 32 * 1024 * 1024;
const nothing = new Uint8Array();

/** What one document says. */
export interface AudioChunk {
  readonly sound?: Uint8Array;
  readonly usage?: Usage;
  /** The reply is complete. */
  readonly done?: boolean;
}

/** How the documents of one upstream are understood. */
export interface AudioDecoder {
  /** What the sound is, when the first of it is there. */
  readonly format: AudioFormat;
  /** Throws GatewayError for an error that the document tells. `whole`: there is only this one. */
  tell(body: JsonObject, whole: boolean): AudioChunk;
}

/** Pieces of one reply, put together. */
function gathering(teller: AudioDecoder) {
  let usage: Usage | undefined;
  let done = false;
  let heard = false;
  const take = (body: unknown, whole: boolean): Uint8Array => {
    if (!isObject(body)) return nothing;
    const told = teller.tell(body, whole);
    usage = told.usage ?? usage;
    done ||= told.done === true;
    heard ||= (told.sound?.length ?? 0) > 0;
    return told.sound ?? nothing;
  };
  const finish = (bytes: Uint8Array): ReturnType<AudioReader["end"]> => {
    if (!heard) throw invalidUpstreamResponse("the response has no audio");
    return usage === undefined ? { bytes } : { bytes, usage };
  };
  return { take, finish, isDone: () => done };
}

function eventReader(teller: AudioDecoder): AudioReader {
  const splitter: FrameSplitter = frameSplitter(maxFrameBytes);
  const { take, finish, isDone } = gathering(teller);
  const read = (raws: readonly string[]): Uint8Array =>
    Buffer.concat(raws.map((raw) => take(parseJsonText(readFrame(raw)?.data ?? ""), false)));
  return {
    get format() {
      return teller.format;
    },
    read: (chunk) => read(splitter.push(chunk)?.raws ?? []),
    end() {
      const bytes = read(splitter.rest()?.raws ?? []);
      if (!isDone()) throw streamTruncated();
      return finish(bytes);
    },
  };
}

function documentReader(teller: AudioDecoder): AudioReader {
  const held = heldBytes();
  const { take, finish } = gathering(teller);
  return {
    get format() {
      return teller.format;
    },
    read: held.add,
    end() {
      const body = parseJsonText(held.text());
      if (!isObject(body)) throw invalidUpstreamResponse("expected a JSON object");
      return finish(take(body, true));
    },
  };
}

/** By the Content-Type of the answer. */
export function jsonAudioReader(type: string | null, teller: AudioDecoder): AudioReader {
  return (type ?? "").startsWith("text/event-stream") ? eventReader(teller) : documentReader(teller);
}
