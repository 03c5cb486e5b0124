// The format of speech that a provider is asked for, where the gateway transcodes to the one that the client wants.
import type { SoundFormat } from "../../canonical/speech.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";

/** Best first: without loss, and of those the ones that every provider streams. */
const sources: readonly SoundFormat[] = ["pcm", "flac", "wav", "opus", "mp3", "aac"];

/** The inquiry in a format that the provider makes, with the warning; the same where it makes the client's. */
export function inMadeFormat(inquiry: Inquiry, upstream: Dialect): Inquiry {
  const { ask } = inquiry;
  const made = upstream.sound?.formats;
  if (ask.operation !== "speak" || made === undefined || made.includes(ask.format)) return inquiry;
  const format = sources.find((each) => made.includes(each));
  if (format === undefined) return inquiry;
  const warning = { code: "emulated", path: inquiry.dialect.request.fieldPath("format") } as const;
  return { ...inquiry, ask: { ...ask, format }, changes: [...(inquiry.changes ?? []), warning] };
}
