// The schema of one message: the types of all its members. Which role and part requires which member is checked in
// parsing.
import { Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";

const part = object({
  type: Type.String({ description: "`text`, `image_url`, `input_audio`, `file` or `refusal`." }),
  text: optional("string"),
  refusal: optional("string"),
  image_url: optional("object", {
    required: ["url"],
    properties: { url: Type.String({ minLength: 1 }), detail: enumeration(["auto", "low", "high", "original"]) },
  }),
  input_audio: optional("object", {
    required: ["data", "format"],
    properties: { data: Type.String(), format: Type.String({ enum: ["wav", "mp3"] }) },
  }),
  file: optional("object", {
    properties: { file_data: optional("string"), file_id: optional("string"), filename: optional("string") },
  }),
  prompt_cache_breakpoint: optional("object"),
});

const toolCall = object({
  id: Type.String(),
  type: optional("string"),
  function: optional("object", {
    required: ["name"],
    properties: { name: Type.String(), arguments: optional("string") },
  }),
  custom: optional("object", {
    required: ["name"],
    properties: { name: Type.String(), input: optional("string") },
  }),
  extra_content: optional("object"),
});

export const messageSchema = object({
  role: Type.String({ enum: ["developer", "system", "user", "assistant", "tool", "function"] }),
  content: optional(["string", "array"], { items: part, description: "Text, or an array of content parts." }),
  name: optional("string"),
  refusal: optional("string"),
  tool_calls: optional("array", { items: toolCall }),
  tool_call_id: optional("string"),
  function_call: optional("object", {
    required: ["name"],
    properties: { name: Type.String(), arguments: optional("string") },
  }),
  audio: optional("object", { properties: { id: Type.String() } }),
  reasoning_content: optional("string"),
  reasoning: optional("string"),
  reasoning_details: optional("array", { items: { type: "object" } }),
});
