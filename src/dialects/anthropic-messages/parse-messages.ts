// The list of messages into turns: system prefix and turns apart, tool results in turns of their own.
import type { TextBlock, Turn } from "../../canonical/chat.ts";
import type { Extra } from "../../canonical/warning.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { heardTurns } from "../shared/system-prefix.ts";
import { readContent, readText } from "./content.ts";
import { objectsIn } from "./field-names.ts";

function readSystem(system: Json | undefined): TextBlock[] {
  if (typeof system === "string") return system === "" ? [] : [{ type: "text", text: system }];
  return objectsIn(system).map((part, index) => readText(part, `system[${index}]`));
}

function readMessage(message: JsonObject, index: number, extras: Extra[]): Turn[] {
  const role = message["role"];
  const blocks = readContent(message["content"], { path: `messages[${index}].content`, role: String(role), extras });
  if (role === "assistant") return [{ role, blocks }];
  return role === "system" ? [{ role, blocks }] : heardTurns(blocks);
}

/** `system` and the messages; system messages at the very beginning belong to the system prefix. */
export function readConversation(
  wire: JsonObject,
  extras: Extra[],
): { readonly system: TextBlock[]; readonly turns: Turn[] } {
  const turns = objectsIn(wire["messages"]).flatMap((message, index) => readMessage(message, index, extras));
  const first = turns.findIndex((turn) => turn.role !== "system");
  const leading = turns.splice(0, first < 0 ? turns.length : first).flatMap((turn) => turn.blocks);
  return { system: [...readSystem(wire["system"]), ...leading.filter((block) => block.type === "text")], turns };
}
