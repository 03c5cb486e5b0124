// Enum output (`text/x.enum`): in other dialects it is a schema with one member, whose bare value the client receives.
import type { ChatResponse, OutputFormat } from "../../canonical/chat.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";

export const enumType = "text/x.enum";
const member = "value";

/** The output format for other dialects; null when the schema has no values. */
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

/** The member that the client receives instead of the whole object; undefined: the whole object. */
function bareMember(request: OperationRequest): string | undefined {
  return request.operation === "chat" && request.format?.type === "schema" ? request.format.bare : undefined;
}

/** The bare value. Text that was cut short or is not such an object is unchanged. */
function bareText(text: string, name: string): string {
  const body: Json | undefined = parseJsonText(text);
  const value = isObject(body) ? body[name] : undefined;
  return typeof value === "string" ? value : text;
}

/** A complete reply with bare values for this client. */
export function bareAnswer(response: ChatResponse, request: OperationRequest): ChatResponse {
  const name = bareMember(request);
  if (name === undefined) return response;
  const choices = response.choices.map((choice) => ({
    ...choice,
    blocks: choice.blocks.map((block) =>
      block.type === "text" ? { type: "text" as const, text: bareText(block.text, name) } : block,
    ),
  }));
  return { ...response, choices };
}

/** The same for a stream, where text is held until its end; null when nothing has to change. */
export function bareDeltas(request: OperationRequest): ((event: StreamEvent) => StreamEvent[]) | null {
  const name = bareMember(request);
  if (name === undefined) return null;
  const texts = new Map<string, string>();
  return (event) => {
    if (!("block" in event)) return [event];
    const { choice, block } = event;
    const key = `${choice}/${block}`;
    if (event.type === "block-start" && event.open.kind === "text") texts.set(key, "");
    const held = texts.get(key);
    if (held === undefined || event.type === "block-start") return [event];
    if (event.type === "text") texts.set(key, held + event.text);
    if (event.type !== "block-end") return [];
    return [
      { type: "text", choice, block, text: bareText(held, name) },
      { type: "block-end", choice, block },
    ];
  };
}
