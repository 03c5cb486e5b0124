// The output format on OpenAI-shaped wires: a named schema, and JSON mode, which a message must mention.
import type { ChatRequest, Message, OutputFormat } from "../../canonical/chat.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { missing } from "../errors.ts";

type SchemaFormat = Extract<OutputFormat, { type: "schema" }>;

/** The object with the schema and its name; `path` is its position. */
export function parseSchemaFormat(body: JsonObject, path: string): SchemaFormat {
  if (!isObject(body.schema)) throw missing(`${path}.schema`);
  return {
    type: "schema",
    schema: body.schema,
    ...(typeof body.name === "string" ? { name: body.name } : {}),
    ...(typeof body.description === "string" ? { description: body.description } : {}),
    ...(typeof body.strict === "boolean" ? { strict: body.strict } : {}),
  };
}

/** The members of a schema on these wires; a name is required. */
export function schemaMembers({ name = "response", description, schema, strict }: SchemaFormat): JsonObject {
  return omitUndefined({ name, description, schema, strict });
}

/** Added where JSON mode is requested and no message mentions it, because servers refuse that. */
export const jsonHint = "Answer in JSON.";
const jsonWord = /json/i;

function speaksOfJson(messages: readonly Message[]): boolean {
  return messages.some((message) => message.blocks.some((block) => block.type === "text" && jsonWord.test(block.text)));
}

/** Whether `jsonHint` has to be added for JSON mode. `withPrefix`: the system prefix counts as a message. */
export function needsJsonHint(request: ChatRequest, withPrefix: boolean): boolean {
  if (request.format?.type !== "json") return false;
  if (withPrefix && request.system.some((block) => jsonWord.test(block.text))) return false;
  return !speaksOfJson(request.messages);
}
