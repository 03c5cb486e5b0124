// Converts an audio stream: the provider's audio is written to a process, and its output is sent to the client.

import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { AudioFormat } from "../../canonical/speech.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { AudioCodec, AudioWriter, WriteContext } from "../../dialects/dialect.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import { type RunningTranscode, type TranscoderSlot, transcodingFailed } from "../operations/audio-transcoder.ts";
import { type Chunk, nothing } from "./transcoder.ts";
import { firstOf, type UpstreamStream } from "./upstream-stream.ts";

/** How the client's audio is written. */
export interface Wanted {
  readonly side: AudioCodec;
  readonly write: WriteContext;
  readonly format: AudioFormat;
}

/** `open` opens the provider's stream, whose writer reports the format and forwards the audio unchanged. */
export function transcodedAudio(
  open: (side: AudioCodec) => UpstreamStream,
  { side, write, format }: Wanted,
  place: TranscoderSlot,
  signal: Cancellation,
): UpstreamStream {
  const writer = side.writer(write, format);
  const read: { format: AudioFormat; usage: Usage } = { format, usage: zeroUsage };
  const source = open(listeningSide(side, read));
  let running: RunningTranscode | null = null;
  let fault: GatewayError | null = null;
  let hasEnded = false;

  const feed = async (to: RunningTranscode, first: Chunk): Promise<void> => {
    try {
      for (let chunk = first; ; chunk = await firstOf(source)) {
        if (chunk.end?.error) throw chunk.end.error;
        if (chunk.bytes.length > 0) await to.write(chunk.bytes);
        if (chunk.end === undefined) continue;
        hasEnded = true;
        await to.end();
        return;
      }
    } catch (thrown) {
      fault ??= thrown instanceof GatewayError ? thrown : transcodingFailed(thrown);
      to.kill();
    }
  };
  const begin = async (): Promise<RunningTranscode> => {
    const first = await firstOf(source);
    if (first.end?.error) throw first.end.error;
    const to = place.start(read.format, format);
    void feed(to, first);
    return to;
  };
  const next = async (): Promise<Chunk> => {
    running ??= await begin();
    const made = await running.read();
    if (made !== null) return { bytes: writer.write(made) };
    if (!hasEnded || fault !== null) throw fault ?? transcodingFailed("ffmpeg ended before the audio did");
    return { bytes: writer.end(read.usage), end: { error: null } };
  };
  const close = (): void => {
    running?.kill();
    source.close();
  };
  return {
    next: (consume) =>
      next().then(consume, (thrown) => {
        // The reason for which the process was ended, if it was.
        const error = toGatewayError(fault ?? (signal.aborted ? signal.reason : thrown));
        close();
        return consume({ bytes: nothing, end: { error } });
      }),
    endMarkers: source.endMarkers,
    writeError: source.writeError,
    ...{ stop: () => null, finishing: () => false },
    type: () => writer.type,
    close,
  };
}

/** Records the format and the usage, and forwards the audio unchanged. */
function listeningSide(side: AudioCodec, read: { format: AudioFormat; usage: Usage }): AudioCodec {
  const untouched: AudioWriter = {
    type: "",
    write: (sound) => sound,
    end(usage) {
      read.usage = usage;
      return nothing;
    },
  };
  return {
    ...side,
    writer(_context, format) {
      read.format = format;
      return untouched;
    },
  };
}
