// What a Gemini reply said: whole, as events, or as the elements of one JSON array.

import { at, list, noteLogprobs, nothingYet, record, type Told, text } from "./chat-stream-reader.ts";
import type { Heard } from "./response-oracle.ts";

/** What a reply said. It has no terminator: it is ended when a candidate said why. */
export function collectGemini(heard: Heard): Told {
  const isWhole = heard.json !== undefined && !Array.isArray(heard.json);
  const told = nothingYet(heard);
  told.isEnded = isWhole;
  const chunks = isWhole ? [heard.json] : Array.isArray(heard.json) ? heard.json : heard.frames.map(({ data }) => data);
  for (const chunk of chunks) hearChunk(told, chunk);
  return told;
}

function hearChunk(told: Told, chunk: unknown): void {
  const error = record(chunk, "error");
  if (error) told.error = { ...error, code: reasonOf(error) };
  const usage = record(chunk, "usageMetadata");
  if (usage) told.usage = usage;
  noteLogprobs(told, list(chunk, "candidates", 0, "logprobsResult", "chosenCandidates"), "logProbability");
  const stop = at(chunk, "candidates", 0, "finishReason") ?? at(chunk, "promptFeedback", "blockReason");
  for (const part of list(chunk, "candidates", 0, "content", "parts")) hearPart(told, part);
  if (!stop) return;
  told.stop = String(stop);
  told.isEnded = true;
}

/** Our own code, where Google's errors keep such words. */
function reasonOf(error: Record<string, unknown>): unknown {
  return list(error, "details")
    .map((detail) => at(detail, "reason"))
    .find((reason) => reason !== undefined);
}

function hearPart(told: Told, part: unknown): void {
  if (at(part, "thought") === true) told.thinking += text(part, "text");
  else told.text += text(part, "text");
  const signature = text(part, "thoughtSignature");
  if (signature) told.signature = signature;
  const call = at(part, "functionCall");
  if (call) told.calls.push({ id: text(call, "id"), name: text(call, "name"), input: at(call, "args") });
}
