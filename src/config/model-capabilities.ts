// `model_capabilities` of a provider: rows of the operator that extend or override the built-in model tables.
import { type Static, Type } from "typebox";
import type { Effort } from "../canonical/chat.ts";
import { type DeclaredModel, type Durations, namedFields } from "../dialects/shared/model-table.ts";
import { effortOrder } from "../dialects/shared/reasoning-effort.ts";
import { withoutUndefined } from "../lib/json.ts";

const closed = { additionalProperties: false } as const;
const texts = (description: string, item: Record<string, unknown> = { minLength: 1 }) =>
  Type.Optional(Type.Array(Type.String(item), { description }));

const range = Type.Object(
  {
    min: Type.Number({ exclusiveMinimum: 0, description: "Minimum duration in seconds." }),
    max: Type.Number({ exclusiveMinimum: 0, description: "Maximum duration in seconds." }),
  },
  { ...closed, description: "Durations of videos in seconds, if every whole second is allowed." },
);

/** Fields of text models. Each has an effect where the built-in tables have such a fact. */
const textFields = {
  reasoning: Type.Optional(
    Type.Enum(["none", "budget", "effort", "either"], {
      description:
        "How the reasoning of a text model is configured: not at all, in tokens, as an effort, or either way.",
    }),
  ),
  efforts: Type.Optional(
    Type.Array(Type.Enum([...effortOrder]), {
      uniqueItems: true,
      description:
        "Reasoning efforts that a text model accepts; an empty list means that it refuses the setting. Another effort becomes the nearest of these.",
    }),
  ),
  sampling: Type.Optional(
    Type.Enum(["always", "without_reasoning", "never"], {
      description:
        "Whether a text model accepts `temperature` and the like. Where it does not, they are dropped with a warning. For models of OpenAI and Anthropic.",
    }),
  ),
  structured_output: Type.Optional(
    Type.Boolean({
      description:
        "Whether a text model accepts a JSON Schema for its output. Where it does not, the schema is sent as a tool. For the Messages API and Bedrock.",
    }),
  ),
  forced_tool_choice: Type.Optional(
    Type.Boolean({
      description: "Whether a text model can be made to call a tool. For the Messages API and Bedrock.",
    }),
  ),
  prefill: Type.Optional(
    Type.Boolean({
      description: "Whether the last message may be the assistant's. For the Messages API and Bedrock.",
    }),
  ),
  max_output_tokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Output tokens that a text model can produce. A larger bound is lowered to it, with a warning.",
    }),
  ),
  image_input: Type.Optional(
    Type.Boolean({
      description: "Whether a text model accepts images. Routes leave it out for requests that have some.",
    }),
  ),
  tools: Type.Optional(
    Type.Boolean({
      description: "Whether a text model can call tools. Routes leave it out for requests that have some.",
    }),
  ),
  context_tokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "Input tokens that a text model accepts. Routes leave it out for longer requests, by the gateway's estimate.",
    }),
  ),
};

const row = Type.Object(
  {
    models: Type.Array(Type.String({ minLength: 1, description: "A model name; `*` matches any characters." }), {
      minItems: 1,
      description: "Models to which the row applies.",
    }),
    like: Type.Optional(
      Type.String({
        minLength: 1,
        description: "A model of the built-in table whose row is the base. The fields of this row replace its fields.",
      }),
    ),
    sizes: texts("Sizes of images and videos, such as `1280x720`.", { pattern: "^[1-9]\\d{0,4}[x*:][1-9]\\d{0,4}$" }),
    ratios: texts("Aspect ratios, such as `16:9`. An empty list means that the model has no such setting.", {
      pattern: "^[1-9]\\d{0,4}:[1-9]\\d{0,4}$",
    }),
    resolutions: texts(
      "Resolutions in the provider's spelling, such as `720p`. An empty list means that the model has no such setting.",
      { pattern: "^(\\d{3,4}[pP]?|[1248][kK])$" },
    ),
    durations: Type.Optional(
      Type.Array(Type.Number({ exclusiveMinimum: 0 }), {
        minItems: 1,
        description: "Durations of videos in seconds, if only some are allowed.",
      }),
    ),
    duration_range: Type.Optional(range),
    audio: Type.Optional(
      Type.Enum(["optional", "always", "never"], { description: "Whether videos of the model have audio." }),
    ),
    images: Type.Optional(
      Type.Array(Type.Enum(["first", "last", "reference"]), {
        description: "Roles of images in a video request: first frame, last frame or reference.",
      }),
    ),
    fields: Type.Optional(
      Type.Object(
        Object.fromEntries(namedFields.map((field) => [field, Type.Optional(Type.String({ minLength: 1 }))])),
        {
          ...closed,
          description: `\`fal\`, \`replicate\`: the model's names for these inputs: ${namedFields.map((field) => `\`${field}\``).join(", ")}.`,
        },
      ),
    ),
    ...textFields,
    source: Type.Optional(Type.String({ minLength: 1, description: "Source of the facts, for your records." })),
    checked_on: Type.Optional(
      Type.String({
        pattern: "^\\d{4}-\\d\\d-\\d\\d$",
        description: "Date on which the source was read, for your records.",
      }),
    ),
  },
  closed,
);

export const modelCapabilities = Type.Array(row, {
  description:
    "Capabilities of text, image and video models that are missing from the built-in tables or differ from them. The first matching row applies. Requests for a model without a row are sent unchanged, for images and videos with the warning `unverified`.",
});

type Row = Static<typeof row>;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** A pattern with `*` for any characters. */
function patternOf(models: readonly string[]): RegExp {
  const choices = models.map((model) => model.split("*").map(escaped).join(".*"));
  return new RegExp(`^(?:${choices.join("|")})$`, "i");
}

function durationsOf({ durations: [first, ...others] = [], duration_range: bounds }: Row): Durations | undefined {
  return first === undefined ? bounds : [first, ...others];
}

/** From the lowest to the highest; a model without reasoning refuses all of them. */
function effortsOf({ reasoning, efforts }: Row): readonly Effort[] | undefined {
  if (reasoning === "none") return [];
  return efforts?.toSorted((left, right) => effortOrder.indexOf(left) - effortOrder.indexOf(right));
}

/** What is wrong with a row beyond its schema: the field and the problem; null for a valid row. */
export function rowFault({
  durations,
  duration_range: bounds,
  reasoning,
  efforts = [],
}: Row): { field: string; problem: string } | null {
  if (reasoning === "none" && efforts.some((effort) => effort !== "none"))
    return { field: "efforts", problem: "must be empty where 'reasoning' is 'none'" };
  if (bounds === undefined) return null;
  if (durations !== undefined) return { field: "duration_range", problem: "set either this or 'durations'" };
  return bounds.min > bounds.max ? { field: "duration_range", problem: "'min' must not exceed 'max'" } : null;
}

/** Absent members stay absent, so that the built-in row applies. */
export function declaredModel(entry: Row): DeclaredModel {
  const { models, like, sizes, ratios, resolutions, audio, images, fields, reasoning, sampling, prefill } = entry;
  const capabilities = withoutUndefined({
    ...{ sizes, ratios, resolutions, durations: durationsOf(entry), audio, images, fields },
    ...{ reasoning, sampling, prefill, efforts: effortsOf(entry) },
    structuredOutput: entry.structured_output,
    forcedTool: entry.forced_tool_choice,
    maxOutputTokens: entry.max_output_tokens,
    imageInput: entry.image_input,
    tools: entry.tools,
    contextTokens: entry.context_tokens,
  });
  return { models: patternOf(models), ...(like === undefined ? {} : { like }), capabilities };
}
