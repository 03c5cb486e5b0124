// The shape of turnpike.yaml.
import { type Static, Type } from "typebox";

const closed = { additionalProperties: false } as const;
const name = (description: string) => Type.String({ minLength: 1, description });

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
    region: Type.Optional(name("`bedrock`: the region that is asked.")),
    access_key_id: Type.Optional(name("`bedrock`: the key that signs, in place of `credential`. Write `${VARIABLE}`.")),
    secret_access_key: Type.Optional(name("`bedrock`: the secret of that key. Write `${VARIABLE}`.")),
    session_token: Type.Optional(name("`bedrock`: the token of a temporary key. Write `${VARIABLE}`.")),
    models: Type.Optional(
      Type.Array(name("A model name."), {
        description: "What it has. Left out: the provider's own list is asked for.",
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Sent with every request to this provider." }),
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
  { candidates: Type.Array(candidate, { minItems: 1, description: "Tried in this order." }) },
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
  },
  closed,
);

export type ConfigFile = Static<typeof configSchema>;
export type ProviderConfig = Static<typeof provider>;
