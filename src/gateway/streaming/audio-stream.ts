// Sound on its way to the client: the upstream's body, whatever wraps it there, into what the client asked for.
import { noUsage, type Usage } from "../../canonical/usage.ts";
import type { SoundReader, SoundSide, SoundWriter } from "../../dialects/dialect.ts";
import { badReply } from "../../dialects/errors.ts";
import type { FrameSplitter } from "../../lib/sse.ts";
import type { Lane } from "../attempts/upstream-plan.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import type { Meter } from "./meter.ts";
import { nothing, type Piece, type Turner } from "./transcoder.ts";

/** Sound has no frames: each chunk goes on by itself. */
export const wholeChunks = (): FrameSplitter => ({
  push: (bytes) => ({ raws: [], bytes }),
  rest: () => null,
  holdsEvent: () => true,
});

/** What is paid for speech where the upstream tells nothing else: the characters of the text, as people count them. */
export function spokenUsage(input: string, told: Usage = noUsage): Usage {
  return told.units === undefined ? { ...told, units: { kind: "characters", amount: [...input].length } } : told;
}

export const isEvents = (type: string | null): boolean => type?.startsWith("text/event-stream") ?? false;

interface Ends {
  readonly reader: SoundReader;
  /** Made when the first sound tells what it is. */
  writer(): SoundWriter;
  /** True: events go on as they came, and the reader only runs along. */
  readonly untouched: boolean;
}

function soundEnds(side: SoundSide, lane: Lane, inquiry: Inquiry, origin: string, headers: Headers): Ends {
  const upstream = lane.upstream.sound;
  if (upstream === undefined || inquiry.ask.operation !== "speak") throw badReply("it cannot be spoken");
  const reader = upstream.reader({ origin, ask: lane.spoken ?? inquiry.ask }, (name) => headers.get(name));
  let made: SoundWriter | null = null;
  const writer = (): SoundWriter => {
    made ??= side.writer(inquiry.write, reader.format);
    return made;
  };
  const untouched = lane.verbatim && inquiry.ask.events && isEvents(headers.get("content-type"));
  return { reader, writer, untouched };
}

/** The turner of a spoken reply. Throws `upstream_protocol_error` for a lane that has no sound. */
export function soundTurner(
  side: SoundSide,
  lane: Lane,
  inquiry: Inquiry,
  meter: Meter,
  origin: string,
  headers: Headers,
): Turner {
  const { reader, writer, untouched } = soundEnds(side, lane, inquiry, origin, headers);
  const input = inquiry.ask.operation === "speak" ? inquiry.ask.input : "";
  meter.see({ type: "start", id: "", model: "", usage: spokenUsage(input) });
  const written = (sound: Uint8Array): Uint8Array => (sound.length === 0 ? nothing : writer().write(sound));
  return {
    turn({ bytes }): Piece {
      const sound = reader.read(bytes);
      return { bytes: untouched ? bytes : written(sound) };
    },
    ended(): Piece {
      const last = reader.end();
      const usage = spokenUsage(input, last.usage);
      meter.see({ type: "finish", stops: [], usage });
      const bytes = untouched ? nothing : Buffer.concat([written(last.bytes), writer().end(usage)]);
      return { bytes, end: { error: null } };
    },
    apologise: () => null,
    type: () => writer().type,
  };
}
