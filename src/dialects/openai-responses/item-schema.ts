// The schema of one input item: types of every known member; which item needs which member is checked in parsing.
import { Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";

const part = object({
  type: Type.String({ description: "`input_text`, `input_image`, `input_file`, `output_text`, `refusal`, …" }),
  text: optional("string"),
  refusal: optional("string"),
  image_url: optional("string", { description: "Address or data URI." }),
  file_id: optional("string"),
  file_data: optional("string", { description: "Data URI or base64." }),
  file_url: optional("string"),
  filename: optional("string"),
  detail: enumeration(["auto", "low", "high", "original"]),
  annotations: optional("array"),
  prompt_cache_breakpoint: optional("object"),
});

/** Where any shape is taken, because items of different types put different things there. */
const loose = { items: { type: ["object", "string", "number", "boolean", "array", "null"] } };

export const itemSchema = object({
  type: optional("string", { description: "`message` where it is left out." }),
  role: optional("string", { description: "`user`, `assistant`, `system` or `developer`." }),
  id: optional("string"),
  status: optional("string"),
  phase: enumeration(["commentary", "final_answer"]),
  content: optional(["string", "array"], { items: part, description: "Text, or parts." }),
  call_id: optional("string"),
  name: optional("string"),
  namespace: optional("string"),
  output: optional(["string", "array", "object"], loose),
  summary: optional("array", { items: { type: "object" } }),
  encrypted_content: optional("string"),
});
