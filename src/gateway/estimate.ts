// What a request is counted as where the provider tells nothing: an estimate from the request itself.
import { noUsage, type Usage } from "../canon/usage.ts";
import { soundSeconds } from "../dialects/shared/sound-length.ts";
import type { Inquiry } from "./inquiry.ts";

/** Seconds of a recording, else tokens of the body. */
export function estimateOf({ ask, write }: Pick<Inquiry, "ask" | "write">): Usage {
  if (ask.operation !== "transcribe") return { ...noUsage, inputTokens: write.inputEstimate, estimated: true };
  const amount = soundSeconds(ask.recording.bytes);
  return { ...noUsage, units: { kind: "seconds", amount }, estimated: true };
}
