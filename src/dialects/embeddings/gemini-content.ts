// One content to embed on Google's wire, with its task, in both spellings of every name.
import { type TObject, type TProperties, Type } from "typebox";
import type { EmbeddingRequest } from "../../canonical/embedding.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue, missing } from "../errors.ts";
import type { WireMembers } from "../field-table.ts";
import { inCamelCase } from "../gemini/field-case.ts";
import { spelled } from "../gemini/schema.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { fieldRenderer } from "../render-fields.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { type EmbeddingSetting, type EmbeddingTable, madeHere, noUser, textsIn, textsOnly } from "./fields.ts";
import { google, purposeOf } from "./tasks.ts";

const tasks = ["TASK_TYPE_UNSPECIFIED", ...Object.values(google)];

/** The rows of a request for one vector. */
export const itemFields: EmbeddingTable = {
  input: {
    path: "content",
    limit: textsOnly,
    render: (input) => ({ parts: [{ text: textsIn(input).join("\n") }] }),
  },
  purpose: {
    path: "taskType",
    schema: enumeration([...tasks, ...tasks.map((word) => word.toLowerCase())], {
      description: "Task for which the embedding is used.",
    }),
    parse: purposeOf,
    render: (purpose) => google[purpose],
  },
  title: {
    path: "title",
    schema: optional("string", { description: "Title of the document." }),
    parse: (title) => (title === "" ? undefined : String(title)),
  },
  dimensions: {
    path: "outputDimensionality",
    schema: optional("integer", { minimum: 1, description: "Number of dimensions of the embedding." }),
  },
  format: madeHere,
  unit: madeHere,
  endUser: noUser,
};

const members: WireMembers = {
  model: { schema: optional("string", { description: "The model; must match the path." }), lost: null },
  content: {
    schema: object({
      role: optional("string"),
      parts: Type.Array(object({ text: optional("string") }), {
        minItems: 1,
        description: "Content to embed as a single embedding.",
      }),
    }),
    lost: null,
  },
};

/** Members of a request for one vector. */
export const itemMembers: TProperties = spelled((requestSchema(itemFields, members) as TObject).properties);

/** The fields of one request. */
export interface Item extends Pick<EmbeddingRequest, "purpose" | "title" | "dimensions"> {
  readonly text: string;
  readonly extras: readonly UnmappedField[];
}

const readFields = fieldReader(itemFields, members);
const renderFields = fieldRenderer<EmbeddingRequest, EmbeddingSetting>(itemFields);

/** The text of all parts. Media are supported only by servers of this dialect. */
function readParts(parts: readonly Json[], path: string): Pick<Item, "text" | "extras"> {
  const texts = parts.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : null));
  const media = texts.indexOf(null);
  const text = texts.filter((each) => each !== null).join("\n");
  if (media >= 0) return { text, extras: [{ path: `${path}[${media}]`, rule: "reject" }] };
  if (text === "") throw badValue(`${path}[0].text`, `'${path}[0].text' must not be an empty string.`);
  return { text, extras: [] };
}

/** `prefix` is the path of the request on the wire, as in `requests[2].`. */
export function readItem(given: JsonObject, prefix: string): Item {
  const wire = inCamelCase(given);
  const parts = isObject(wire.content) ? wire.content.parts : undefined;
  if (!Array.isArray(parts)) throw missing(`${prefix}content`);
  const { text, extras } = readParts(parts, `${prefix}content.parts`);
  const { fields, unmappedFields } = readFields(wire);
  const unmapped = unmappedFields.map(({ path, rule }) => ({ path: prefix + path, rule }));
  return { ...(fields as Pick<Item, "purpose" | "title" | "dimensions">), text, extras: [...extras, ...unmapped] };
}

/** The members of a request for one text, without its model. */
export function renderItem(text: string, { request, warnings }: EmbeddingSetting): JsonObject {
  return renderFields({ request: { ...request, input: { kind: "texts", texts: [text] } }, warnings });
}
