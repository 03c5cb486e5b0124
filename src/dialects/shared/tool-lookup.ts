// Restores the client's tool names and kinds in the calls of a reply.
import type { ChatRequest, ToolCallBlock } from "../../canonical/chat.ts";
import type { ReadContext } from "../dialect.ts";
import { isNoArguments } from "./arguments.ts";
import { unwrapCustomInput } from "./custom-tools.ts";
import type { ToolNames } from "./tool-names.ts";

/** The client's name of a tool, and whether it accepts free text. */
interface CalledTool {
  readonly name: string;
  readonly kind: ToolCallBlock["kind"];
}

/** Finds the requested tool by its name on the wire. */
export type ToolFinder = (wireName: string) => CalledTool;

/** `namesOf` must be the mapping that the request was rendered with. */
export function findTools({ request }: ReadContext, namesOf: (canonicalRequest: ChatRequest) => ToolNames): ToolFinder {
  if (request === undefined || request.operation !== "chat") return (name) => ({ name, kind: "function" });
  const names = namesOf(request);
  const custom = new Set(request.tools.flatMap((tool) => (tool.kind === "custom" ? [tool.name] : [])));
  return (wireName) => {
    const name = names.toCanon(wireName);
    return { name, kind: custom.has(name) ? "custom" : "function" };
  };
}

/** The canonical input of a call: JSON text unchanged, missing arguments as `{}`, free text unwrapped. */
export function callInput(kind: ToolCallBlock["kind"], json: string): string {
  const whole = isNoArguments(json) ? "{}" : json;
  return kind === "custom" ? unwrapCustomInput(whole) : whole;
}
