// The fields of a moderation request: a text, several texts, or parts that are classified together.
import { Type } from "typebox";
import type {
  ModerationItem,
  ModerationPart,
  ModerationRequest,
  ModerationResponse,
} from "../../canonical/moderation.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Dialect, UpstreamDialect } from "../dialect.ts";
import { badValue, missing } from "../errors.ts";
import type { FieldTable, WireMembers } from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { optional } from "../schema-helpers.ts";

export type ModerationDialect = Dialect<ModerationRequest, ModerationResponse>;
export type UpstreamModeration = UpstreamDialect<ModerationRequest, ModerationResponse>;
export type ModerationTable = FieldTable<ModerationRequest>;

/** The default model of the official endpoint. */
const defaultModel = "omni-moderation-latest";

const schemaOfPart = Type.Object(
  {
    type: Type.Enum(["text", "image_url"], { description: "Type of the part." }),
    text: optional("string", { description: "The text." }),
    image_url: optional("object", { description: "`{url}`: an https address or a data URI." }),
  },
  { additionalProperties: true },
);

function textPart(text: Json | undefined, path: string): ModerationPart {
  if (typeof text !== "string") throw missing(path);
  if (text === "") throw badValue(path, `'${path}' must not be an empty string.`);
  return { type: "text", text };
}

function imagePart(image: Json | undefined, path: string): ModerationPart {
  const url = isObject(image) ? image.url : undefined;
  if (typeof url !== "string") throw missing(`${path}.url`);
  if (!/^(?:https?:\/\/.|data:image\/)/i.test(url))
    throw badValue(`${path}.url`, `'${path}.url' must be an http or https URL or the data URI of an image.`);
  return { type: "image", url, path: `${path}.url` };
}

function parsePart(part: JsonObject, path: string): ModerationPart {
  return part.type === "text" ? textPart(part.text, `${path}.text`) : imagePart(part.image_url, `${path}.image_url`);
}

const isPart = (part: Json): part is JsonObject => isObject(part);
const isText = (part: Json): part is string => typeof part === "string";

/** Each text is an item; parts are one item together. */
function parseInput(input: Json | undefined): Pick<ModerationRequest, "items" | "mixed"> {
  if (isText(input ?? null)) return { items: [[textPart(input, "input")]], mixed: false };
  const parts = Array.isArray(input) ? input : [];
  if (parts.length === 0) throw badValue("input", "'input' must not be an empty array.");
  if (parts.every(isText))
    return { items: parts.map((text, index): ModerationItem => [textPart(text, `input[${index}]`)]), mixed: false };
  if (parts.every(isPart))
    return { items: [parts.map((part, index) => parsePart(part, `input[${index}]`))], mixed: true };
  throw badValue("input", "'input' must not mix strings and objects.");
}

/** How clients send the input. */
export const clientInput = {
  path: "input",
  schema: Type.Union([Type.String(), Type.Array(Type.Union([Type.String(), schemaOfPart]))], {
    description:
      "Input to classify: a string, an array of strings (classified separately), or an array of text and image parts (classified together).",
  }),
  parseMembers: ({ wire }: { wire: JsonObject }) => parseInput(wire.input),
} as const;

const members: WireMembers = {
  model: {
    schema: optional("string", { description: "ID of the model to use. Default: the configured moderation model." }),
    lost: null,
  },
};

/** The request of a client whose format has this table; the body has passed its schema. */
export function clientRequest(table: ModerationTable) {
  const readFields = fieldReader(table, members);
  return {
    schema: requestSchema(table, members),
    parse(wire: JsonObject): ModerationRequest {
      const named = typeof wire.model === "string" && wire.model !== "" ? wire.model : undefined;
      const { fields, unmappedFields } = readFields(wire);
      return {
        operation: "moderate",
        model: named ?? defaultModel,
        ...(named === undefined ? { unnamed: true } : {}),
        stream: false,
        ...(fields as Pick<ModerationRequest, "items" | "mixed">),
        unmappedFields,
      };
    },
  };
}
