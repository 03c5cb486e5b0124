// Compaction: a conversation made short, as an endpoint of its own and as a wish at the end of an input. Sealing is the caller's.
import { type TSchema, Type } from "typebox";
import type { Usage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { WriteContext } from "../dialect.ts";
import { badValue } from "../errors.ts";
import { itemId } from "./ids.ts";
import { inputSchema } from "./item-schema.ts";
import { echo, identityOf, responseHead, type Standing } from "./response-object.ts";
import { renderUsage } from "./usage.ts";

/** The body of the compaction endpoint. What agents send beside it is taken and changes nothing. */
export const compactSchema: TSchema = Type.Object(
  { model: Type.String({ minLength: 1, description: "ID of the model to use." }), ...inputSchema },
  { additionalProperties: true },
);

/** How sealed summaries of the gateway begin; anything else was made by a provider. */
export const sealedPrefix = "gwc1.";

/** True for a summary that the gateway sealed, whoever may open it. */
export function isSealed(text: string): boolean {
  return text.startsWith(sealedPrefix);
}

const triggerType = "compaction_trigger";

/** Whether the input asks to be compacted. Throws `invalid_value` when it asks twice, or not at its end. */
export function checkTrigger(items: readonly JsonObject[]): boolean {
  const first = items.findIndex((item) => item.type === triggerType);
  if (first < 0) return false;
  if (first === items.length - 1) return true;
  const path = `input[${first}].type`;
  throw badValue(path, `'${path}': an item of type '${triggerType}' is allowed only once, at the end of the input.`);
}

/** The conversation without the wish to compact it. */
export function withoutTrigger(items: readonly JsonObject[]): JsonObject[] {
  return items.filter((item) => item.type !== triggerType);
}

const isCompaction = (item: JsonObject): boolean => item.type === "compaction";

/** An input taken apart at its last compaction: what it made short, the item itself, and what came after. */
export interface SplitInput {
  readonly before: readonly JsonObject[];
  readonly compaction: JsonObject | null;
  readonly after: readonly JsonObject[];
}

export function splitAtCompaction(items: readonly JsonObject[]): SplitInput {
  const at = items.findLastIndex(isCompaction);
  return {
    before: items.slice(0, Math.max(at, 0)),
    compaction: items[at] ?? null,
    after: items.slice(at + 1),
  };
}

const summaryHead = "Summary of the earlier conversation:";

/** A summary as the item that stands in its place for any upstream. */
export function summaryItem(summary: string): JsonObject {
  return { type: "message", role: "developer", content: `${summaryHead}\n\n${summary}` };
}

/**
 * The same items with the gateway's own compactions opened; a provider's stay, for that provider. `open` gives the summary
 * of a sealed text, or null when it is not this caller's or cannot be read: that is an `invalid_value` by its path.
 */
export function expandCompactions(
  items: readonly JsonObject[],
  open: (sealed: string) => string | null,
): readonly JsonObject[] {
  if (!items.some(isCompaction)) return items;
  return items.map((item, index) => {
    const sealed = item.encrypted_content;
    if (!isCompaction(item) || typeof sealed !== "string" || !isSealed(sealed)) return item;
    const summary = open(sealed);
    if (summary !== null) return summaryItem(summary);
    const path = `input[${index}].encrypted_content`;
    throw badValue(path, `'${path}' is not a compaction created with this key.`);
  });
}

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []));
  return texts.join("\n");
}

/** The texts of a user's messages that fit, the newest first to be kept, told in their order. */
function keptTexts(items: readonly JsonObject[], maxChars: number): string[] {
  const texts = items.filter((item) => item.role === "user").map((item) => textOf(item.content));
  const kept: string[] = [];
  let room = maxChars;
  for (const text of texts.reverse()) {
    if (text === "") continue;
    if (room <= 0) break;
    kept.unshift(text.slice(0, room));
    room -= text.length;
  }
  return kept;
}

/** The item that holds the sealed summary. */
export function compactionItem(response: string, ordinal: number, sealed: string): JsonObject {
  return { id: itemId("compaction", response, ordinal), type: "compaction", encrypted_content: sealed };
}

/** What a compacted conversation goes on with: the user's own words within bounds, then the sealed summary. */
export function compactedOutput(
  items: readonly JsonObject[],
  sealed: string,
  response: string,
  maxChars: number,
): JsonObject[] {
  const kept = keptTexts(items, maxChars).map(
    (text, index): JsonObject => ({
      id: itemId("message", response, index),
      type: "message",
      status: "completed",
      role: "user",
      content: [{ type: "input_text", text }],
    }),
  );
  return [...kept, compactionItem(response, kept.length, sealed)];
}

/** The answer of the compaction endpoint. `createdAt` in Unix seconds. */
export function renderCompaction(answer: {
  readonly id: string;
  readonly createdAt: number;
  readonly output: readonly JsonObject[];
  readonly usage: Usage;
}): JsonObject {
  const { id, createdAt, output, usage } = answer;
  return { id, object: "response.compaction", created_at: createdAt, output: [...output], usage: renderUsage(usage) };
}

interface Compacted {
  readonly item: JsonObject;
  readonly usage: Usage;
  readonly model: string;
}

function responseOf(context: WriteContext, model: string, standing: Standing): JsonObject {
  return { ...responseHead(identityOf(context, { model }), standing), ...echo(context) };
}

/** A response whose one item is a compaction. */
export function compactionResponse({ item, usage, model }: Compacted, context: WriteContext): JsonObject {
  return responseOf(context, model, { status: "completed", output: [item], usage: renderUsage(usage) });
}

/** The same as a stream: exactly one item, added and done. */
export function compactionFrames(compacted: Compacted, context: WriteContext): Frame[] {
  const { item, model } = compacted;
  const begun = responseOf(context, model, { status: "in_progress", output: [], usage: null });
  const events: readonly (readonly [string, JsonObject])[] = [
    ["response.created", { response: begun }],
    ["response.in_progress", { response: begun }],
    ["response.output_item.added", { output_index: 0, item }],
    ["response.output_item.done", { output_index: 0, item }],
    ["response.completed", { response: compactionResponse(compacted, context) }],
  ];
  return events.map(([type, members], index) => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: index, ...members }),
  }));
}
