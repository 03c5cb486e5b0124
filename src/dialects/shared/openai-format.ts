// The form of the output on OpenAI-shaped wires: a schema with its name, and JSON that has to be spoken of.
import type { ChatRequest, Message, OutputFormat } from "../../canonical/chat.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { missing } from "../errors.ts";

type SchemaFormat = Extract<OutputFormat, { type: "schema" }>;

/** The object that names the schema; `path` is where it stands. */
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

/** The members that these wires give a schema; a name is required. */
export function schemaMembers({ name = "response", description, schema, strict }: SchemaFormat): JsonObject {
  return omitUndefined({ name, description, schema, strict });
}

/** What is told where JSON is wanted and nobody has spoken of it: servers refuse that. */
export const jsonHint = "Answer in JSON.";
const jsonWord = /json/i;

function speaksOfJson(messages: readonly Message[]): boolean {
  return messages.some((message) => message.blocks.some((block) => block.type === "text" && jsonWord.test(block.text)));
}

/** True for free JSON that `jsonWish` has to be added to. `withPrefix`: the system prefix counts as speaking. */
export function needsJsonHint(request: ChatRequest, withPrefix: boolean): boolean {
  if (request.format?.type !== "json") return false;
  if (withPrefix && request.system.some((block) => jsonWord.test(block.text))) return false;
  return !speaksOfJson(request.messages);
}
