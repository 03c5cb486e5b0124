// Objects of the admin API as the pages use them.

export type Tokens = Readonly<Record<string, number>>;

export interface Attempt {
  readonly number: number;
  readonly provider: string;
  readonly upstream_model: string;
  readonly credential: string | null;
  readonly outcome: string;
  readonly error_code: string | null;
  readonly status: number | null;
  readonly started_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly possible_tokens: number;
  readonly cost: string | null;
}

export interface RequestRow {
  readonly id: string;
  readonly request_id: string | null;
  readonly created_at: string;
  readonly organization_id: string | null;
  readonly project_id: string | null;
  readonly key_id: string;
  readonly end_user: string | null;
  readonly session: string | null;
  readonly operation: string;
  readonly format: string;
  readonly model: string;
  readonly stream: boolean;
  readonly state: string;
  readonly provider: string | null;
  readonly upstream_model: string | null;
  readonly credential: string | null;
  readonly attempts: number;
  readonly status: number | null;
  readonly error_code: string | null;
  readonly warnings: string | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly tokens: Tokens;
  readonly units: Tokens;
  readonly estimated: boolean;
  readonly charged: boolean;
  readonly price: string | null;
  readonly cost?: string | null;
  readonly price_version: string | null;
  readonly cost_version?: string | null;
  readonly replay_of: string | null;
  readonly attempt_list?: readonly Attempt[] | null;
  readonly decisions?: readonly Decision[] | null;
  readonly timings?: Timings | null;
  readonly terms?: readonly PriceTerm[] | null;
  readonly price_rule?: { readonly factor: string; readonly per_request: string | null } | null;
}

type BeforeAttempts = "authentication" | "body" | "parsing" | "queue" | "access" | "routing" | "limits" | "record";
type FromAttempts = "attempts" | "wait" | "stream" | "settlement";

/** Microseconds of each part, which follow each other; null for one that was not reached. */
export type Timings = { readonly [part in `${BeforeAttempts | FromAttempts}_us`]: number | null };

interface Rate {
  readonly amount: string | null;
  readonly per: number;
}

/** One amount of a request, with its cost and its price. */
export interface PriceTerm {
  readonly of: string;
  readonly size: string | null;
  readonly quality: string | null;
  readonly amount: number;
  readonly cost_rate: Rate | null;
  readonly cost: string | null;
  readonly price_rate: Rate | null;
  readonly price: string | null;
}

/** Why a candidate was chosen first, or passed over. */
export interface Decision {
  readonly provider: string;
  readonly upstream_model: string;
  readonly code: string;
  readonly reason: string | null;
  readonly field: string | null;
}

export interface Budget {
  readonly amount: string;
  readonly period: "day" | "week" | "month" | "total";
}

export interface Rules {
  readonly allowed_models?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  readonly budgets?: readonly Budget[];
  readonly [rule: string]: unknown;
}

export interface Key {
  readonly id: string;
  readonly source: "api" | "file";
  readonly file_line: number | null;
  readonly name: string;
  readonly project_id: string;
  readonly state: "active" | "disabled" | "expired" | "revoked";
  readonly preview: string;
  readonly rules: Rules;
  readonly created_at: string | null;
  readonly expires_at: string | null;
  readonly previous_until: string | null;
  readonly version: number | null;
}

export interface UsageRow {
  readonly start: string | null;
  readonly project_id: string | null;
  readonly key_id: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly requests: number;
  readonly errors: number;
  readonly in_progress: number;
  readonly tokens: Tokens;
  readonly price: string | null;
  readonly cost?: string | null;
  readonly unpriced: number;
}

/** One group of a chart, or one row of a table, over a time range. Amounts of money are decimal strings. */
export interface SeriesRow {
  readonly group: string | null;
  readonly other: boolean;
  readonly start: string;
  readonly step_seconds: number;
  readonly values: Readonly<Record<string, readonly (number | string | null)[]>>;
  readonly total: Readonly<Record<string, number | string | null>>;
}

export interface BudgetRow {
  readonly level: "organization" | "project" | "key";
  readonly id: string;
  readonly name: string;
  readonly period: Budget["period"];
  readonly amount: string;
  readonly spent: string;
  readonly reserved: string;
  readonly share: number;
  readonly window_end: string | null;
  readonly spent_at: string | null;
}

export interface AttentionItem {
  readonly id: string;
  readonly kind: string;
  readonly severity: "failing" | "warning";
  readonly resource: string;
  readonly object_id: string | null;
  readonly name: string;
  readonly since: string | null;
  readonly message: string;
}

export interface Entry {
  readonly id: string;
  readonly source: "api" | "file" | "environment" | "built_in" | "discovered";
  readonly config: Readonly<Record<string, unknown>>;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly version: number | null;
}

export interface Provider extends Entry {
  readonly credentials: readonly { readonly name: string; readonly created_at: string }[];
  readonly header_names: readonly string[];
}

export interface Model {
  readonly id: string;
  readonly kind: "route" | "listed";
  readonly candidates: readonly { readonly provider: string; readonly model: string }[];
  readonly display_name: string | null;
}

export interface Project {
  readonly id: string;
  readonly source: "api" | "file";
  readonly file_line: number | null;
  readonly name: string;
  readonly organization_id: string;
  readonly rules: Rules;
  readonly version: number | null;
}

export interface Setting {
  readonly id: string;
  readonly value: string | number | boolean | null;
  readonly source: "default" | "file" | "environment";
  readonly variable: string | null;
  readonly file: string | null;
  readonly file_line: number | null;
}

export interface Client {
  readonly id: string;
  readonly title: string;
  readonly note: string | null;
  readonly blocks: readonly { readonly file: string | null; readonly text: string; readonly text_with_key: string }[];
}

export interface ServiceToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly preview: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

export const userRoles = ["owner", "admin", "developer", "billing", "viewer"] as const;

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: (typeof userRoles)[number];
  readonly status: "invited" | "active" | "disabled";
  readonly sign_in: "password" | "oidc";
  readonly last_sign_in_at: string | null;
  readonly invite_expires_at: string | null;
  readonly version: number;
}

export interface OpenSession {
  readonly id: string;
  readonly actor: { readonly kind: string; readonly name: string };
  readonly address: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly revoked_at: string | null;
}

export interface AuditEntry {
  readonly id: string;
  readonly created_at: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly action: string;
  readonly resource: string;
  readonly object_id: string | null;
  readonly request_id: string | null;
  readonly change: Readonly<Record<string, unknown>>;
}

export interface Task {
  readonly id: string;
  readonly operation: string;
  readonly key_id: string;
  readonly model: string;
  readonly provider: string;
  readonly upstream_model: string;
  readonly state: string;
  readonly progress: number;
  readonly results: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly exchange_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at: string;
  readonly upstream_id: string | null;
  /** Absent in lists. */
  readonly polls?: readonly Poll[];
}

/** One question to the provider of a task. */
export interface Poll {
  readonly number: number;
  readonly at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly message: string | null;
  readonly state: string;
  readonly progress: number;
  readonly wait_ms: number | null;
}

export interface PriceRow {
  readonly book: "cost" | "price";
  readonly model: string;
  readonly provider?: string;
  readonly tier?: string;
  readonly of: string;
  readonly per: number;
  readonly usd: string | null;
  readonly factor: string | null;
  readonly source?: string;
}

export interface PriceList {
  readonly cost_version: string;
  readonly price_version: string;
  readonly rows: readonly PriceRow[];
}
