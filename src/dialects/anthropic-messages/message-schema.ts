// The schemas of messages, system prompt and tools: strict in the members that they name, open to others.
import { Type } from "typebox";
import { optional } from "../schema-helpers.ts";

/** One of several JSON types, with the keywords of each, so that errors keep the path of the invalid member. */
export const any = (types: readonly string[], keywords: object = {}) =>
  Type.Unsafe<unknown>({ type: types, ...keywords });

export const cacheControlSchema = optional("object", { description: "Marks the end of a prefix that may be cached." });

/** Required members of a block are checked when it is read, so that the error names the path of the missing one. */
const blockMembers = {
  type: Type.String(),
  text: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  name: optional("string"),
  input: Type.Optional(Type.Unknown()),
  tool_use_id: Type.Optional(Type.String()),
  is_error: optional("boolean"),
  thinking: Type.Optional(Type.String()),
  signature: optional("string"),
  data: Type.Optional(Type.String()),
  title: optional("string"),
  context: optional("string"),
  source: Type.Optional(
    any(["object", "string"], {
      properties: {
        type: { type: "string" },
        media_type: { type: "string" },
        data: { type: "string" },
        url: { type: "string" },
        file_id: { type: "string" },
      },
    }),
  ),
  citations: Type.Optional(any(["array", "object", "null"])),
  cache_control: cacheControlSchema,
};

const InnerBlock = Type.Object(blockMembers);
const Block = Type.Object({
  ...blockMembers,
  content: Type.Optional(any(["string", "array", "object", "null"], { items: InnerBlock })),
});

export const textPartSchema = Type.Object({
  type: Type.Enum(["text"]),
  text: Type.String(),
  cache_control: cacheControlSchema,
});

export const messageSchema = Type.Object({
  role: Type.Enum(["user", "assistant", "system"]),
  content: any(["string", "array"], { items: Block }),
});

export const toolSchema = Type.Object({
  type: optional("string"),
  name: Type.Optional(Type.String()),
  description: optional("string"),
  input_schema: optional("object"),
  strict: optional("boolean"),
  cache_control: cacheControlSchema,
});
