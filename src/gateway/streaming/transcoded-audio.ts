// A flow of sound in another format: the provider's goes into a process, and what comes out goes to the client.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { SoundFormat } from "../../canonical/speech.ts";
import { noUsage, type Usage } from "../../canonical/usage.ts";
import type { SoundSide, SoundWriter, WriteContext } from "../../dialects/dialect.ts";
import { type Place, type Transcoding, transcodingFailed } from "../operations/audio-transcoder.ts";
import { nothing, type Piece } from "./transcoder.ts";
import { type Flow, firstOf } from "./upstream-stream.ts";

/** How the sound is written that the client gets. */
export interface Wanted {
  readonly side: SoundSide;
  readonly write: WriteContext;
  readonly format: SoundFormat;
}

/** `open` makes the provider's flow, whose writer tells the format and leaves the sound as it is. */
export function transcodedFlow(
  open: (side: SoundSide) => Flow,
  { side, write, format }: Wanted,
  place: Place,
  signal: AbortSignal,
): Flow {
  const writer = side.writer(write, format);
  const heard: { format: SoundFormat; usage: Usage } = { format, usage: noUsage };
  const source = open(listeningSide(side, heard));
  let running: Transcoding | null = null;
  let fault: GatewayError | null = null;
  let hasEnded = false;

  const feed = async (to: Transcoding, first: Piece): Promise<void> => {
    try {
      for (let piece = first; ; piece = await firstOf(source)) {
        if (piece.end?.error) throw piece.end.error;
        if (piece.bytes.length > 0) await to.write(piece.bytes);
        if (piece.end === undefined) continue;
        hasEnded = true;
        await to.end();
        return;
      }
    } catch (thrown) {
      fault ??= thrown instanceof GatewayError ? thrown : transcodingFailed(thrown);
      to.kill();
    }
  };
  const begin = async (): Promise<Transcoding> => {
    const first = await firstOf(source);
    if (first.end?.error) throw first.end.error;
    const to = place.start(heard.format, format);
    void feed(to, first);
    return to;
  };
  const next = async (): Promise<Piece> => {
    running ??= await begin();
    const made = await running.read();
    if (made !== null) return { bytes: writer.write(made) };
    if (!hasEnded || fault !== null) throw fault ?? transcodingFailed("ffmpeg ended before the sound did");
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
    signs: source.signs,
    apologise: source.apologise,
    finishing: () => false,
    type: () => writer.type,
    close,
  };
}

/** Notes the format and the usage, and passes the sound on as it is. */
function listeningSide(side: SoundSide, heard: { format: SoundFormat; usage: Usage }): SoundSide {
  const untouched: SoundWriter = {
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
