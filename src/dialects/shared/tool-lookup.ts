// Tool calls in a reply, put back into the names and kinds that the client asked with.
import type { ChatAsk, ToolCallBlock } from "../../canonical/chat.ts";
import type { ReadContext } from "../dialect.ts";
import { isNoArguments } from "./arguments.ts";
import { unwrapFreeText } from "./custom-tools.ts";
import type { ToolNames } from "./tool-names.ts";

/** What the client calls a tool, and whether it takes free text. */
export interface CalledTool {
  readonly name: string;
  readonly kind: ToolCallBlock["kind"];
}

/** From the name on the wire to the tool that was asked. */
export type ToolFinder = (wireName: string) => CalledTool;

/** `namesOf` must be the mapping that the request went out with. */
export function findTools({ ask }: ReadContext, namesOf: (ask: ChatAsk) => ToolNames): ToolFinder {
  if (ask === undefined || ask.operation !== "chat") return (name) => ({ name, kind: "function" });
  const names = namesOf(ask);
  const custom = new Set(ask.tools.flatMap((tool) => (tool.kind === "custom" ? [tool.name] : [])));
  return (wireName) => {
    const name = names.toCanon(wireName);
    return { name, kind: custom.has(name) ? "custom" : "function" };
  };
}

/** Canonical input of a call: JSON text as it came, no arguments as `{}`; free text out of its wrapping. */
export function callInput(kind: ToolCallBlock["kind"], json: string): string {
  const whole = isNoArguments(json) ? "{}" : json;
  return kind === "custom" ? unwrapFreeText(whole) : whole;
}
