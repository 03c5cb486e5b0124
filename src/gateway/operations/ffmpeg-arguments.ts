// The arguments of ffmpeg: fixed for each format, pipes only.
import { type AudioFormat, pcmRate } from "../../canonical/speech.ts";

const samples = ["-f", "s16le", "-ar", String(pcmRate), "-ac", "1"] as const;

/**
 * The input format is set, so that a provider's bytes cannot select a reader (`concat`, `hls`) that opens files or
 * URLs.
 */
const inputs: { readonly [format in AudioFormat]: readonly string[] } = {
  mp3: ["-f", "mp3"],
  opus: ["-f", "ogg"],
  aac: ["-f", "aac"],
  flac: ["-f", "flac"],
  wav: ["-f", "wav"],
  pcm: samples,
};

const outputs: { readonly [format in AudioFormat]: readonly string[] } = {
  // The length in a Xing header is unknown before the end.
  mp3: ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3"],
  // By default a page contains a second.
  opus: ["-c:a", "libopus", "-b:a", "64k", "-page_duration", "100000", "-f", "ogg"],
  aac: ["-c:a", "aac", "-b:a", "96k", "-f", "adts"],
  flac: ["-c:a", "flac", "-f", "flac"],
  wav: ["-c:a", "pcm_s16le", "-f", "wav"],
  pcm: ["-c:a", "pcm_s16le", ...samples],
};

const quiet = ["-nostdin", "-hide_banner", "-loglevel", "quiet", "-protocol_whitelist", "pipe"];
/** Output starts after 4 KiB of input: by default, seconds of a WAV file are read first. */
const atOnce = ["-probesize", "4096", "-analyzeduration", "0"];
const onlyAudio = ["-map", "0:a:0", "-map_metadata", "-1", "-threads", "1"];

/**
 * Audio from standard input to standard output. https://ffmpeg.org/ffmpeg.html,
 * https://ffmpeg.org/ffmpeg-formats.html, read 2026-11-22.
 */
export function transcodeArguments(from: AudioFormat, to: AudioFormat): string[] {
  return [
    ...[...quiet, ...atOnce, ...inputs[from], "-i", "pipe:0"],
    ...[...onlyAudio, ...outputs[to], "-flush_packets", "1", "pipe:1"],
  ];
}
