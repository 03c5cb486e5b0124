// The canonical speech request, and audio formats.
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** `pcm` has no header: signed 16 bit, little-endian, 24,000 Hz, one channel. */
export const audioFormats = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
export type AudioFormat = (typeof audioFormats)[number];

/** The media type of each format. */
export const soundTypes: { readonly [format in AudioFormat]: string } = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

/** Voices that every client may use; others depend on the model, and its catalog entry declares them. */
export const standardVoices: readonly string[] = [
  ...["alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer", "verse", "marin", "cedar"],
];

/** A voice as a provider lists it. */
export interface ListedVoice {
  readonly id: string;
  readonly name: string;
  readonly gender?: "female" | "male";
}

/** Sample rate of `pcm`. */
export const pcmRate = 24_000;

export interface SpeechRequest {
  readonly operation: "speak";
  readonly model: string;
  /** Audio is always streamed. */
  readonly stream: true;
  readonly input: string;
  /** A name, or an id that only the provider has. */
  readonly voice: string;
  /** The voice is a custom one, by the id of its provider. */
  readonly ownVoice?: true;
  readonly format: AudioFormat;
  /** The client sent no format: `format` is the default, and a provider without it may return the nearest one. */
  readonly isDefaultFormat?: true;
  /** 1 is the normal speed. */
  readonly speed: number;
  /** Instructions for the voice, as text. */
  readonly instructions?: string;
  /** True where the client requests events with Base64 audio. */
  readonly events: boolean;
  readonly unmappedFields: readonly UnmappedField[];
}

/** The complete audio, where streaming is not possible. */
export interface SpeechResponse {
  readonly operation: "speak";
  readonly model: string;
  readonly format: AudioFormat;
  readonly bytes: Uint8Array;
  readonly usage?: Usage;
}
