// Compaction: shortens a conversation, through its own endpoint or by a request at the end of the input. The caller
// encrypts.
import { type TSchema, Type } from "typebox";
import type { ChatRequest } from "../../canonical/chat.ts";
import type { GatewayError } from "../../canonical/error.ts";
import { unwrapProviderState, wrapProviderState } from "../../canonical/provider-state.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ResponseFrame, WriteContext } from "../dialect.ts";
import { badValue } from "../errors.ts";
import type {
  CompactedResponse,
  CompactionReply,
  Compactions,
  OpenedItems,
  SummaryRequest,
} from "../stored-responses.ts";
import { foreign } from "./content.ts";
import { itemId } from "./ids.ts";
import { inputSchema } from "./item-schema.ts";
import { numberedEvent } from "./item-writer.ts";
import { echo, identityOf, responseHead, type Standing } from "./response-object.ts";
import { summaryAsk, transcriptOf } from "./transcript.ts";
import { parseUsage, renderUsage } from "./usage.ts";

/** The body of the compaction endpoint. Other members that agents send are accepted and ignored. */
export const compactSchema: TSchema = Type.Object(
  { model: Type.String({ minLength: 1, description: "ID of the model to use." }), ...inputSchema },
  { additionalProperties: true },
);

/** The prefix of the gateway's encrypted summaries; anything else was made by a provider. */
const sealedPrefix = "gwc1.";

/** Whether the gateway encrypted this summary, for any key. */
export function isSealed(text: string): boolean {
  return text.startsWith(sealedPrefix);
}

const triggerType = "compaction_trigger";

/** Whether the input requests compaction. Throws `invalid_value` when it does so twice, or not at its end. */
export function checkTrigger(items: readonly JsonObject[]): boolean {
  const first = items.findIndex((item) => item.type === triggerType);
  if (first < 0) return false;
  if (first === items.length - 1) return true;
  const path = `input[${first}].type`;
  throw badValue(path, `'${path}': an item of type '${triggerType}' is allowed only once, at the end of the input.`);
}

/** The conversation without the request to compact it. */
export function withoutTrigger(items: readonly JsonObject[]): JsonObject[] {
  return items.filter((item) => item.type !== triggerType);
}

const isCompaction = (item: JsonObject): boolean => item.type === "compaction";

const summaryHead = "Summary of the earlier conversation:";

/** A summary as the item that replaces the conversation for any upstream. */
function summaryItem(summary: string): JsonObject {
  return { type: "message", role: "developer", content: `${summaryHead}\n\n${summary}` };
}

function opened(item: JsonObject, index: number, open: (sealed: string) => string | null): JsonObject {
  const sealed = item.encrypted_content;
  if (!isCompaction(item) || typeof sealed !== "string" || !isSealed(sealed)) return item;
  const summary = open(sealed);
  if (summary !== null) return summaryItem(summary);
  const path = `input[${index}].encrypted_content`;
  throw badValue(path, `'${path}' is not a compaction created with this key.`);
}

/**
 * The same items with the gateway's own compactions decrypted; those of a provider go back to that provider only.
 * `open` returns the summary of an encrypted text, or null when it belongs to another key or cannot be read, which is
 * an `invalid_value`.
 */
export function expandCompactions(items: readonly JsonObject[], open: (sealed: string) => string | null): OpenedItems {
  if (!items.some(isCompaction)) return { items };
  let pinnedTo: OpenedItems["pinnedTo"];
  const all = items.map((closed, index) => {
    const item = opened(closed, index, open);
    const { encrypted_content: sealed } = item;
    const native = isCompaction(item) && typeof sealed === "string" ? unwrapProviderState(sealed) : null;
    if (native === null) return item;
    const path = `input[${index}].encrypted_content`;
    if (pinnedTo !== undefined && pinnedTo.origin !== native.origin) throw twoProviders(path);
    pinnedTo ??= { origin: native.origin, path };
    return { ...item, encrypted_content: native.data };
  });
  return pinnedTo === undefined ? { items: all } : { items: all, pinnedTo };
}

function twoProviders(path: string): GatewayError {
  return badValue(
    path,
    `'${path}' and the compaction before it were created by different providers and cannot be combined.`,
  );
}

/** A provider's own compaction for a client: only that provider gets its state back. */
function tagged(item: JsonObject, origin: string): JsonObject {
  if (!isCompaction(item)) return item;
  return { ...item, encrypted_content: wrapProviderState({ origin, data: String(item.encrypted_content) }) };
}

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []));
  return texts.join("\n");
}

/** The user's texts that fit, chosen from the newest backwards, in their original order. */
function newestTexts(items: readonly JsonObject[], maxChars: number): string[] {
  const texts = items.filter((item) => item.role === "user").map((item) => textOf(item.content));
  const userTexts: string[] = [];
  let room = maxChars;
  for (const text of texts.reverse()) {
    if (text === "") continue;
    if (room <= 0) break;
    userTexts.unshift(text.slice(0, room));
    room -= text.length;
  }
  return userTexts;
}

/** The item with the encrypted summary. */
export function compactionItem(response: string, ordinal: number, sealed: string): JsonObject {
  return { id: itemId("compaction", response, ordinal), type: "compaction", encrypted_content: sealed };
}

/** The start of a compacted conversation: the user's messages within bounds, then the encrypted summary. */
export function compactedOutput(
  items: readonly JsonObject[],
  sealed: string,
  response: string,
  maxChars: number,
): JsonObject[] {
  const userTexts = newestTexts(items, maxChars).map(
    (text, index): JsonObject => ({
      id: itemId("message", response, index),
      type: "message",
      status: "completed",
      role: "user",
      content: [{ type: "input_text", text }],
    }),
  );
  return [...userTexts, compactionItem(response, userTexts.length, sealed)];
}

/** The response of the compaction endpoint. `createdAt` in Unix seconds. */
export function renderCompaction(answer: {
  readonly id: string;
  readonly createdAt: number;
  readonly output: readonly JsonObject[];
  readonly usage: Usage;
}): JsonObject {
  const { id, createdAt, output, usage } = answer;
  return { id, object: "response.compaction", created_at: createdAt, output: [...output], usage: renderUsage(usage) };
}

function responseOf(context: WriteContext, model: string, standing: Standing): JsonObject {
  return { ...responseHead(identityOf(context, { model }), standing), ...echo(context) };
}

/** A response whose only item is a compaction. */
export function compactionResponse({ item, usage, model }: CompactedResponse, context: WriteContext): JsonObject {
  return responseOf(context, model, { status: "completed", output: [item], usage: renderUsage(usage) });
}

/** The same as a stream: exactly one item, added and done. */
export function compactionFrames(compacted: CompactedResponse, context: WriteContext): ResponseFrame[] {
  const { item, model } = compacted;
  const begun = responseOf(context, model, { status: "in_progress", output: [], usage: null });
  const response = compactionResponse(compacted, context);
  const withResponse = (other: JsonObject): Frame => numberedEvent("response.completed", 4, { response: other });
  return [
    numberedEvent("response.created", 0, { response: begun }),
    numberedEvent("response.in_progress", 1, { response: begun }),
    numberedEvent("response.output_item.added", 2, { output_index: 0, item }),
    numberedEvent("response.output_item.done", 3, { output_index: 0, item }),
    { ...withResponse(response), response, withResponse },
  ];
}

/** The result of a compaction request: a provider's own compaction, or a summary that is still to be encrypted. */
function readReply(reply: JsonObject): CompactionReply {
  const output = Array.isArray(reply.output) ? reply.output.filter(isObject) : [];
  const usage = parseUsage(reply.usage) ?? zeroUsage;
  const model = typeof reply.model === "string" ? reply.model : "";
  const summary = output.find(isCompaction)?.summary;
  return typeof summary === "string" ? { usage, model, summary } : { usage, model, native: output };
}

/** State that only one provider can read is sent in addition to the transcript. */
function requestFor(wire: JsonObject, summary: SummaryRequest, { items, pinnedTo }: OpenedItems): ChatRequest {
  const { model, instructions } = wire;
  const context = typeof instructions === "string" ? { instructions } : {};
  const request = summaryAsk({ model: String(model), ...context, ...summary });
  if (pinnedTo === undefined) return request;
  const blocks = items.filter(isCompaction).map((item) => foreign(item, pinnedTo.path));
  return { ...request, messages: [{ role: "user", blocks }, ...request.messages] };
}

/** The pure functions of compaction. */
export const compactionItems = {
  sealedPrefix,
  open: expandCompactions,
  uncovered: (items) => items.slice(Math.max(items.findLastIndex(isCompaction), 0)),
  transcript: transcriptOf,
  request: requestFor,
  read: readReply,
  tagged: (items, origin) => items.map((item) => tagged(item, origin)),
  output: compactedOutput,
  sealedItem: (responseId, sealed) => compactionItem(responseId, 0, sealed),
  nativeItem: (responseId, items) => ({
    ...items.find(isCompaction),
    id: itemId("compaction", responseId, 0),
  }),
  render: renderCompaction,
  response: compactionResponse,
  frames: compactionFrames,
} satisfies Omit<Compactions, "dialect" | "summaryDialect">;
