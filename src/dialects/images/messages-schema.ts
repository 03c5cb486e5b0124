// The schemas of image requests in the shape of the specification: a conversation of one message, and parameters.
import { type TProperties, type TSchema, Type } from "typebox";
import { object, optional } from "../schema-helpers.ts";

const text = optional("string", { description: "What is to be seen, or what is to be changed." });
const image = optional("string", { description: "An image to start from: an address or a data URI." });

const messages = (part: TProperties): TSchema =>
  Type.Array(object({ role: optional("string"), content: Type.Array(object(part), { minItems: 1 }) }), {
    minItems: 1,
    description: "One message of the user's.",
  });

const parameters = optional("object", {
  description: "How it is made.",
  properties: {
    n: optional("integer", { minimum: 1, maximum: 10, description: "How many images." }),
    negative_prompt: optional("string", { description: "What is not to be seen." }),
    prompt_extend: optional("boolean", { description: "Whether the provider may rewrite the prompt." }),
    watermark: optional("boolean", { description: "Whether the image shows who made it." }),
    size: optional("string", { maxLength: 32, description: "Width and height as in `1328*1328`." }),
    seed: optional("integer", { minimum: 0, maximum: 2_147_483_647, description: "The same image again." }),
  },
});

const request = (part: TProperties): TSchema =>
  Type.Object(
    {
      model: Type.String({ minLength: 1, description: "Model id." }),
      input: object({ messages: messages(part) }),
      parameters,
    },
    { additionalProperties: true },
  );

export const MessagesRequest: TSchema = request({ text, image });
