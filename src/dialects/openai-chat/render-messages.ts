// Renders the messages, from the system prefix and the canonical messages.
import type { Block, Message, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock } from "../../canonical/chat.ts";
import { type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { unsupported } from "../errors.ts";
import { sendable } from "../shared/arguments.ts";
import { wrapCustomInput } from "../shared/custom-tools.ts";
import { settle } from "../shared/normalize-messages.ts";
import type { ToolNames } from "../shared/tool-names.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { asContent, dialectName, renderPart, sayable } from "./content.ts";
import { replayThinking } from "./reasoning.ts";
import { renderCall, wireId } from "./tool-calls.ts";
import { supportsCustomTools } from "./tools.ts";

function speech(message: Message, _names: ToolNames, warnings: Warnings): JsonObject[] {
  const parts = message.blocks
    .filter((block) => sayable(block, warnings))
    .flatMap((block) => renderPart(block, warnings));
  return [omitUndefined({ role: message.role, name: message.name, content: asContent(parts) })];
}

/** An assistant message, split into its members. */
interface AssistantParts {
  readonly texts: string[];
  readonly refusals: string[];
  readonly thinking: ThinkingBlock[];
  readonly calls: ToolCallBlock[];
  readonly parts: JsonObject[];
  audio?: Json;
}

function sort(block: Block, sorted: AssistantParts, warnings: Warnings): void {
  switch (block.type) {
    case "text":
      sorted.texts.push(block.text);
      return;
    case "refusal":
      sorted.refusals.push(block.text);
      return;
    case "thinking":
      sorted.thinking.push(block);
      return;
    case "tool-call":
      sorted.calls.push(block);
      return;
    case "foreign":
      if (block.origin === dialectName && block.wire.audio !== undefined) sorted.audio = block.wire.audio;
      else sorted.parts.push(...renderPart(block, warnings));
      return;
    case "image":
    case "audio":
    case "document":
      throw unsupported(block.path ?? warnings.context.fieldPath("messages"), "assistant messages support text only");
    case "tool-result":
      warnField(warnings, "dropped", "messages");
  }
}

function renderHistoryCall(call: ToolCallBlock, names: ToolNames, warnings: Warnings): JsonObject {
  const { signature } = call;
  const own = signature !== undefined && signature.origin === warnings.context.origin ? signature.data : undefined;
  const known = { ...sendable(call), id: wireId(call.id), name: names.toWire(call.name) };
  if (call.kind === "function" || supportsCustomTools(warnings)) return renderCall(known, own);
  return renderCall({ ...known, kind: "function", input: JSON.stringify(wrapCustomInput(call.input)) }, own);
}

function assistant(turn: Message, names: ToolNames, warnings: Warnings): JsonObject[] {
  const sorted: AssistantParts = { texts: [], refusals: [], thinking: [], calls: [], parts: [] };
  for (const block of turn.blocks) sort(block, sorted, warnings);
  const text = sorted.texts.join("");
  const refusal = sorted.refusals.join("");
  const isElsewhere = sorted.calls.length > 0 || refusal !== "" || sorted.audio !== undefined;
  const plain: Json = text === "" && isElsewhere ? null : text;
  const parts = text === "" ? sorted.parts : [{ type: "text", text }, ...sorted.parts];
  const { origin, options } = warnings.context;
  const keepsUnsigned = options?.replaysThinking === true && sorted.calls.length > 0;
  const message = omitUndefined({
    role: "assistant",
    name: turn.name,
    content: sorted.parts.length > 0 ? parts : plain,
    refusal: refusal === "" ? undefined : refusal,
    audio: sorted.audio,
    ...replayThinking(sorted.thinking, origin, keepsUnsigned),
    tool_calls:
      sorted.calls.length === 0 ? undefined : sorted.calls.map((call) => renderHistoryCall(call, names, warnings)),
  });
  return [message];
}

/** The text of a result; other content waits in `media` for the message after all results. */
function resultText(result: ToolResultBlock, media: JsonObject[], warnings: Warnings): string {
  const lines: string[] = [];
  for (const part of result.content.flatMap((block) => renderPart(block, warnings))) {
    if (part.type === "text" && typeof part.text === "string") {
      lines.push(part.text);
      continue;
    }
    const number = media.length / 2 + 1;
    media.push({ type: "text", text: `Attachment ${number}, from tool call ${wireId(result.callId)}:` }, part);
    lines.push(`[attachment ${number}: see the next user message]`);
  }
  return lines.join("\n");
}

function results(message: Message, _names: ToolNames, warnings: Warnings): JsonObject[] {
  const media: JsonObject[] = [];
  const messages: JsonObject[] = [];
  for (const block of message.blocks) {
    if (block.type !== "tool-result") continue;
    const text = resultText(block, media, warnings);
    if (block.isError) warnField(warnings, "approximated", "messages");
    const content = block.isError ? `Error: ${text}` : text;
    messages.push({ role: "tool", tool_call_id: wireId(block.callId), content });
  }
  if (media.length === 0) return messages;
  warnField(warnings, "approximated", "messages");
  return [...messages, { role: "user", content: media }];
}

const renderers: {
  readonly [role in Message["role"]]: (message: Message, names: ToolNames, warnings: Warnings) => JsonObject[];
} = {
  system: speech,
  user: speech,
  assistant,
  tool: results,
};

/** All messages of a request: one for the system prefix, then the others. */
export function renderMessages(
  ask: { system: readonly TextBlock[]; messages: readonly Message[] },
  names: ToolNames,
  warnings: Warnings,
): JsonObject[] {
  const prefix = ask.system.flatMap((block) => renderPart(block, warnings));
  const system = prefix.length === 0 ? [] : [{ role: "system", content: asContent(prefix) }];
  const messages = settle(ask.messages, warnings);
  if (messages.at(-1)?.role === "assistant") warnField(warnings, "approximated", "messages");
  return [...system, ...messages.flatMap((message) => renderers[message.role](message, names, warnings))];
}
