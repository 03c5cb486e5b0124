// The shape of several credentials of one provider in turnpike.yaml.
import { Type } from "typebox";

const closed = { additionalProperties: false } as const;
const name = (description: string) => Type.String({ minLength: 1, description });
const secret = (description: string) => Type.Optional(name(description));

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
