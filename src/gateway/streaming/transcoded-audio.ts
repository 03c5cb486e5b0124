// A flow of sound in another format: the provider's goes into a process, and what comes out goes to the client.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { AudioFormat } from "../../canonical/speech.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { AudioCodec, AudioWriter, WriteContext } from "../../dialects/dialect.ts";
import { type RunningTranscode, type TranscoderSlot, transcodingFailed } from "../operations/audio-transcoder.ts";
import { type Chunk, nothing } from "./transcoder.ts";
import { firstOf, type UpstreamStream } from "./upstream-stream.ts";

/** How the sound is written that the client gets. */
export interface Wanted {
  readonly side: AudioCodec;
  readonly write: WriteContext;
  readonly format: AudioFormat;
}

/** `open` makes the provider's flow, whose writer tells the format and leaves the sound as it is. */
export function transcodedAudio(
  open: (side: AudioCodec) => UpstreamStream,
  { side, write, format }: Wanted,
  place: TranscoderSlot,
  signal: AbortSignal,
): UpstreamStream {
  const writer = side.writer(write, format);
  const heard: { format: AudioFormat; usage: Usage } = { format, usage: zeroUsage };
  const source = open(listeningSide(side, heard));
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
    const to = place.start(heard.format, format);
    void feed(to, first);
    return to;
  };
  const next = async (): Promise<Chunk> => {
    running ??= await begin();
    const made = await running.read();
    if (made !== null) return { bytes: writer.write(made) };
    if (!hasEnded || fault !== null) throw fault ?? transcodingFailed("ffmpeg ended before the audio did");
    return { bytes: writer.end(heard.usage), end: { error: null } };
  };
  const close = (): void => {
    running?.kill();
    source.close();
  };
  return {
    next: (consume) =>
      next().then(consume, (thrown) => {
        // Whoever ended the process knows why it ended.
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

/** Notes the format and the usage, and passes the sound on as it is. */
function listeningSide(side: AudioCodec, heard: { format: AudioFormat; usage: Usage }): AudioCodec {
  const untouched: AudioWriter = {
    type: "",
    write: (sound) => sound,
    end(usage) {
      heard.usage = usage;
      return nothing;
    },
  };
  return {
    ...side,
    writer(_context, format) {
      heard.format = format;
      return untouched;
    },
  };
}
