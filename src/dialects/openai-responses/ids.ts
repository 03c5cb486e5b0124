// Ids that the gateway makes: they follow from the reply's own id, and no upstream ever sees one.
import { digest } from "../shared/tool-names.ts";

/** Kinds of items by the beginning of their ids, as the service itself spells them. */
const prefixes = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
  compaction: "cmp",
  other: "item",
} as const;

export type ItemKind = keyof typeof prefixes;

const maxBodyChars = 40;
const responsePrefix = "resp_";
const outsideAlphabet = /[^A-Za-z0-9_-]/g;

/** The id of a response; one that already looks like it stays. */
export function responseId(id: string): string {
  return id.startsWith(responsePrefix) ? id : `${responsePrefix}${id.replace(outsideAlphabet, "_")}`;
}

/** The id of the item number `ordinal` of a response: the same response gives the same id. */
export function itemId(kind: ItemKind, response: string, ordinal: number | string): string {
  const whole = response.startsWith(responsePrefix) ? response.slice(responsePrefix.length) : response;
  const body = whole.length <= maxBodyChars ? whole : `${whole.slice(0, maxBodyChars - 9)}_${digest(whole, 8)}`;
  return `${prefixes[kind]}_gw_${body.replace(outsideAlphabet, "_")}_${ordinal}`;
}

const madeHere = /^(?:msg|fc|ctc|rs|cmp|item)_gw_/;

/** True for an id that the gateway made. */
export function isOurs(id: unknown): boolean {
  return typeof id === "string" && madeHere.test(id);
}
