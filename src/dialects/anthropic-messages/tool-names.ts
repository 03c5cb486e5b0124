// Tool names that this dialect accepts, for requests and replies.
import type { ReadContext } from "../dialect.ts";
import { findTools, type ToolFinder, toolNames } from "../shared/tool-names.ts";

/** The longest tool name that this dialect accepts. */
export const maxToolNameChars = 128;

export function toolFinder(context: ReadContext): ToolFinder {
  return findTools(context, (request) => toolNames(request, maxToolNameChars));
}
