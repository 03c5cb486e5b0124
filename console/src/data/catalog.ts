// Objects of the catalog as the pages of providers and models use them, and the queries for them.
import { useQuery } from "@tanstack/react-query";
import { call, listAll, queryOf } from "./api.ts";
import type { Provider, Route } from "./served.ts";

export type LiveProvider = Provider;
export type CatalogEntry = Provider | Route;
export type CredentialState = Provider["health"][number];
export type StateName = CredentialState["state"];
export type LimitUse = Provider["limit_use"][number];
/** What was measured of a credential, or of one model at it. */
export type Measured = Omit<CredentialState["models"][number], "model">;

export interface PricePair {
  readonly input: string | null;
  readonly output: string | null;
}

export interface Placed extends Measured {
  readonly provider: string;
  readonly model: string;
  readonly credential: string | null;
  readonly code: string;
  readonly reason: string;
  readonly tier: number;
  readonly weight: number;
  readonly share: number | null;
  readonly after: string | null;
  readonly supports: Readonly<Record<string, boolean | number>>;
  readonly cost_per_million: PricePair;
  readonly price_per_million: PricePair;
}

export interface Explanation {
  readonly model: string;
  readonly found: string | null;
  readonly route: { readonly name: string; readonly strategy: string; readonly aliases: readonly string[] } | null;
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly max_attempts: number;
  readonly candidates: readonly Placed[];
  readonly skipped: readonly {
    readonly provider: string;
    readonly model: string | null;
    readonly credential: string | null;
    readonly code: string;
    readonly reason: string;
  }[];
}

/** The state of providers changes by itself. */
const stateEveryMs = 5_000;

export const useLiveProviders = () =>
  useQuery({
    queryKey: ["providers"],
    queryFn: () => listAll<LiveProvider>("providers"),
    refetchInterval: stateEveryMs,
  });

export const useRoutes = () => useQuery({ queryKey: ["routes"], queryFn: () => listAll<CatalogEntry>("routes") });

export const useExplanation = (body: Readonly<Record<string, unknown>>) =>
  useQuery({
    queryKey: ["explain", body],
    queryFn: () => call<Explanation>("routes/explain", { body }),
    placeholderData: (before) => before,
  });

export interface Series {
  readonly group: string | null;
  readonly start: string;
  readonly step_seconds: number;
  readonly values: Readonly<Record<string, readonly (number | string | null)[]>>;
  readonly total: Readonly<Record<string, number | string | null>>;
}

export const useSeries = (filters: Readonly<Record<string, string | undefined>>) =>
  useQuery({
    queryKey: ["series", filters],
    queryFn: async () =>
      (await call<{ readonly data: readonly Series[] }>(`series${queryOf(filters)}`)).data[0] ?? null,
  });

export type Config = Readonly<Record<string, unknown>>;

/** The fields of a configuration that no field of a form has, as text. */
export function otherFields(config: Config, shown: readonly string[]): string {
  const rest = Object.entries(config).filter(([name]) => !shown.includes(name));
  return rest.length === 0 ? "" : JSON.stringify(Object.fromEntries(rest), null, 2);
}

/** Reads such a text. Throws for one that is not an object. */
export function readFields(text: string, problem: string): Config {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(problem);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(problem);
  return value as Config;
}

/** Names with commas between them. */
export const namesIn = (text: string): string[] =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** Drops what is empty. */
export const filled = (fields: Config): Config =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== "" && value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );

const byTrouble: readonly StateName[] = ["breaker_open", "set_aside", "rate_limited", "half_open"];

/** The worst state of a provider, and the error that it is from. */
export function worstOf({ health }: LiveProvider): Measured | null {
  const all = health.flatMap((each): Measured[] => [each, ...each.models]);
  const trouble = byTrouble.flatMap((state) => all.filter((each) => each.state === state))[0];
  return trouble ?? health[0] ?? null;
}

/** The newest error of a provider. */
export function lastErrorOf({ health }: LiveProvider): Measured["last_error"] {
  const all = health.flatMap((each) => [each, ...each.models]).flatMap(({ last_error: error }) => error ?? []);
  return [...all].sort((one, other) => (one.at < other.at ? 1 : -1))[0] ?? null;
}

/** Switches a provider off or on. */
export async function setDisabled({ id, config, version }: LiveProvider, isDisabled: boolean): Promise<void> {
  const { disabled: _, ...rest } = config;
  const body = { config: isDisabled ? { ...rest, disabled: true } : rest };
  await call(`providers/${encodeURIComponent(id)}`, { method: "PATCH", body, ifMatch: version });
}
