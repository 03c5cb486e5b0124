// Streams audio to the client: converts the upstream's body to the requested format.

import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { AudioCodec, AudioReader, AudioWriter } from "../../dialects/dialect.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import type { FrameSplitter } from "../../lib/sse.ts";
import type { CanonicalReply } from "../../providers/provider.ts";
import type { ResponseHeaders } from "../../providers/transport/headers.ts";
import type { UpstreamPlan } from "../attempts/upstream-plan.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { canonicalStream } from "./canonical-stream.ts";
import type { Meter } from "./meter.ts";
import { type Chunk, nothing, type Transcoder } from "./transcoder.ts";
import type { UpstreamStream } from "./upstream-stream.ts";

/** Audio has no frames: each chunk is forwarded by itself. */
export const wholeChunks = (): FrameSplitter => ({
  push: (bytes) => ({ raws: [], bytes }),
  rest: () => null,
  holdsEvent: () => true,
});

/** The billed usage of speech if the upstream reports nothing else: the characters of the text. */
function spokenUsage(input: string, reported: Usage = zeroUsage): Usage {
  return reported.units === undefined
    ? { ...reported, units: [{ kind: "characters", amount: [...input].length }] }
    : reported;
}

export const isEvents = (type: string | null): boolean => type?.startsWith("text/event-stream") ?? false;

type AudioReply = Extract<CanonicalReply, { readonly audio: unknown }>;

interface Ends {
  readonly reader: AudioReader;
  /** Created when the first audio shows its format. */
  writer(): AudioWriter;
  /** True: events are forwarded as they came, and the reader only observes them. */
  readonly untouched: boolean;
}

function soundEnds(
  side: AudioCodec,
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  origin: string,
  headers: ResponseHeaders,
): Ends {
  const upstream = plan.upstream.audio;
  if (upstream === undefined || gatewayRequest.request.operation !== "speak")
    throw invalidUpstreamResponse("the response cannot be returned as audio");
  const reader = upstream.reader({ origin, request: plan.spoken ?? gatewayRequest.request }, (name) =>
    headers.get(name),
  );
  let made: AudioWriter | null = null;
  const writer = (): AudioWriter => {
    made ??= side.writer(gatewayRequest.write, reader.format);
    return made;
  };
  const untouched =
    plan.codec.keepsSpeechEvents && gatewayRequest.request.events && isEvents(headers.get("content-type"));
  return { reader, writer, untouched };
}

/** Converts a speech reply to the requested format. Throws `upstream_protocol_error` for an upstream without audio. */
export function audioTranscoder(
  side: AudioCodec,
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  meter: Meter,
  origin: string,
  headers: ResponseHeaders,
): Transcoder {
  const { reader, writer, untouched } = soundEnds(side, plan, gatewayRequest, origin, headers);
  const input = gatewayRequest.request.operation === "speak" ? gatewayRequest.request.input : "";
  meter.see({ type: "start", id: "", model: "", usage: spokenUsage(input) });
  const written = (sound: Uint8Array): Uint8Array => (sound.length === 0 ? nothing : writer().write(sound));
  return {
    turn({ bytes }): Chunk {
      const sound = reader.read(bytes);
      return { bytes: untouched ? bytes : written(sound) };
    },
    ended(): Chunk {
      const last = reader.end();
      const usage = spokenUsage(input, last.usage);
      meter.see({ type: "finish", finishReasons: [], usage });
      const bytes = untouched ? nothing : Buffer.concat([written(last.bytes), writer().end(usage)]);
      return { bytes, end: { error: null } };
    },
    apologise: () => null,
    type: () => writer().type,
  };
}

/** Audio of an in-process provider, in the client's dialect. */
export function canonicalAudio(
  side: AudioCodec,
  { audio, format, usage }: AudioReply,
  { request, write }: GatewayRequest,
  meter: Meter,
): UpstreamStream {
  const writer = side.writer(write, format);
  const input = request.operation === "speak" ? request.input : "";
  meter.see({ type: "start", id: "", model: "", usage: spokenUsage(input) });
  return canonicalStream(audio, {
    write: (bytes) => ({ bytes: writer.write(bytes) }),
    end() {
      const total = spokenUsage(input, usage);
      meter.see({ type: "finish", finishReasons: [], usage: total });
      return { bytes: writer.end(total), end: { error: null } };
    },
    writeError: () => null,
    type: () => writer.type,
  });
}
