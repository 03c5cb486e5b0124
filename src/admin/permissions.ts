// Permissions of the admin API: role × resource × verb × field, written by hand. Anything not listed is denied.
import { GatewayError } from "../canonical/error.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Role } from "./roles.ts";

/** The caller, with all of its roles. */
export interface Principal {
  readonly kind: "admin_key" | "service_token" | "user" | "command_line";
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** Of users. */
  readonly signIn?: SignIn;
}

/** How a user signs in: here, or at the OpenID provider. */
export type SignIn = "password" | "oidc";

interface Permissions {
  /** The roles that may use each verb. */
  readonly verbs: Readonly<Record<string, readonly Role[]>>;
  /** Members that all of these roles may read. */
  readonly fields: string;
  /** Members that only some roles may read. */
  readonly restrictedFields?: { readonly to: readonly Role[]; readonly fields: string };
  /** Members of bodies that these roles may set. */
  readonly writable?: { readonly to: readonly Role[]; readonly fields: string };
}

const operator = ["operator"] as const;
const costReaders = ["operator", "costs:read"] as const;
const keyReaders = ["operator", "keys:read", "keys:write"] as const;
const keyWriters = ["operator", "keys:write"] as const;
const catalogReaders = ["operator", "catalog:read"] as const;
const providerWriters = ["operator", "providers:write"] as const;
const routeWriters = ["operator", "routes:write"] as const;
const priceWriters = ["operator", "prices:write"] as const;
const entryFields = "object id source file_line config created_at updated_at version";

export const permissions: Readonly<Record<string, Permissions>> = {
  "service-tokens": {
    verbs: { list: operator, get: operator, create: operator, update: operator, revoke: operator },
    fields: "object id name scopes preview created_at expires_at revoked_at last_used_at version secret",
    writable: { to: operator, fields: "name scopes expires_at" },
  },
  sessions: {
    verbs: { list: operator, get: operator, revoke: operator },
    fields: "object id actor address user_agent created_at last_seen_at expires_at revoked_at",
  },
  users: {
    verbs: {
      list: operator,
      get: operator,
      create: operator,
      update: operator,
      delete: operator,
      invite: operator,
      "revoke-invite": operator,
    },
    fields: `object id email name role status sign_in created_at last_sign_in_at disabled_at invite_expires_at version
      invite_url`,
    writable: { to: operator, fields: "email name role disabled expires_in_days" },
  },
  audit: {
    verbs: {
      list: ["operator", "audit:read"],
      get: ["operator", "audit:read"],
      verify: ["operator", "audit:read"],
    },
    fields:
      "object id created_at actor action resource object_id request_id change previous_hash hash valid entries broken_at",
  },
  keys: {
    verbs: {
      list: keyReaders,
      get: keyReaders,
      create: keyWriters,
      batch: keyWriters,
      update: keyWriters,
      rotate: keyWriters,
      revoke: keyWriters,
    },
    fields: `object id source file_line name project_id state preview rules metadata created_at expires_at disabled_at revoked_at work_ended_at
      previous_until version secret data`,
    writable: {
      to: keyWriters,
      fields: "name project_id secret expires_at rules metadata disabled keys grace_seconds now",
    },
  },
  budgets: {
    verbs: { list: keyReaders },
    fields: "object level id name period amount spent reserved share window_start window_end spent_at",
  },
  attention: {
    verbs: { list: ["operator", "usage:read", "keys:read", "catalog:read"] },
    fields: "object id kind severity resource object_id name since message figures",
  },
  projects: {
    verbs: { list: keyReaders, get: keyReaders, create: keyWriters, update: keyWriters, delete: keyWriters },
    fields: "object id source file_line name organization_id rules created_at version",
    writable: { to: keyWriters, fields: "name rules" },
  },
  "end-users": {
    verbs: { export: operator, erase: operator },
    fields: "object reference data has_more marker responses videos",
    writable: { to: operator, fields: "end_user project_id" },
  },
  usage: {
    verbs: { list: ["operator", "usage:read"] },
    fields: `object start organization_id project_id key_id end_user model provider operation
      requests errors in_progress tokens units price unpriced`,
    restrictedFields: { to: costReaders, fields: "cost possible_tokens" },
  },
  series: {
    verbs: { list: ["operator", "usage:read"] },
    fields: "object group other start step_seconds values total",
  },
  facets: {
    verbs: { list: ["operator", "usage:read", "requests:read"] },
    fields: "object value requests",
  },
  requests: {
    verbs: {
      list: ["operator", "requests:read"],
      get: ["operator", "requests:read"],
      bodies: ["operator", "bodies:read"],
      cancel: ["operator", "requests:write"],
    },
    fields: `object id bodies canceled request_id created_at organization_id project_id key_id end_user session operation format model
      stream state provider upstream_model credential attempts status error_code warnings first_byte_ms duration_ms
      tokens units estimated charged price price_version replay_of timings`,
    restrictedFields: {
      to: costReaders,
      fields: "cost cost_version attempt_list decisions adjustments terms price_rule",
    },
  },
  tasks: {
    verbs: {
      list: ["operator", "tasks:read", "tasks:write"],
      get: ["operator", "tasks:read", "tasks:write"],
      cancel: ["operator", "tasks:write"],
      content: ["operator", "bodies:read"],
    },
    fields: `object id operation key_id model provider upstream_model upstream_id state progress results error
      exchange_id created_at updated_at expires_at polls`,
  },
  clients: {
    verbs: { list: [...keyReaders, "settings:read"] },
    fields: "object id title note blocks",
  },
  settings: {
    verbs: { list: ["operator", "settings:read"], get: ["operator", "settings:read"] },
    fields: "object id value source variable file file_line",
  },
  providers: {
    verbs: {
      list: ["operator", "catalog:read", "providers:write"],
      get: ["operator", "catalog:read", "providers:write"],
      create: providerWriters,
      update: providerWriters,
      delete: providerWriters,
      test: providerWriters,
    },
    fields: `${entryFields} credentials header_names health limit_use ok models duration_ms error`,
    writable: { to: providerWriters, fields: "id config credentials headers credential" },
  },
  models: {
    verbs: { list: catalogReaders, get: catalogReaders },
    fields: "object id kind candidates display_name",
  },
  routes: {
    verbs: {
      list: ["operator", "catalog:read", "routes:write"],
      get: ["operator", "catalog:read", "routes:write"],
      create: routeWriters,
      update: routeWriters,
      delete: routeWriters,
      explain: ["operator", "catalog:read", "routes:write"],
    },
    fields: `${entryFields} model operation key_id found route refusal max_attempts candidates skipped`,
    writable: {
      to: ["operator", "catalog:read", "routes:write"],
      fields: "id config model operation key_id stream images tools json_schema input_tokens output_tokens",
    },
  },
  prices: {
    verbs: {
      list: ["operator", "catalog:read", "prices:write"],
      get: ["operator", "catalog:read", "prices:write"],
      effective: ["operator", "catalog:read", "prices:write"],
      preview: operator,
      reprice: operator,
      create: priceWriters,
      update: priceWriters,
      delete: priceWriters,
    },
    fields: `${entryFields} book cost_version price_version rows repricing total groups`,
    writable: { to: priceWriters, fields: "book config since until model key_id" },
  },
};

const denied = (message: string, param: string | null = null): GatewayError =>
  new GatewayError("permission_denied", message, { param });

const has = (principal: Principal, allowed: readonly Role[]): boolean =>
  principal.roles.some((role) => allowed.includes(role));

/** Whether the caller may use this verb. */
export const mayUse = (principal: Principal, resource: string, verb: string): boolean =>
  has(principal, permissions[resource]?.verbs[verb] ?? []);

/** Throws status 403 if the caller may not use this verb, or if the matrix does not have it. */
export function requireVerb(principal: Principal, resource: string, verb: string): void {
  if (!mayUse(principal, resource, verb)) throw denied(`This credential may not ${verb} ${resource}.`);
}

/** Throws status 403 if the caller does not have this role. */
export function requireRole(principal: Principal, role: Role): void {
  if (!has(principal, ["operator", role])) throw denied(`This credential does not have the scope ${role}.`);
}

/** The verbs that the caller may use, by resource. */
export function allowedVerbs(principal: Principal): Readonly<Record<string, readonly string[]>> {
  const rows = Object.entries(permissions).map(([name, { verbs }]) => {
    const allowed = Object.entries(verbs).filter(([, roles]) => has(principal, roles));
    return [name, allowed.map(([verb]) => verb)] as const;
  });
  return Object.fromEntries(rows.filter(([, verbs]) => verbs.length > 0));
}

const words = (text: string | undefined): readonly string[] => text?.split(/\s+/) ?? [];

/** Throws status 403 for a member that this caller may not set. */
export function requireWritable(principal: Principal, resource: string, body: JsonObject): void {
  const { to = [], fields } = permissions[resource]?.writable ?? {};
  const allowed = has(principal, to) ? words(fields) : [];
  const refused = Object.keys(body).find((name) => !allowed.includes(name));
  if (refused !== undefined) throw denied(`This credential may not set '${refused}'.`, refused);
}

/** Members of an object that only some of its readers see. */
export const restrictedFields = (resource: string): readonly string[] =>
  words(permissions[resource]?.restrictedFields?.fields);

/** The members that the caller may read. */
export function visible(principal: Principal, resource: string, object: JsonObject): JsonObject {
  const { fields, restrictedFields: restricted } = permissions[resource] ?? {};
  const more = restricted !== undefined && has(principal, restricted.to) ? words(restricted.fields) : [];
  const shown = new Set([...words(fields), ...more]);
  return Object.fromEntries(Object.entries(object).filter(([name]) => shown.has(name)));
}
