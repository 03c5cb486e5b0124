// The schema of a request in this dialect: strict in the fields that it names, open to those that it does not.
import { Type } from "typebox";

/** One of several JSON types, with the keywords that belong to each: errors keep the path of the faulty member. */
const any = (types: readonly string[], keywords: object = {}) => Type.Unsafe<unknown>({ type: types, ...keywords });
const orNull = (type: string, keywords: object = {}) => Type.Optional(any([type, "null"], keywords));
const choice = (values: readonly string[], description?: string) =>
  Type.Optional(Type.Unsafe<unknown>({ enum: [...values, null], ...(description ? { description } : {}) }));

const CacheControl = orNull("object", { description: "Marks the end of a prefix that may be cached." });

/** What a block of each type needs is checked when it is read: a missing member is then named by its path. */
const blockMembers = {
  type: Type.String(),
  text: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  name: orNull("string"),
  input: Type.Optional(Type.Unknown()),
  tool_use_id: Type.Optional(Type.String()),
  is_error: orNull("boolean"),
  thinking: Type.Optional(Type.String()),
  signature: orNull("string"),
  data: Type.Optional(Type.String()),
  title: orNull("string"),
  context: orNull("string"),
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
  cache_control: CacheControl,
};

const InnerBlock = Type.Object(blockMembers);
const Block = Type.Object({
  ...blockMembers,
  content: Type.Optional(any(["string", "array", "object", "null"], { items: InnerBlock })),
});

const TextPart = Type.Object({ type: Type.Enum(["text"]), text: Type.String(), cache_control: CacheControl });

const Message = Type.Object({
  role: Type.Enum(["user", "assistant", "system"]),
  content: any(["string", "array"], { items: Block }),
});

const Tool = Type.Object({
  type: orNull("string"),
  name: Type.Optional(Type.String()),
  description: orNull("string"),
  input_schema: orNull("object"),
  strict: orNull("boolean"),
  cache_control: CacheControl,
});

/** `type` is json_schema so far; types of tomorrow pass here and are refused where they cannot be said. */
const format = { properties: { type: { type: "string" }, schema: { type: "object" } } };

const effort = ["low", "medium", "high", "xhigh", "max"];

export const MessagesRequest = Type.Object({
  model: Type.String({ minLength: 1, description: "Model to ask." }),
  messages: Type.Array(Message, { minItems: 1, description: "The conversation so far." }),
  max_tokens: Type.Integer({ minimum: 1, description: "Most tokens of the reply." }),
  system: Type.Optional(any(["string", "array", "null"], { items: TextPart, description: "System prompt." })),
  cache_control: CacheControl,
  inference_geo: orNull("string", { description: "Region that must do the work." }),
  temperature: orNull("number", { minimum: 0, maximum: 1, description: "Randomness." }),
  top_p: orNull("number", { description: "Share of probability to sample from." }),
  top_k: orNull("integer", { description: "Number of tokens to sample from." }),
  stream: orNull("boolean", { description: "Answer as server-sent events." }),
  stop_sequences: orNull("array", { items: { type: "string" }, description: "Texts that end the reply." }),
  tools: orNull("array", { items: Tool, description: "Tools that the model may call." }),
  tool_choice: Type.Optional(
    any(["object", "string", "null"], {
      required: ["type"],
      properties: {
        type: { enum: ["auto", "any", "tool", "none"] },
        name: { type: ["string", "null"] },
        disable_parallel_tool_use: { type: ["boolean", "null"] },
      },
      description: "Whether and which tool must be called.",
    }),
  ),
  thinking: orNull("object", {
    required: ["type"],
    properties: {
      type: { enum: ["enabled", "disabled", "adaptive", "between_tools"] },
      budget_tokens: { type: ["integer", "null"] },
      display: { enum: ["summarized", "omitted", null] },
    },
    description: "Thinking before the reply.",
  }),
  context_management: orNull("object", { description: "Rules for old context." }),
  output_config: orNull("object", {
    properties: { effort: { enum: [...effort, null] }, format: { type: ["object", "null"], ...format } },
    description: "Effort and format of the output.",
  }),
  output_format: orNull("object", { ...format, description: "Older place of output_config.format." }),
  container: Type.Optional(any(["string", "object", "null"], { description: "Container for code." })),
  mcp_servers: orNull("array", { items: { type: "object" }, description: "Remote tool servers." }),
  metadata: orNull("object", { properties: { user_id: { type: ["string", "null"] } }, description: "About the user." }),
  speed: choice(["standard", "fast"], "Speed of the reply."),
  service_tier: choice(["auto", "standard_only"], "Capacity to use."),
});
