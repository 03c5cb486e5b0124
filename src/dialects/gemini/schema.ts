// Schemas of contents, instructions and tools: strict in the members that they define, in both spellings, open to
// others.
import { type TProperties, type TSchema, type TSchemaOptions, Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { snakeCase } from "./field-case.ts";

/** Every property in camelCase and snake_case. */
export function spelled(properties: TProperties): TProperties {
  const both: TProperties = {};
  for (const [name, schema] of Object.entries(properties)) {
    both[name] = schema;
    both[snakeCase(name)] = schema;
  }
  return both;
}

/** An optional object whose members have both spellings. */
export const message = (properties: TProperties, more: TSchemaOptions = {}): TSchema =>
  optional("object", { ...more, properties: spelled(properties) });

/** Values that some clients write in lower case. */
export const words = (values: readonly string[], description: string): TSchema =>
  enumeration([...values, ...values.map((value) => value.toLowerCase())], { description });

const media: TProperties = {
  inlineData: message({ mimeType: optional("string"), data: optional("string"), displayName: optional("string") }),
  fileData: message({ mimeType: optional("string"), fileUri: optional("string"), displayName: optional("string") }),
};

const part = object(
  spelled({
    text: optional("string"),
    thought: optional("boolean"),
    thoughtSignature: optional("string"),
    ...media,
    functionCall: message({ id: optional("string"), name: optional("string"), args: optional("object") }),
    functionResponse: message({
      id: optional("string"),
      name: optional("string"),
      response: optional("object"),
      parts: optional("array", { items: object(spelled(media)) }),
    }),
    executableCode: optional("object"),
    codeExecutionResult: optional("object"),
    videoMetadata: optional("object"),
    mediaResolution: optional(["object", "string"]),
  }),
);

const contentMembers: TProperties = { role: optional("string"), parts: optional("array", { items: part }) };
export const contentSchema = object(contentMembers);

/** One content; some clients send the system instruction as plain text. */
export const instructionSchema = optional(["object", "string"], {
  properties: contentMembers,
  description: "System prompt.",
});

const declaration = object(
  spelled({
    name: Type.String({ minLength: 1 }),
    description: optional("string"),
    parameters: optional("object", { description: "Schema of the parameters, in OpenAPI's subset of JSON Schema." }),
    parametersJsonSchema: optional("object", { description: "JSON Schema of the parameters." }),
  }),
);

export const toolSchema = object(spelled({ functionDeclarations: optional("array", { items: declaration }) }));

export const toolConfigSchema = message(
  {
    functionCallingConfig: message({
      mode: words(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"], "Configuration of function calling."),
      allowedFunctionNames: optional("array", { items: { type: "string" } }),
    }),
    retrievalConfig: optional("object"),
    includeServerSideToolInvocations: optional("boolean"),
  },
  { description: "Configuration of tool use." },
);
