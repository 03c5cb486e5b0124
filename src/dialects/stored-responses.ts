// Stored responses, background runs and compaction in the words of their wire, under names that any room may say.
import type { JsonObject } from "../lib/json.ts";
import type { Frame } from "../lib/sse.ts";
import type { WriteContext } from "./dialect.ts";
import { numberedEvent } from "./openai-responses/item-writer.ts";
import { echo, identityOf, responseHead, type Standing } from "./openai-responses/response-object.ts";

export { openaiCompaction as compactionDialect, openaiSummary as summaryDialect } from "./openai-compaction.ts";
export {
  checkTrigger,
  compactedOutput,
  compactionFrames,
  compactionItem,
  compactionResponse,
  expandCompactions,
  renderCompaction,
  sealedPrefix,
  withoutTrigger,
} from "./openai-responses/compact.ts";
export { foreign as foreignItem } from "./openai-responses/content.ts";
export { failedFrame } from "./openai-responses/error.ts";
export { inputItems } from "./openai-responses/parse-input.ts";
export { nativeOrigin } from "./openai-responses/reasoning.ts";
export {
  continuableItems,
  deletedResponse,
  listPage,
  parseListQuery,
  storedItems,
  timedResponse,
} from "./openai-responses/stored-responses.ts";
export { type SummaryWish, summaryAsk, transcriptOf } from "./openai-responses/transcript.ts";
export { parseUsage } from "./openai-responses/usage.ts";

const final = new Set<unknown>(["response.completed", "response.incomplete", "response.failed"]);

/** The frame that begins the stream of a response. */
export function openingFrame(response: JsonObject): Frame {
  return numberedEvent("response.created", 0, { response });
}

/** The event that ends the stream of a finished response; null where there is none for its status. */
export function finalEvent(response: JsonObject, sequence: number): JsonObject | null {
  const type = `response.${String(response.status)}`;
  return final.has(type) ? { type, sequence_number: sequence, response } : null;
}

/** A response for which nothing has been done yet. */
export function queuedResponse(context: WriteContext): JsonObject {
  const standing: Standing = { status: "in_progress", output: [], usage: null };
  return { ...responseHead(identityOf(context, { model: "" }), standing), status: "queued", ...echo(context) };
}

/** Why a response failed for which no error was told. */
export const gatewayStoppedError: JsonObject = {
  code: "server_error",
  message: "The gateway stopped before the response was complete.",
};

const madeHere = /^[a-z]+_gw_([A-Za-z0-9]+)_(?:in)?\d+$/;

/** The response to which an item of the gateway's own making belongs; its id tells. Null for any other id. */
export function responseOfItem(id: string): string | null {
  const body = madeHere.exec(id)?.[1];
  return body === undefined ? null : `resp_${body}`;
}
