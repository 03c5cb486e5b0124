// The schema of a request in this dialect: strict in the fields that it names, open to those that it does not.
import { Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";

const text = Type.Optional(Type.String());

/** Which of its members a block has says what it is; what that one needs is checked when it is read. */
const Block = object({
  text,
  image: optional("object"),
  document: optional("object"),
  toolUse: optional("object", {
    properties: { toolUseId: { type: "string" }, name: { type: "string" } },
    required: ["toolUseId", "name"],
  }),
  toolResult: optional("object", {
    properties: { toolUseId: { type: "string" }, content: { type: "array", items: { type: "object" } } },
    required: ["toolUseId", "content"],
  }),
  reasoningContent: optional("object"),
  cachePoint: optional("object"),
});

const Message = object({ role: Type.Enum(["user", "assistant"]), content: Type.Array(Block) });

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const ConverseRequest = object({
  messages: Type.Optional(Type.Array(Message, { description: "The messages of the conversation so far." })),
  system: Type.Optional(
    Type.Array(object({ text, cachePoint: optional("object") }), { description: "System prompt." }),
  ),
  inferenceConfig: optional("object", {
    properties: {
      maxTokens: { type: "integer", minimum: 1 },
      temperature: { type: "number", minimum: 0, maximum: 1 },
      topP: { type: "number", minimum: 0, maximum: 1 },
      stopSequences: { type: "array", maxItems: 2500, items: { type: "string", minLength: 1 } },
    },
    description: "Inference parameters: the output limit, sampling and stop sequences.",
  }),
  toolConfig: optional("object", {
    properties: { tools: { type: "array", minItems: 1, items: { type: "object" } }, toolChoice: { type: "object" } },
    required: ["tools"],
    description: "Tools that the model can use.",
  }),
  outputConfig: optional("object", { description: "Format that the model must return." }),
  additionalModelRequestFields: optional("object", { description: "Additional model-specific fields." }),
  additionalModelResponseFieldPaths: optional("array", {
    items: { type: "string" },
    description: "Additional model-specific fields to return.",
  }),
  guardrailConfig: optional("object", { description: "Guardrail to apply." }),
  requestMetadata: optional("object", { description: "Metadata for the invocation logs." }),
  performanceConfig: optional("object", { properties: { latency: enumeration(["standard", "optimized"]) } }),
  serviceTier: optional("object", { properties: { type: enumeration(["priority", "default", "flex", "reserved"]) } }),
});
