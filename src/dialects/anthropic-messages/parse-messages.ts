// Parses the messages: the system prefix is split off, and tool results become messages of their own.
import type { Message, TextBlock } from "../../canonical/chat.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { nonAssistantMessages } from "../shared/system-prefix.ts";
import { readContent, readText } from "./content.ts";
import { objectsIn } from "./wire-members.ts";

function readSystem(system: Json | undefined): TextBlock[] {
  if (typeof system === "string") return system === "" ? [] : [{ type: "text", text: system }];
  return objectsIn(system).map((part, index) => readText(part, `system[${index}]`));
}

function readMessage(message: JsonObject, index: number, extras: UnmappedField[]): Message[] {
  const role = message["role"];
  const blocks = readContent(message["content"], { path: `messages[${index}].content`, role: String(role), extras });
  if (role === "assistant") return [{ role, blocks }];
  return role === "system" ? [{ role, blocks }] : nonAssistantMessages(blocks);
}

/** Reads `system` and the messages. System messages at the start belong to the system prefix. */
export function readConversation(
  wire: JsonObject,
  extras: UnmappedField[],
): { readonly system: TextBlock[]; readonly messages: Message[] } {
  const messages = objectsIn(wire["messages"]).flatMap((message, index) => readMessage(message, index, extras));
  const first = messages.findIndex((turn) => turn.role !== "system");
  const leading = messages.splice(0, first < 0 ? messages.length : first).flatMap((turn) => turn.blocks);
  return {
    system: [...readSystem(wire["system"]), ...leading.filter((block) => block.type === "text")],
    messages,
  };
}
