// Tool arguments as text and as object: the canonical model has JSON text, some wires an object.
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** Whether a text is complete JSON; a blank text is a call without arguments. */
export function isWholeJson(text: string): boolean {
  return text.trim() === "" || parseExactText(text) !== undefined;
}

/** Text that means a call without arguments: servers write nothing or `null`, and clients parse an object. */
export function isNoArguments(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === "" || trimmed === "null";
}

/** Empty arguments become `{}`, a bare value goes under `value`; null when the text is not JSON. */
export function argumentObject(text: string): JsonObject | null {
  if (isNoArguments(text)) return {};
  const value = parseExactText(text);
  if (value === undefined) return null;
  return isObject(value) ? value : { value };
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** Closes a cut JSON text. Only for history: live output is never repaired. */
function closed(text: string): string {
  const open: string[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (inString && sign === "\\") at++;
    else if (sign === '"') inString = !inString;
    else if (!inString && sign in closers) open.push(closers[sign] ?? "");
    else if (!inString && (sign === "}" || sign === "]")) open.pop();
  }
  return `${text}${inString ? '"' : ""}${open.reverse().join("")}`;
}

/** Arguments of a call in the history; `exact` is false when they had to be repaired or wrapped. */
export function historyArguments(text: string): { readonly input: JsonObject; readonly exact: boolean } {
  const input = argumentObject(text);
  if (input !== null) return { input, exact: true };
  return { input: argumentObject(closed(text)) ?? { _raw_arguments: text }, exact: false };
}
