// The shape of turnpike.yaml.
import { type Static, Type } from "typebox";
import { limitsSchema } from "./limits.ts";
import { modelCapabilities } from "./model-capabilities.ts";

const closed = { additionalProperties: false } as const;
const name = (description: string) => Type.String({ minLength: 1, description });

const voices = Type.Record(Type.String(), name("The provider's own name of the voice."), {
  description: "Voices by the names that clients give them, beside the usual ones of `/v1/audio/speech`.",
});

const provider = Type.Object(
  {
    kind: name("Which provider's habits to use; `compatible` is any OpenAI-compatible server."),
    base_url: Type.Optional(name("As the provider's own SDK takes it. Required for `compatible`.")),
    credential: Type.Optional(
      Type.String({ description: "The provider's key. Write `${VARIABLE}`, not the key itself." }),
    ),
    api_version: Type.Optional(
      name("`azure`: a dated version asks by deployment; left out: the API without versions."),
    ),
    project: Type.Optional(name("`vertex`: the project, where the service account does not name it.")),
    location: Type.Optional(name("`vertex`: where models are asked. Default `global`.")),
    service_account: Type.Optional(name("`vertex`: the key of a service account: a file, or its JSON.")),
    region: Type.Optional(name("`bedrock`, `azure-speech`: the region that is asked.")),
    access_key_id: Type.Optional(
      name(
        "`bedrock`, `kling`, `jimeng`: the key that signs, in place of `credential`. Write `${VARIABLE}`. Kling serves its newer models (`kling-3.0`, `kling-2.6`, `kling-o1`, `kling-v3-omni`) with an API key as the `credential` only.",
      ),
    ),
    secret_access_key: Type.Optional(
      name("`bedrock`, `kling`, `jimeng`: the secret of that key. Write `${VARIABLE}`."),
    ),
    session_token: Type.Optional(name("`bedrock`, `jimeng`: the token of a temporary key. Write `${VARIABLE}`.")),
    models: Type.Optional(
      Type.Array(name("A model name."), {
        description: "What it has. Left out: the provider's own list is asked for.",
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Sent with every request to this provider." }),
    ),
    voices: Type.Optional(voices),
    model_capabilities: Type.Optional(modelCapabilities),
    splits_thinking: Type.Optional(
      Type.Boolean({
        description:
          "Whether thinking that a server leaves in the text, between `<think>` tags at its beginning, is told apart. Default: as its kind is known to do.",
      }),
    ),
    replays_thinking: Type.Optional(
      Type.Boolean({
        description:
          "Whether a server wants its visible thinking back beside the calls that it led to. Default: as its kind is known to do.",
      }),
    ),
    proxy: Type.Optional(name("Address of an HTTP proxy. Proxy variables of the environment are not used.")),
    first_byte_timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: "How long a stream may take to begin. Default 300000." }),
    ),
    idle_timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: "How long a stream may be silent. Default 120000." }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 1, description: "How long a whole reply may take. Default 600000." }),
    ),
  },
  closed,
);

const candidate = Type.Object(
  { provider: name("A provider's name."), model: name("That provider's own name for the model.") },
  closed,
);

const route = Type.Object(
  {
    voices: Type.Optional(voices),
    candidates: Type.Array(candidate, { minItems: 1, description: "Tried in this order." }),
    moderate: Type.Optional(
      Type.Enum(["chat", "llama-guard"], {
        description:
          "Moderation by these chat models: `chat` tells any model the categories, `llama-guard` reads the words of Llama Guard.",
      }),
    ),
  },
  closed,
);

const key = Type.Object(
  { secret: Type.String({ minLength: 8, description: "The key itself. Write `${VARIABLE}`." }) },
  closed,
);

const responses = Type.Object(
  {
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3650,
        description:
          "How many days a response is kept to be continued or asked for again. Default 30; 0 keeps nothing, and answers say `store: false`.",
      }),
    ),
  },
  closed,
);

const fetching = Type.Object(
  {
    allow: Type.Optional(
      Type.Array(name("A host, an address or a range."), {
        description:
          "Where media may be fetched from although the address is private or the port unusual: `host`, `address` or `range/prefix` for ports 80 and 443, or with `:port` for that one (`[::1]:9000` for IPv6). Metadata services and link-local addresses stay closed.",
      }),
    ),
  },
  closed,
);

const bucket = Type.Object(
  {
    name: name("Name of the bucket."),
    endpoint: name("Address of the server that speaks S3."),
    region: Type.Optional(name("Default `us-east-1`.")),
    access_key_id: name("Write `${VARIABLE}`."),
    secret_access_key: name("Write `${VARIABLE}`."),
    prefix: Type.Optional(name("In front of every name, as in `videos/`.")),
  },
  closed,
);

const mebibytes = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description }));

const results = Type.Object(
  {
    keep: Type.Optional(
      Type.Enum(["folder", "bucket", "proxy"], {
        description:
          "Where finished videos are copied to that their provider would delete: a `folder`, a `bucket`, or nowhere (`proxy`). Default: the bucket where one is set; else the folder, or with `DATABASE_URL` nowhere.",
      }),
    ),
    folder: Type.Optional(
      name(
        "The folder. Default `videos`, which lies in the data folder. Instances that share a database must share it.",
      ),
    ),
    max_video_mib: mebibytes("What is larger is not copied. Default 512."),
    max_total_mib: mebibytes("Beyond it the oldest go. Default 10240."),
    min_free_mib: mebibytes("What a copy must leave free on the folder's disk. Default 2048."),
    max_age_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: "How long a video is kept, at most as long as its task. Default 7.",
      }),
    ),
    bucket: Type.Optional(bucket),
  },
  closed,
);

const videos = Type.Object(
  {
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description:
          "How many days a video task can be asked for. Default 30. The video itself lives as long as its provider or `videos.results` keeps it.",
      }),
    ),
    link_hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 168,
        description: "How long a link to a video works without a key. Default 24.",
      }),
    ),
    results: Type.Optional(results),
  },
  closed,
);

export const configSchema = Type.Object(
  {
    providers: Type.Optional(
      Type.Record(Type.String(), provider, { description: "Who can be asked, by a name of yours." }),
    ),
    models: Type.Optional(
      Type.Record(Type.String(), route, { description: "Model names of yours and who stands behind them." }),
    ),
    keys: Type.Optional(Type.Record(Type.String(), key, { description: "Client keys, by name." })),
    responses: Type.Optional(responses),
    videos: Type.Optional(videos),
    fetch: Type.Optional(fetching),
    limits: Type.Optional(limitsSchema),
    public_url: Type.Optional(
      name("The gateway's address as clients reach it, for links that it gives. Left out: as each request says."),
    ),
  },
  closed,
);

export type ConfigFile = Static<typeof configSchema>;
export type ProviderConfig = Static<typeof provider>;
export type RouteConfig = Static<typeof route>;
