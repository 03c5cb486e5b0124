// The schema of prices in turnpike.yaml, and of the built-in prices.
import { type Static, Type } from "typebox";

const closed = { additionalProperties: false } as const;
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** A number or a text, so that a price with many digits can be written exactly. */
const dollars = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ pattern: "^\\d+(?:\\.\\d+)?$" }), Type.Number({ minimum: 0 })], { description }),
  );

const usd = Type.Object(
  {
    input: dollars("Per million tokens of input."),
    cache_read: dollars("Per million tokens read from a cache. If omitted, as `input`."),
    cache_write: dollars("Per million tokens written to a cache. If omitted, as `input`."),
    cache_write_1h: dollars("Per million tokens written to a cache for an hour. If omitted, as `cache_write`."),
    audio_input: dollars("Per million tokens of audio in the input."),
    image_input: dollars("Per million tokens of images in the input."),
    output: dollars("Per million tokens of output."),
    reasoning: dollars("Per million tokens of reasoning. If omitted, as `output`."),
    audio_output: dollars("Per million tokens of audio in the output."),
    image_output: dollars("Per million tokens of images in the output."),
    characters: dollars("Per million characters."),
    image: dollars("Per image."),
    audio_minute: dollars("Per minute of audio."),
    video_second: dollars("Per second of video."),
    page: dollars("Per page."),
    search: dollars("Per search."),
    request: dollars("Per request."),
  },
  { ...closed, description: "Amounts in US dollars." },
);

const match = {
  model: Type.String({ minLength: 1, description: "A model, or a pattern with `*` for any text." }),
  provider: text("Name or kind of a provider. If omitted, all."),
  operation: Type.Optional(
    Type.Enum(["chat", "count", "embed", "rerank", "moderate", "image", "speak", "transcribe", "video"], {
      description: "If omitted, all operations.",
    }),
  ),
  region: text("If omitted, all regions."),
  tier: text("Service tier. If omitted, all tiers."),
  size: text("Size of images such as `1024x1024`, or resolution of videos such as `1080p`. If omitted, all."),
  quality: text("Quality of images. If omitted, all."),
  from_input_tokens: Type.Optional(
    Type.Integer({ minimum: 1, description: "Applies to requests whose input has at least so many tokens." }),
  ),
  valid_from: Type.Optional(
    Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: "First day (UTC) on which it applies." }),
  ),
  source: text("Where the figure is from."),
};

export const costEntry = Type.Object({ ...match, usd }, closed);

export const priceEntry = Type.Object(
  {
    ...match,
    usd: Type.Optional(usd),
    factor: dollars("Multiple of the cost, with at most six decimals. `1.25` is 25 % more."),
    per_request: dollars("US dollars added to each request, with `factor`."),
  },
  closed,
);

export const pricesSchema = Type.Object(
  {
    shipped: Type.Optional(
      Type.Boolean({
        description: "Use the prices that come with the gateway, where the file has none. Default true.",
      }),
    ),
    cost: Type.Optional(Type.Array(costEntry, { description: "What providers charge, by the provider's model ID." })),
    price: Type.Optional(
      Type.Array(priceEntry, {
        description: "What callers pay, by the model that the client named. Without a row, callers pay the cost.",
      }),
    ),
  },
  closed,
);

export type CostEntry = Static<typeof costEntry>;
export type PriceEntry = Static<typeof priceEntry>;
export type Dollars = Static<typeof usd>;
