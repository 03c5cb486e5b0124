// One thing to embed on Google's wire: a content with its task, in both spellings of every name.
import { type TProperties, Type } from "typebox";
import type { EmbeddingTask } from "../../canonical/embedding.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { badValue, missing } from "../errors.ts";
import { inCamelCase, snakeCase } from "../gemini/field-case.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { unknownFields } from "./fields.ts";
import { google, readPurpose } from "./tasks.ts";

const tasks = Object.values(google);
const unsaid = "TASK_TYPE_UNSPECIFIED";

const named: TProperties = {
  taskType: enumeration([unsaid, ...tasks, ...[unsaid, ...tasks].map((word) => word.toLowerCase())], {
    description: "Task for which the embedding is used.",
  }),
  title: optional("string", { description: "Title of the document." }),
  outputDimensionality: optional("integer", { minimum: 1, description: "Number of dimensions of the embedding." }),
};

/** Members of a request for one vector. */
export const itemMembers: TProperties = {
  model: optional("string", { description: "The model; must match the path." }),
  content: object({
    role: optional("string"),
    parts: Type.Array(object({ text: optional("string") }), {
      minItems: 1,
      description: "Content to embed as a single embedding.",
    }),
  }),
  ...named,
  ...Object.fromEntries(Object.entries(named).map(([name, schema]) => [snakeCase(name), schema])),
};

/** What one request says. */
export interface Item {
  readonly text: string;
  readonly purpose?: EmbeddingTask;
  readonly title?: string;
  readonly dimensions?: number;
  readonly extras: readonly UnmappedField[];
}

const known = new Set(["model", "content", "taskType", "title", "outputDimensionality"]);

/** The text of all parts; media are for servers of this dialect only. */
function readParts(parts: readonly Json[], path: string): Pick<Item, "text" | "extras"> {
  const texts = parts.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : null));
  const media = texts.indexOf(null);
  const text = texts.filter((each) => each !== null).join("\n");
  if (media >= 0) return { text, extras: [{ path: `${path}[${media}]`, rule: "reject" }] };
  if (text === "") throw badValue(`${path}[0].text`, `'${path}[0].text' must not be an empty string.`);
  return { text, extras: [] };
}

/** `prefix` leads to the request on the wire, as in `requests[2].`. */
export function readItem(wire: JsonObject, prefix: string): Item {
  const said = inCamelCase(wire);
  const parts = isObject(said.content) ? said.content.parts : undefined;
  if (!Array.isArray(parts)) throw missing(`${prefix}content`);
  const { text, extras } = readParts(parts, `${prefix}content.parts`);
  const unknown = unknownFields(said, known).map(({ path, rule }) => ({ path: prefix + path, rule }));
  return {
    text,
    extras: [...extras, ...unknown],
    ...readPurpose(said.taskType),
    ...(typeof said.title === "string" && said.title !== "" ? { title: said.title } : {}),
    ...(typeof said.outputDimensionality === "number" ? { dimensions: said.outputDimensionality } : {}),
  };
}

/** The members of a request for one vector, without its model. */
export function renderItem({ text, purpose, title, dimensions }: Omit<Item, "extras">): JsonObject {
  return omitUndefined({
    content: { parts: [{ text }] },
    taskType: purpose === undefined ? undefined : google[purpose],
    title,
    outputDimensionality: dimensions,
  });
}
