// Raw samples from an upstream in the requested format: as a WAV file, or resampled for `pcm`.
import { type AudioFormat, pcmRate } from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { AudioReader } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { wavHeader } from "../shared/audio-format.ts";
import { resampled, type TurnSamples } from "../shared/pcm.ts";

const nothing = new Uint8Array();

/** The format of samples. */
interface SampleForm {
  readonly rate: number;
  readonly channels?: number;
}

/** Samples as `wav` at their own rate, or as `pcm`. `length` in bytes; null where it is unknown. */
export function samplesAs(
  requested: AudioFormat,
  { rate, channels = 1 }: SampleForm,
  length: number | null,
): TurnSamples {
  if (requested !== "wav") return resampled(rate, pcmRate, channels);
  let begun = false;
  return (chunk) => {
    if (begun) return chunk;
    begun = true;
    return Buffer.concat([wavHeader(length, rate, channels), chunk]);
  };
}

/** A body of raw samples. `usage` is called at the end. */
export function sampleReader(
  requested: AudioFormat,
  form: SampleForm,
  length: number | null,
  usage?: () => Usage | undefined,
): AudioReader {
  const turn = samplesAs(requested, form, length);
  let total = 0;
  return {
    format: requested === "wav" ? "wav" : "pcm",
    read(chunk) {
      total += chunk.length;
      return chunk.length === 0 ? nothing : turn(chunk);
    },
    end() {
      if (total === 0) throw invalidUpstreamResponse("the response has no audio");
      const used = usage?.();
      return used === undefined ? { bytes: nothing } : { bytes: nothing, usage: used };
    },
  };
}

const headBytes = 12;
const maxHeaderBytes = 64 * 1024;

/**
 * The format of a WAV file and the offset of its samples; null while the header is incomplete. Throws for other files.
 */
function headerOf(bytes: Buffer): (SampleForm & { readonly at: number }) | null {
  if (bytes.length < headBytes) return null;
  if (bytes.toString("latin1", 0, 4) !== "RIFF") throw invalidUpstreamResponse("expected a WAV file");
  let form: SampleForm | null = null;
  for (let at = headBytes; at + 8 <= bytes.length; ) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (name === "data") {
      if (form === null) throw invalidUpstreamResponse("expected a WAV file");
      return { ...form, at: at + 8 };
    }
    if (name === "fmt " && at + 24 <= bytes.length) {
      if (bytes.readUInt16LE(at + 22) !== 16) throw invalidUpstreamResponse("expected 16-bit PCM");
      form = { channels: bytes.readUInt16LE(at + 10), rate: bytes.readUInt32LE(at + 12) };
    }
    at += 8 + size + (size % 2);
  }
  if (bytes.length > maxHeaderBytes) throw invalidUpstreamResponse("expected a WAV file");
  return null;
}

/** A WAV file without its header, as `pcm`. */
export function unwrappedReader(): AudioReader {
  let held: Buffer = Buffer.alloc(0);
  let turn: TurnSamples | null = null;
  return {
    format: "pcm",
    read(chunk) {
      if (turn !== null) return turn(chunk);
      held = Buffer.concat([held, chunk]);
      const header = headerOf(held);
      if (header === null) return nothing;
      turn = samplesAs("pcm", header, null);
      return turn(held.subarray(header.at));
    },
    end() {
      if (turn === null) throw invalidUpstreamResponse("the response has no audio");
      return { bytes: nothing };
    },
  };
}
