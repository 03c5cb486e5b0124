// Documents in the form that a server accepts: objects become texts where it supports only texts.
import { stringify } from "yaml";
import type { RankedDocument } from "../../canonical/rerank.ts";
import type { Loss } from "../../canonical/warning.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";
import { rejected } from "../field-table.ts";

/**
 * What a server accepts. `text`: only strings. `media`: strings, `{text}` and `{image}`. `content`: strings, and lists
 * of content parts. `parts`: only `{text}`, `{image}` or `{video}`. `any`: strings and objects with fields of their
 * own.
 */
export type DocumentForm = "text" | "media" | "content" | "parts" | "any";

/** A document and its path on the client's wire; `fields` are the ranked ones. */
export interface Placed {
  readonly document: RankedDocument;
  readonly path: string;
  readonly fields: readonly string[] | null;
}

const isText = (value: Json | undefined): value is string => typeof value === "string";

/** Whether an object is an image or a video, unless the request names the fields to rank. */
function isMedia(document: JsonObject, { fields }: Placed): boolean {
  return fields === null && (isText(document.image) || isText(document.video));
}

const yaml = (object: JsonObject): string => stringify(object, { lineWidth: 0 }).trimEnd();

function pickedText(document: JsonObject, fields: readonly string[], path: string): string {
  const picked = fields.filter((field) => document[field] !== undefined && document[field] !== null);
  const [first] = picked;
  if (first === undefined) throw badValue(path, `'${path}' has none of the fields in 'rank_fields'.`);
  const only = document[first];
  return picked.length === 1 && isText(only)
    ? only
    : yaml(Object.fromEntries(picked.map((field) => [field, document[field]])));
}

/** An object as text: the ranked fields, otherwise its text, otherwise the whole object as YAML. */
function textOf(placed: Placed): string {
  const { document, fields, path } = placed;
  if (isText(document)) return document;
  if (fields !== null) return pickedText(document, fields, path);
  return isText(document.text) ? document.text : yaml(document);
}

function contentParts({ text, image }: JsonObject): JsonObject {
  const texts = isText(text) ? [{ type: "text", text }] : [];
  const shown = isText(image) ? [{ type: "image_url", image_url: { url: image } }] : [];
  return { content: [...texts, ...shown] };
}

const forms: { readonly [form in DocumentForm]: (placed: Placed) => Json } = {
  text: textOf,
  media: (placed) => {
    const { document } = placed;
    return !isText(document) && isMedia(document, placed) ? document : textOf(placed);
  },
  content: (placed) => {
    const { document } = placed;
    return !isText(document) && isText(document.image) && isMedia(document, placed)
      ? contentParts(document)
      : textOf(placed);
  },
  parts: (placed) => {
    const { document } = placed;
    return !isText(document) && isMedia(document, placed) ? document : { text: textOf(placed) };
  },
  any: ({ document }) => document,
};

/** Refuses images and videos where the server ranks only texts. */
export function documentLoss(form: DocumentForm, placed: Placed): Loss | undefined {
  const { document, path } = placed;
  if (isText(document) || !isMedia(document, placed)) return undefined;
  const isRanked = form === "content" ? isText(document.image) : form !== "text";
  return isRanked ? undefined : { ...rejected("this model ranks text documents only"), path };
}

/** The document in the form that the server accepts. */
export function documentIn(form: DocumentForm, placed: Placed): Json {
  return forms[form](placed);
}
