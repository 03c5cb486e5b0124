// Tool calls in a reply, put back into the names and kinds that the client asked with.
import type { ChatRequest, ToolCallBlock } from "../../canonical/chat.ts";
import type { ReadContext } from "../dialect.ts";
import { isNoArguments } from "./arguments.ts";
import { unwrapCustomInput } from "./custom-tools.ts";
import type { ToolNames } from "./tool-names.ts";

/** What the client calls a tool, and whether it takes free text. */
export interface CalledTool {
  readonly name: string;
  readonly kind: ToolCallBlock["kind"];
}

/** From the name on the wire to the tool that was asked. */
export type ToolFinder = (wireName: string) => CalledTool;

/** `namesOf` must be the mapping that the request went out with. */
export function findTools({ request }: ReadContext, namesOf: (canonicalRequest: ChatRequest) => ToolNames): ToolFinder {
  if (request === undefined || request.operation !== "chat") return (name) => ({ name, kind: "function" });
  const names = namesOf(request);
  const custom = new Set(request.tools.flatMap((tool) => (tool.kind === "custom" ? [tool.name] : [])));
  return (wireName) => {
    const name = names.toCanon(wireName);
    return { name, kind: custom.has(name) ? "custom" : "function" };
  };
}

/** Canonical input of a call: JSON text as it came, no arguments as `{}`; free text out of its wrapping. */
export function callInput(kind: ToolCallBlock["kind"], json: string): string {
  const whole = isNoArguments(json) ? "{}" : json;
  return kind === "custom" ? unwrapCustomInput(whole) : whole;
}
