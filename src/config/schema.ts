// The schema of turnpike.yaml.
import { type Static, Type } from "typebox";
import { bodyFields, projectSchema, ruleFields, rulesSchema } from "../gateway/policy/rules.ts";
import { alertsSchema } from "./alerts-schema.ts";
import { consoleSettings } from "./console-settings.ts";
import { credentials, probe, providerLimits } from "./credentials-schema.ts";
import { limitsSchema } from "./limits.ts";
import { modelCapabilities } from "./model-capabilities.ts";
import { costEntry, priceEntry, pricesSchema } from "./price-schema.ts";
import { routingFields, timeoutFields } from "./route-schema.ts";

const closed = { additionalProperties: false } as const;
const name = (description: string) => Type.String({ minLength: 1, description });

const voices = Type.Record(Type.String(), name("The provider's name for the voice."), {
  description: "Voices, keyed by the name that clients use, in addition to the standard voices of `/v1/audio/speech`.",
});

const provider = Type.Object(
  {
    kind: name("Provider type. `compatible` is any OpenAI-compatible server."),
    base_url: Type.Optional(name("Base URL, in the form that the provider's SDK uses. Required for `compatible`.")),
    credential: Type.Optional(
      Type.String({ description: "The provider's API key. Write `${VARIABLE}`, not the key itself." }),
    ),
    ...{ credentials: Type.Optional(credentials), probe: Type.Optional(probe) },
    limits: providerLimits("this provider, over all of its credentials"),
    api_version: Type.Optional(
      name("`azure`: API version. With a date, deployment URLs are used; if omitted, the v1 API."),
    ),
    project: Type.Optional(name("`vertex`: project ID, if the service account has none.")),
    location: Type.Optional(name("`vertex`: location of the models. Default `global`.")),
    service_account: Type.Optional(name("`vertex`: service account key, as a file path or JSON.")),
    region: Type.Optional(name("`bedrock`, `azure-speech`: region.")),
    access_key_id: Type.Optional(
      name(
        "`bedrock`, `kling`, `jimeng`: access key ID, instead of `credential`. Write `${VARIABLE}`. Kling's newer models (`kling-3.0`, `kling-2.6`, `kling-o1`, `kling-v3-omni`) require an API key as `credential`.",
      ),
    ),
    secret_access_key: Type.Optional(name("`bedrock`, `kling`, `jimeng`: secret access key. Write `${VARIABLE}`.")),
    session_token: Type.Optional(name("`bedrock`, `jimeng`: session token of a temporary key. Write `${VARIABLE}`.")),
    models: Type.Optional(
      Type.Array(name("Model ID."), {
        description: "Model IDs. If omitted, they are read from the provider.",
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Headers to send with every request to this provider.",
      }),
    ),
    disabled: Type.Optional(Type.Boolean({ description: "Send it no requests. Default false." })),
    trace_context: Type.Optional(
      Type.Boolean({ description: "Send it `traceparent` and `tracestate`. Default false." }),
    ),
    tags: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Tags that `required_tags` of keys and projects are compared with, such as `region: eu`.",
      }),
    ),
    voices: Type.Optional(voices),
    model_capabilities: Type.Optional(modelCapabilities),
    splits_thinking: Type.Optional(
      Type.Boolean({
        description:
          "Extract a `<think>` block at the start of the text as reasoning. The default depends on the kind.",
      }),
    ),
    replays_thinking: Type.Optional(
      Type.Boolean({ description: "Send reasoning back with tool calls. The default depends on the kind." }),
    ),
    ca_file: Type.Optional(
      name("PEM file of authorities that check the provider's certificate, in place of the usual ones."),
    ),
    client_certificate_file: Type.Optional(name("PEM file of the certificate that the gateway shows to the provider.")),
    client_key_file: Type.Optional(name("PEM file of the private key of that certificate, not encrypted.")),
    proxy: Type.Optional(name("URL of an HTTP proxy. Proxy variables of the environment are ignored.")),
    ...timeoutFields,
  },
  closed,
);

const route = Type.Object(
  {
    voices: Type.Optional(voices),
    ...routingFields,
    moderate: Type.Optional(
      Type.Enum(["chat", "llama-guard"], {
        description:
          "Use these chat models for moderation: `chat` prompts any model with the categories; `llama-guard` parses Llama Guard's output.",
      }),
    ),
  },
  closed,
);

const key = Type.Object(
  {
    secret: Type.String({
      minLength: 8,
      description:
        "The secret key. Write `${VARIABLE}`, not the key itself, or `sha256:` and the hash of the key in hex.",
    }),
    project: Type.Optional(name("A project of this file. Default `default`.")),
    expires_at: Type.Optional(
      Type.String({ minLength: 10, description: "When the key expires, such as `2027-01-31T00:00:00Z`." }),
    ),
    ...ruleFields,
  },
  closed,
);

const responses = Type.Object(
  {
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3650,
        description:
          "Days for which a response is stored. Default 30. With 0 nothing is stored and responses have `store: false`.",
      }),
    ),
  },
  closed,
);

const bodies = Type.Object(
  {
    store: Type.Optional(bodyFields.store),
    sample_percent: bodyFields.sample_percent,
    max_kib: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_536, description: "Of each body its beginning is stored. Default 256." }),
    ),
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3650,
        description:
          "Days for which bodies are stored. Default 7. With 0 none is stored, and earlier ones are deleted.",
      }),
    ),
    max_total_mib: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: "Size of all stored bodies, compressed. When exceeded, the oldest are deleted. Default 1024.",
      }),
    ),
    redact_fields: Type.Optional(
      Type.Array(name("Name of a JSON member."), {
        maxItems: 200,
        description: "JSON members whose values are removed, in addition to those that hold secrets.",
      }),
    ),
    redact_patterns: Type.Optional(
      Type.Array(name("A regular expression."), { maxItems: 100, description: "Texts that are removed." }),
    ),
  },
  closed,
);

const fetching = Type.Object(
  {
    allow: Type.Optional(
      Type.Array(name("A host, an address or a range."), {
        description:
          "Private addresses and non-standard ports from which media may be fetched: `host`, `address` or `range/prefix` for ports 80 and 443, or with `:port` for that port (`[::1]:9000` for IPv6). Metadata services and link-local addresses are always blocked.",
      }),
    ),
  },
  closed,
);

const bucket = Type.Object(
  {
    name: name("Name of the bucket."),
    endpoint: name("URL of the S3-compatible server."),
    region: Type.Optional(name("Default `us-east-1`.")),
    access_key_id: name("Write `${VARIABLE}`."),
    secret_access_key: name("Write `${VARIABLE}`."),
    prefix: Type.Optional(name("Prefix of every object name, such as `videos/`.")),
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
          "Where to copy completed videos that the provider would delete: `folder`, `bucket`, or `proxy` for no copy. Default: `bucket` if one is set, else `folder`, or `proxy` with `DATABASE_URL`.",
      }),
    ),
    folder: Type.Optional(
      name("The folder. Default `videos` in the data folder. Instances that share a database must share the folder."),
    ),
    max_video_mib: mebibytes("Larger videos are not stored. Default 512."),
    max_total_mib: mebibytes("When exceeded, the oldest are deleted. Default 10240."),
    min_free_mib: mebibytes("Space that a copy must leave free on the folder's disk. Default 2048."),
    max_age_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: "Days for which a video is stored, at most as long as its task. Default 7.",
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
          "Days for which a video task can be retrieved. Default 30. The video itself is available as long as the provider or `videos.results` stores it.",
      }),
    ),
    link_hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 168,
        description: "Hours for which a link to a video works without a key. Default 24.",
      }),
    ),
    results: Type.Optional(results),
  },
  closed,
);

export const configSchema = Type.Object(
  {
    providers: Type.Optional(
      Type.Record(Type.String(), provider, { description: "Providers, keyed by a name you choose." }),
    ),
    models: Type.Optional(
      Type.Record(Type.String(), route, { description: "Model aliases and the providers that serve them." }),
    ),
    keys: Type.Optional(Type.Record(Type.String(), key, { description: "Client keys, keyed by name." })),
    projects: Type.Optional(
      Type.Record(Type.String(), projectSchema, {
        description: "Projects, keyed by name. `default` is the project of keys that name none.",
      }),
    ),
    organizations: Type.Optional(
      Type.Object(
        { default: Type.Optional(rulesSchema) },
        {
          ...closed,
          description: "Rules over all projects and keys together: the organization `default` has all of them.",
        },
      ),
    ),
    responses: Type.Optional(responses),
    bodies: Type.Optional(bodies),
    console: Type.Optional(consoleSettings),
    videos: Type.Optional(videos),
    prices: Type.Optional(pricesSchema),
    fetch: Type.Optional(fetching),
    limits: Type.Optional(limitsSchema),
    alerts: Type.Optional(alertsSchema),
    log_level: Type.Optional(
      Type.Enum(["debug", "info", "warn", "error"], { description: "Least level of the log's lines. Default `info`." }),
    ),
    time_zone: Type.Optional(
      name(
        "IANA time zone in which the days, weeks and months of budgets begin, such as `Europe/Berlin`. Default `UTC`.",
      ),
    ),
    public_url: Type.Optional(
      name("The gateway's address as clients reach it, used in links. If omitted, it is read from each request."),
    ),
  },
  closed,
);

/** The schemas of entries, wherever they are written. */
export const entrySchemas = { provider, route, cost: costEntry, price: priceEntry };

export type ConfigFile = Static<typeof configSchema>;
export type ProviderConfig = Static<typeof provider>;
export type RouteConfig = Static<typeof route>;
