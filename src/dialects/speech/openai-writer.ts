// Sound for an OpenAI client: the bytes themselves, or events that carry them in base64.
import { type AudioFormat, soundTypes } from "../../canonical/speech.ts";
import { totalInput, totalOutput, type Usage } from "../../canonical/usage.ts";
import { formatFrame } from "../../lib/sse.ts";
import type { AudioWriter, WriteContext } from "../dialect.ts";

const encoder = new TextEncoder();
const nothing = new Uint8Array();

const event = (body: unknown): Uint8Array => encoder.encode(formatFrame({ data: JSON.stringify(body) }));

function wireUsage(usage: Usage): { input_tokens: number; output_tokens: number; total_tokens: number } {
  const input = totalInput(usage);
  const output = totalOutput(usage);
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

/** Each chunk of sound is an event of its own, so that it leaves at once. */
const eventWriter: AudioWriter = {
  type: "text/event-stream; charset=utf-8",
  write: (sound) => event({ type: "speech.audio.delta", audio: Buffer.from(sound).toString("base64") }),
  end: (usage) => event({ type: "speech.audio.done", usage: wireUsage(usage) }),
};

/** The writer that the client asked for. */
export function soundWriter({ request }: WriteContext, format: AudioFormat): AudioWriter {
  if (request.operation === "speak" && request.events) return eventWriter;
  return { type: soundTypes[format], write: (sound) => sound, end: () => nothing };
}
