// The section `console` of turnpike.yaml: how long sessions last, and the OpenID provider at which people sign in.
import { type Static, Type } from "typebox";
import { userRoleNames } from "../admin/roles.ts";

const text = (description: string) => Type.String({ minLength: 1, maxLength: 500, description });

const oidc = Type.Object(
  {
    issuer: text("URL of the provider; `/.well-known/openid-configuration` follows it. HTTPS, except on this machine."),
    client_id: text("ID of this gateway at the provider."),
    client_secret: Type.Optional(text("Its secret; without it, a public client. Write `${VARIABLE}`.")),
    name: Type.Optional(text("Name of the provider on the sign-in page. Default `single sign-on`.")),
    scopes: Type.Optional(text("Scopes to ask for, with spaces between them. Default `openid email profile`.")),
    groups_claim: Type.Optional(
      text("Claim with the groups of a user, or the path to it, such as `realm_access.roles`. Default `groups`."),
    ),
    roles: Type.Record(Type.String(), Type.Enum([...userRoleNames]), {
      minProperties: 1,
      description: "Role by group. Of several the highest counts; without one, a user is refused.",
    }),
    email_domains: Type.Optional(
      Type.Array(text("Domain."), { description: "Domains of emails that may sign in. If omitted, all may." }),
    ),
    redirect_url: Type.Optional(
      text("Redirect URL that the provider has for this gateway. Default `/admin/api/oidc-callback` at `public_url`."),
    ),
  },
  {
    additionalProperties: false,
    description: "OpenID Connect for the console. See [deployment.md](deployment.md#signing-in-with-openid-connect).",
  },
);

export const consoleSettings = Type.Object(
  {
    session_hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 8760, description: "Hours after which a session ends. Default 24." }),
    ),
    session_idle_minutes: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 525_600,
        description: "Minutes without a request after which a session ends. Default 120.",
      }),
    ),
    oidc: Type.Optional(oidc),
  },
  { additionalProperties: false },
);

export const defaultSessionHours = 24;
export const defaultIdleMinutes = 120;

/** How long sessions last, in milliseconds. */
export function sessionTimes(given: Static<typeof consoleSettings> = {}) {
  const { session_hours: hours = defaultSessionHours, session_idle_minutes: minutes = defaultIdleMinutes } = given;
  return { absoluteMs: hours * 3_600_000, idleMs: minutes * 60_000 };
}
