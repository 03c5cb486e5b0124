// Tool names as this dialect takes them, for the request and for the reply.
import type { ReadContext } from "../dialect.ts";
import { findTools, type ToolFinder } from "../shared/tool-lookup.ts";
import { toolNames } from "../shared/tool-names.ts";

/** The longest name of a tool that this dialect takes. */
export const maxToolNameChars = 128;

export function toolFinder(context: ReadContext): ToolFinder {
  return findTools(context, (request) => toolNames(request, maxToolNameChars));
}
