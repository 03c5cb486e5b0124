// A choice among given words, as this dialect asks for it: elsewhere it is a schema with one member, whose value the client gets bare.
import type { ChatAnswer, OutputFormat } from "../../canonical/chat.ts";
import type { Ask } from "../../canonical/operation.ts";
import type { Delta } from "../../canonical/stream-event.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";

export const enumType = "text/x.enum";
const member = "value";

/** The format that asks others for one of the words; null where the schema names none. */
export function readEnum(schema: JsonObject | null): OutputFormat | null {
  const words = schema?.enum;
  if (!Array.isArray(words) || words.length === 0 || !words.every((word) => typeof word === "string")) return null;
  return {
    type: "schema",
    name: "choice",
    schema: {
      type: "object",
      properties: { [member]: { type: "string", enum: words } },
      required: [member],
      additionalProperties: false,
    },
    strict: true,
    bare: member,
  };
}

/** The member that the client gets in place of the whole; undefined where the whole is the answer. */
function bareMember(ask: Ask): string | undefined {
  return ask.operation === "chat" && ask.format?.type === "schema" ? ask.format.bare : undefined;
}

/** A text that is cut short, or something else altogether, stays as it is. */
function bareText(text: string, name: string): string {
  const body: Json | undefined = parseJsonText(text);
  const value = isObject(body) ? body[name] : undefined;
  return typeof value === "string" ? value : text;
}

/** A whole reply with its texts as this client reads them. */
export function bareAnswer(answer: ChatAnswer, ask: Ask): ChatAnswer {
  const name = bareMember(ask);
  if (name === undefined) return answer;
  const choices = answer.choices.map((choice) => ({
    ...choice,
    blocks: choice.blocks.map((block) =>
      block.type === "text" ? { type: "text" as const, text: bareText(block.text, name) } : block,
    ),
  }));
  return { ...answer, choices };
}

/** The same for a stream, where a text waits for its end; null where nothing has to be changed. */
export function bareDeltas(ask: Ask): ((delta: Delta) => Delta[]) | null {
  const name = bareMember(ask);
  if (name === undefined) return null;
  const texts = new Map<string, string>();
  return (delta) => {
    if (!("block" in delta)) return [delta];
    const { choice, block } = delta;
    const key = `${choice}/${block}`;
    if (delta.type === "block-open" && delta.open.kind === "text") texts.set(key, "");
    const held = texts.get(key);
    if (held === undefined || delta.type === "block-open") return [delta];
    if (delta.type === "text") texts.set(key, held + delta.text);
    if (delta.type !== "block-close") return [];
    return [
      { type: "text", choice, block, text: bareText(held, name) },
      { type: "block-close", choice, block },
    ];
  };
}
