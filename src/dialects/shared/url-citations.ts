// URL citations with the range of the text that they support, as on OpenAI-shaped wires.
import type { Citation } from "../../canonical/chat.ts";
import type { Json, JsonObject } from "../../lib/json.ts";

function shifted(value: Json | undefined, by: number): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? Math.max(0, value + by) : undefined;
}

/** The citation of an object with a URL, otherwise null. `base` is the offset of the block's text in the whole text. */
export function readUrlCitation(body: JsonObject, base: number): Citation | null {
  if (typeof body.url !== "string") return null;
  const start = shifted(body.start_index, -base);
  const end = shifted(body.end_index, -base);
  return {
    url: body.url,
    ...(typeof body.title === "string" && body.title !== "" ? { title: body.title } : {}),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
}

/** The members of a citation with a URL, otherwise null. Without a range it supports the whole block. */
export function urlCitationMembers({ url, title, start, end }: Citation, base: number, length: number) {
  if (url === undefined) return null;
  return { start_index: base + (start ?? 0), end_index: base + (end ?? length), title: title ?? "", url };
}
