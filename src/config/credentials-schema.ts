// Parts of a provider in turnpike.yaml: its limits, several credentials, and its probes.
import { Type } from "typebox";

const closed = { additionalProperties: false } as const;
const name = (description: string) => Type.String({ minLength: 1, description });
const limit = (description: string) => Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description });
const secret = (description: string) => Type.Optional(name(description));

/** Limits of the operator's own on a provider, or on one credential. */
export const providerLimits = (of: string) =>
  Type.Optional(
    Type.Object(
      {
        requests_per_minute: Type.Optional(limit("Attempts at it.")),
        tokens_per_minute: Type.Optional(limit("Tokens of input that is not cached, of cache writes and of output.")),
        concurrent_requests: Type.Optional(limit("Requests in progress at one time.")),
        cost_per_day: Type.Optional(
          Type.String({
            pattern: "^\\d{1,9}(?:\\.\\d{1,9})?$",
            description:
              "US dollars that it may charge for a day of `time_zone`, as a decimal string, such as `25.50`.",
          }),
        ),
      },
      {
        ...closed,
        description: `Your own limits on ${of}. While one is reached, requests are not sent there, also as a fallback. If no other candidate is left, they wait in the queue of their route or get a 503.`,
      },
    ),
  );

export const credentials = Type.Array(
  Type.Object(
    {
      name: name("A name that no other credential of the provider has."),
      credential: secret("API key. Write `${VARIABLE}`, not the key itself."),
      service_account: secret("`vertex`: service account key, as a file path or JSON."),
      access_key_id: secret("Access key ID. Write `${VARIABLE}`."),
      secret_access_key: secret("Secret access key. Write `${VARIABLE}`."),
      session_token: secret("Session token of a temporary key. Write `${VARIABLE}`."),
      weight: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1_000_000, description: "Its share of the requests. Default 1." }),
      ),
      limits: providerLimits("this credential"),
    },
    closed,
  ),
  {
    minItems: 1,
    maxItems: 20,
    description:
      "Several credentials, instead of `credential`. Requests are spread over them by weight; one that is rate limited or refused is used last. Video tasks use the first.",
  },
);

/** `providers.<name>.probe`. */
export const probe = Type.Object(
  {
    interval_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 86_400, description: "Time between two probes. Default 30." }),
    ),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "Model that is asked for one token, through the gateway and at its usual cost. If omitted, the model list is requested, which costs nothing.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "Calls the provider while no request shows whether it works, so that a failure or a recovery is found earlier.",
  },
);
