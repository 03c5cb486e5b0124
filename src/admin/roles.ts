// The scopes of service tokens, and the roles of users, which are sets of them.

/** The scopes of service tokens, and what each allows. */
export const scopes = {
  "metrics:read": "Read metrics.",
  "keys:read": "Read keys and projects.",
  "keys:write": "Create, change, rotate and revoke keys; create, change and delete projects.",
  "usage:read": "Read aggregated usage.",
  "requests:read": "Read requests.",
  "requests:write": "Cancel requests that are in progress.",
  "bodies:read": "Read stored bodies of requests, and videos of tasks.",
  "costs:read": "With `usage:read` or `requests:read`: what providers charge, and the attempts at them.",
  "tasks:read": "Read video tasks.",
  "tasks:write": "Cancel video tasks.",
  "settings:read": "Read settings.",
  "catalog:read": "Read providers, models, routes and prices.",
  "providers:write": "Create, change, delete and test providers.",
  "routes:write": "Create, change and delete routes.",
  "prices:write": "Create, change and delete prices.",
  "audit:read": "Read and verify the audit log.",
} as const;

export type Scope = keyof typeof scopes;
/** The operator has the admin key, or is an owner. Every other role is a scope. */
export type Role = "operator" | Scope;

export const scopeNames = Object.keys(scopes) as readonly Scope[];
export const roles: readonly Role[] = ["operator", ...scopeNames];

const readers = ["keys:read", "usage:read", "requests:read", "tasks:read", "catalog:read", "settings:read"] as const;

/** The roles of users, and what each allows. */
export const userRoles = {
  owner: { summary: "Everything, as with the admin key.", roles: ["operator"] },
  admin: { summary: "Every scope; not users, sessions, service tokens and repricing.", roles: scopeNames },
  developer: {
    summary: "Read all but prices of providers and the audit log; change keys, cancel requests and tasks, read bodies.",
    roles: [...readers, "keys:write", "requests:write", "tasks:write", "bodies:read"],
  },
  billing: {
    summary: "Read all but bodies, costs included; change prices.",
    roles: [...readers, "costs:read", "prices:write", "audit:read"],
  },
  viewer: { summary: "Read all but bodies, costs and the audit log.", roles: readers },
} as const satisfies Readonly<Record<string, { readonly summary: string; readonly roles: readonly Role[] }>>;

export type UserRole = keyof typeof userRoles;
export const userRoleNames = Object.keys(userRoles) as readonly UserRole[];

/** What a stored role of a user allows; one that does not exist allows nothing. */
export const rolesOfUser = (role: string): readonly Role[] => (isUserRole(role) ? userRoles[role].roles : []);

const isUserRole = (name: string): name is UserRole => Object.hasOwn(userRoles, name);
