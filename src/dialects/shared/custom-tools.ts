// Free text tools over a dialect with only functions: the text is the single string of a JSON object.
import type { CustomTool } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";

const inputSchema: JsonObject = {
  type: "object",
  properties: { input: { type: "string", description: "The complete input of the tool, as plain text." } },
  required: ["input"],
  additionalProperties: false,
};

/** The grammar as text for the description; plain text needs none. */
function grammarText(format: Json | undefined): string {
  if (!isObject(format) || format["type"] === "text") return "";
  const grammar = isObject(format["grammar"]) ? format["grammar"] : format;
  const definition = grammar["definition"];
  return `The input must follow this grammar:\n${typeof definition === "string" ? definition : JSON.stringify(grammar)}`;
}

/** The function that replaces a free text tool: its description with the grammar, and its single string. */
export function asFunctionTool(tool: CustomTool): { readonly description?: string; readonly parameters: JsonObject } {
  const description = [tool.description ?? "", grammarText(tool.format)].filter((part) => part !== "").join("\n\n");
  return { ...(description === "" ? {} : { description }), parameters: inputSchema };
}

export function wrapCustomInput(text: string): JsonObject {
  return { input: text };
}

const fence = /^```[\w+-]*\n([\s\S]*?)\n?```\s*$/;

/**
 * The text inside. Models also use other keys and Markdown fences: any single string counts, and one fence is removed.
 */
export function unwrapCustomInput(json: string): string {
  const value = parseJsonText(json);
  if (!isObject(value)) return typeof value === "string" ? value : json;
  const strings = Object.values(value).filter((member) => typeof member === "string");
  const text = typeof value["input"] === "string" ? value["input"] : strings.length === 1 ? strings[0] : json;
  return fence.exec(text ?? json)?.[1] ?? text ?? json;
}
