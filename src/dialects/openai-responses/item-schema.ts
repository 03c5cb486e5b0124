// The schema of one input item: the types of all its members. Which item requires which member is checked in parsing.

import type { TProperties } from "typebox";
import { Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";

const part = object({
  type: Type.String({ description: "`input_text`, `input_image`, `input_file`, `output_text`, `refusal`, …" }),
  text: optional("string"),
  refusal: optional("string"),
  image_url: optional("string", { description: "URL or data URI." }),
  file_id: optional("string"),
  file_data: optional("string", { description: "Data URI or base64." }),
  file_url: optional("string"),
  filename: optional("string"),
  detail: enumeration(["auto", "low", "high", "original"]),
  annotations: optional("array"),
  prompt_cache_breakpoint: optional("object"),
});

/** Members that may have any shape, because item types use them differently. */
const loose = { items: { type: ["object", "string", "number", "boolean", "array", "null"] } };

const itemSchema = object({
  type: optional("string", { description: "Defaults to `message`." }),
  role: optional("string", { description: "`user`, `assistant`, `system` or `developer`." }),
  id: optional("string"),
  status: optional("string"),
  phase: enumeration(["commentary", "final_answer"]),
  content: optional(["string", "array"], { items: part, description: "Text, or an array of content parts." }),
  call_id: optional("string"),
  name: optional("string"),
  namespace: optional("string"),
  output: optional(["string", "array", "object"], loose),
  summary: optional("array", { items: { type: "object" } }),
  encrypted_content: optional("string"),
});

/** The conversation, as every endpoint of this dialect accepts it. */
export const inputSchema: TProperties = {
  input: optional(["string", "array"], { items: itemSchema, description: "Text, or an array of input items." }),
  instructions: optional("string", { description: "System instructions, for this request only." }),
  previous_response_id: optional("string", { description: "ID of the stored response to continue." }),
  prompt_cache_key: optional("string", { description: "Options of the provider's prompt cache." }),
  prompt_cache_options: optional("object", { description: "Options of the provider's prompt cache." }),
  prompt_cache_retention: enumeration(["in_memory", "24h"], { description: "Options of the provider's prompt cache." }),
  service_tier: enumeration(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"], {
    description: "Service tier to use for the request.",
  }),
};
