// The schemas of image requests in the shape of the specification: a conversation of one message, and parameters.
import { type TProperties, type TSchema, Type } from "typebox";
import { object, optional } from "../schema-helpers.ts";

const text = optional("string", { description: "Description of the image, or of the change to make." });
const image = optional("string", { description: "An input image: a URL or a data URI." });

const messages = (part: TProperties): TSchema =>
  Type.Array(object({ role: optional("string"), content: Type.Array(object(part), { minItems: 1 }) }), {
    minItems: 1,
    description: "A single user message.",
  });

const parameters = optional("object", {
  description: "Generation parameters.",
  properties: {
    n: optional("integer", { minimum: 1, maximum: 10, description: "Number of images to generate." }),
    negative_prompt: optional("string", { description: "Description of what the image must not contain." }),
    prompt_extend: optional("boolean", { description: "Whether the provider may rewrite the prompt." }),
    watermark: optional("boolean", { description: "Whether to add a watermark to the image." }),
    size: optional("string", { maxLength: 32, description: "Width and height, such as `1328*1328`." }),
    seed: optional("integer", { minimum: 0, maximum: 2_147_483_647, description: "Seed for reproducible images." }),
  },
});

const request = (part: TProperties): TSchema =>
  Type.Object(
    {
      model: Type.String({ minLength: 1, description: "ID of the model to use." }),
      input: object({ messages: messages(part) }),
      parameters,
    },
    { additionalProperties: true },
  );

export const MessagesRequest: TSchema = request({ text, image });
