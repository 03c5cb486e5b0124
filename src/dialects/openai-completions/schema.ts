// The request schema of text completions: strict in types and bounds, open to unknown fields.
import { type TSchema, Type } from "typebox";
import { optional } from "../schema-helpers.ts";
import { samplingSchema, stopSchema } from "../shared/openai-sampling.ts";

const prompt = Type.Unsafe({
  type: ["string", "array", "null"],
  items: { type: ["string", "integer", "array"], items: { type: "integer", minimum: 0 }, minimum: 0 },
  description: "A text, texts, token ids or lists of token ids; each is continued on its own.",
});

export const schema: TSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: "Model id." }),
    prompt,
    max_tokens: optional("integer", { minimum: 0, default: 16, description: "Bound on output." }),
    ...samplingSchema,
    stop: stopSchema,
    n: optional("integer", { minimum: 1, maximum: 128, default: 1, description: "Answers for each prompt." }),
    best_of: optional("integer", { minimum: 1, maximum: 20, description: "Answers to choose from." }),
    echo: optional("boolean", { default: false, description: "Each answer begins with its prompt." }),
    suffix: optional("string", { description: "Text behind the place of the answer." }),
    logprobs: optional("integer", {
      minimum: 0,
      maximum: 5,
      description: "Log probabilities, with this many alternatives.",
    }),
    stream: optional("boolean", { default: false, description: "Server-sent events." }),
    stream_options: optional("object", {
      description: "What a stream carries.",
      properties: { include_usage: optional("boolean"), include_obfuscation: optional("boolean") },
    }),
    user: optional("string", { description: "End user id." }),
  },
  { additionalProperties: true },
);
