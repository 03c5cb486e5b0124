// What readers of sound share: bytes that go on as they are, and bytes that are held until the whole is there.
import type { AudioFormat } from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { AudioReader, ReadContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { soundOfType, soundOfTyped, tellingBytes } from "../shared/audio-format.ts";

const nothing = new Uint8Array();
const decoder = new TextDecoder();
const maxHeldBytes = 64 * 1024 * 1024;

/** What the client asked for. */
export function formatOf({ request }: ReadContext): AudioFormat {
  return request?.operation === "speak" ? request.format : "mp3";
}

/** Chunks kept for the end, within a bound. */
export interface HeldBytes {
  /** Keeps the chunk, and gives nothing for now. */
  add(chunk: Uint8Array): Uint8Array;
  text(): string;
}

export function heldBytes(): HeldBytes {
  const chunks: Uint8Array[] = [];
  let total = 0;
  return {
    add(chunk) {
      total += chunk.length;
      if (total > maxHeldBytes) throw invalidUpstreamResponse("the response exceeds the size limit");
      chunks.push(chunk);
      return nothing;
    },
    text: () => decoder.decode(Buffer.concat(chunks)),
  };
}

/**
 * A file of sound as it comes. What it is, its own bytes say; samples without a header say nothing, and are what the
 * Content-Type says, or else what was asked for. `usage` is asked at the end.
 */
export function plainReader(asked: AudioFormat, type: string, usage?: () => Usage | undefined): AudioReader {
  const declared = soundOfType(type) ?? asked;
  let format: AudioFormat | null = null;
  let held: Uint8Array = nothing;
  let total = 0;
  const told = (bytes: Uint8Array): AudioFormat => soundOfTyped(bytes, type) ?? (declared === "pcm" ? "pcm" : asked);
  return {
    get format() {
      return format ?? declared;
    },
    read(chunk) {
      total += chunk.length;
      if (format !== null) return chunk;
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (held.length < tellingBytes) return nothing;
      format = told(held);
      return held;
    },
    end() {
      if (total === 0) throw invalidUpstreamResponse("the response has no audio");
      const bytes = format === null ? held : nothing;
      format ??= told(held);
      const used = usage?.();
      return used === undefined ? { bytes } : { bytes, usage: used };
    },
  };
}
