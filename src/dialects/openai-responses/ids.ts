// Ids that the gateway generates from the reply's id. They are removed before an upstream could see them.
import { digest } from "../shared/tool-names.ts";

/** The id prefix of each item type, as the service spells it. */
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

/** The id of a response; one that already has the prefix is unchanged. */
export function responseId(id: string): string {
  return id.startsWith(responsePrefix) ? id : `${responsePrefix}${id.replace(outsideAlphabet, "_")}`;
}

/** The id of item `ordinal` of a response; it depends only on the response. */
export function itemId(kind: ItemKind, response: string, ordinal: number | string): string {
  const whole = response.startsWith(responsePrefix) ? response.slice(responsePrefix.length) : response;
  const body = whole.length <= maxBodyChars ? whole : `${whole.slice(0, maxBodyChars - 9)}_${digest(whole, 8)}`;
  return `${prefixes[kind]}_gw_${body.replace(outsideAlphabet, "_")}_${ordinal}`;
}

const madeHere = /^(?:msg|fc|ctc|rs|cmp|item)_gw_/;

/** Whether the gateway generated the id. */
export function isOurs(id: unknown): boolean {
  return typeof id === "string" && madeHere.test(id);
}
