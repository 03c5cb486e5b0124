// What a Gemini reply said: whole, as events, or as the elements of one JSON array.

import { at, list, noteLogprobs, nothingYet, type Result, record, text } from "./chat-stream-reader.ts";
import type { Received } from "./response-oracle.ts";

/** What a reply said. It has no terminator: it is ended when a candidate said why. */
export function collectGemini(received: Received): Result {
  const isWhole = received.json !== undefined && !Array.isArray(received.json);
  const result = nothingYet(received);
  result.isEnded = isWhole;
  const chunks = isWhole
    ? [received.json]
    : Array.isArray(received.json)
      ? received.json
      : received.frames.map(({ data }) => data);
  for (const chunk of chunks) readChunk(result, chunk);
  return result;
}

function readChunk(result: Result, chunk: unknown): void {
  const error = record(chunk, "error");
  if (error) result.error = { ...error, code: reasonOf(error) };
  const usage = record(chunk, "usageMetadata");
  if (usage) result.usage = usage;
  noteLogprobs(result, list(chunk, "candidates", 0, "logprobsResult", "chosenCandidates"), "logProbability");
  const stop = at(chunk, "candidates", 0, "finishReason") ?? at(chunk, "promptFeedback", "blockReason");
  for (const part of list(chunk, "candidates", 0, "content", "parts")) readPart(result, part);
  if (!stop) return;
  result.stop = String(stop);
  result.isEnded = true;
}

/** Our own code, where Google's errors keep such words. */
function reasonOf(error: Record<string, unknown>): unknown {
  return list(error, "details")
    .map((detail) => at(detail, "reason"))
    .find((reason) => reason !== undefined);
}

function readPart(result: Result, part: unknown): void {
  if (at(part, "thought") === true) result.thinking += text(part, "text");
  else result.text += text(part, "text");
  const signature = text(part, "thoughtSignature");
  if (signature) result.signature = signature;
  const call = at(part, "functionCall");
  if (call) result.calls.push({ id: text(call, "id"), name: text(call, "name"), input: at(call, "args") });
}
