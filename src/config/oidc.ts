// The OpenID provider of `console.oidc`, checked.
import { isProviderUrl, type OidcSettings } from "../admin/oidc-client.ts";
import { Secret } from "../lib/secret.ts";
import type { ReadConfig } from "./file.ts";

/** Null without a provider. Adds what is wrong to the faults of the file. */
export function oidcSettings({ config, faults, fault }: ReadConfig): OidcSettings | null {
  const given = config.console?.oidc;
  if (given === undefined) return null;
  const path = (name: string) => ["console", "oidc", name];
  const { issuer, redirect_url: redirectUrl = null, scopes = "openid email profile" } = given;
  if (!isProviderUrl(issuer))
    faults.add(fault(path("issuer"), "must be a URL with https, or with http on this machine"));
  if (redirectUrl !== null && !/\/admin\/api\/oidc-callback$/.test(URL.parse(redirectUrl)?.pathname ?? ""))
    faults.add(fault(path("redirect_url"), "must be a URL that ends with /admin/api/oidc-callback"));
  if (!scopes.split(" ").includes("openid")) faults.add(fault(path("scopes"), "must contain 'openid'"));
  return {
    ...{ issuer, redirectUrl, scopes, clientId: given.client_id, name: given.name ?? "single sign-on" },
    clientSecret: given.client_secret === undefined ? null : new Secret(given.client_secret),
    groupsClaim: given.groups_claim ?? "groups",
    roles: new Map(Object.entries(given.roles)),
    emailDomains: (given.email_domains ?? []).map((domain) => domain.toLowerCase()),
  };
}
