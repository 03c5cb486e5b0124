// The rules of what needs attention: problems that alerts find too, shares of failures, budgets, keys and prices. They
// read roll-ups and what is in memory, never rows of the ledger.
import type { LedgerReader } from "../gateway/ledger/reader.ts";
import type { SeriesGroup } from "../gateway/ledger/series.ts";
import type { HiddenOutage } from "../gateway/routing/upstream-problems.ts";
import type { JsonObject } from "../lib/json.ts";
import { listExpiringKeys } from "../store/key-pages.ts";
import type { Undelivered } from "../telemetry/alerts/delivery.ts";
import { alertTypes, type Problem } from "../telemetry/alerts/problem.ts";
import { dollars, isoTimeOrNull } from "./fields.ts";
import type { AdminContext } from "./resource.ts";
import { type BudgetDependencies, budgetsNow, type NamedBudget } from "./resources/budgets.ts";
import type { WallTime } from "./resources/provider-health.ts";

/** Every kind, with the resource of its object. */
export const kinds = {
  "provider.failing": "providers",
  "credential.rejected": "providers",
  "model.set_aside": "providers",
  "disk.filling": "settings",
  "ledger.not_writable": "settings",
  "alerts.not_delivered": "settings",
  "provider.errors": "providers",
  "route.outage_hidden": "routes",
  "budget.threshold": "keys",
  "key.expiring": "keys",
  "model.not_priced": "models",
  "price.below_cost": "models",
} as const;

/** One thing that needs attention. */
export interface Item {
  readonly id: string;
  readonly kind: keyof typeof kinds;
  readonly severity: "failing" | "warning";
  /** Resource and ID of the object. */
  readonly about: readonly [resource: string, id: string | null];
  readonly name: string;
  readonly sinceMs: number | null;
  readonly message: string;
  readonly figures: JsonObject;
  /** Only for readers of costs. */
  readonly showsCosts?: boolean;
}

export interface AttentionDependencies extends BudgetDependencies {
  readonly problems: () => Promise<readonly Problem[]>;
  readonly hiddenOutages: () => readonly HiddenOutage[];
  readonly undelivered: () => Undelivered | null;
  readonly reader: () => Pick<LedgerReader, "series">;
  readonly wallMs: WallTime["wallMs"];
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const expiryWithinMs = 7 * dayMs;
const warnedShare = 0.8;
const errorShare = 0.05;
const failingShare = 0.5;
/** Values of one dimension that are looked at, and items of one rule. */
const maxValues = 20;

const percentOf = (share: number): string => `${Math.round(share * 1000) / 10} %`;

function ofProblem({ key, kind, message, data, observed }: Problem, { wallMs }: AttentionDependencies): Item {
  const provider = typeof data.provider === "string" ? data.provider : null;
  const resource = provider === null ? "settings" : "providers";
  const share = observed === undefined || observed.attempts === 0 ? null : observed.failures / observed.attempts;
  const text = observed === undefined ? "" : ` First error: ${observed.firstError}`;
  const of = share === null ? "" : ` ${percentOf(share)} of its last attempts failed.`;
  return {
    id: `${kind} ${key}`,
    kind: alertTypes[kind].begins,
    severity: kind === "disk" ? "warning" : "failing",
    about: [resource, provider],
    name: provider ?? kind,
    sinceMs: observed === undefined ? null : Math.round(wallMs(observed.sinceMs)),
    message: `${message}${of}${text}`,
    figures: { ...data, share, first_error: observed?.firstError ?? null },
  };
}

/** Without models whose credential fails as a whole. */
function withoutParts(problems: readonly Problem[]): readonly Problem[] {
  const place = ({ kind, data }: Problem): string => JSON.stringify([kind, data.provider, data.credential]);
  const whole = new Set(problems.filter(({ data }) => data.model === null).map(place));
  return problems.filter((problem) => problem.data.model === null || !whole.has(place(problem)));
}

function ofOutage({ route, provider, model, answeredBy, state }: HiddenOutage, wallMs: WallTime["wallMs"]): Item {
  const { firstError, attempts, failures } = state;
  const share = attempts === 0 ? null : failures / attempts;
  return {
    ...{
      id: `outage ${route}`,
      kind: "route.outage_hidden",
      severity: "warning",
      about: ["routes", route],
      name: route,
    },
    sinceMs: firstError === null ? null : Math.round(wallMs(firstError.atMs)),
    message: `'${provider}/${model}', the first candidate, fails; '${answeredBy}' answers in its place.`,
    figures: { provider, model, answered_by: answeredBy, share, first_error: firstError?.text ?? null },
  };
}

const ofUndelivered = (last: Undelivered | null): Item[] =>
  last === null
    ? []
    : [
        {
          ...{ id: "alerts", kind: "alerts.not_delivered", severity: "failing", about: ["settings", null] },
          ...{ name: "alerts", sinceMs: last.atMs, message: `Alerts are not delivered. ${last.reason}` },
          figures: { reason: last.reason },
        },
      ];

const numbersOf = (group: SeriesGroup, metric: "errors" | "requests" | "unpriced"): number =>
  Number(group.totals[metric] ?? 0);

async function ofErrors({ reader }: AttentionDependencies, nowMs: number): Promise<Item[]> {
  const { groups, startMs, stepMs } = await reader().series({
    ...{ metrics: ["errors", "requests"], groupBy: "provider", top: maxValues },
    ...{ sinceMs: nowMs - hourMs, untilMs: nowMs, nowMs },
  });
  return groups.flatMap((group): Item[] => {
    const [errors, requests] = [numbersOf(group, "errors"), numbersOf(group, "requests")];
    const share = errors / Math.max(1, requests);
    if (!group.value || errors === 0 || share < errorShare) return [];
    const first = group.points.errors?.findIndex((each) => Number(each ?? 0) > 0) ?? 0;
    return [
      {
        ...{
          id: `errors ${group.value}`,
          kind: "provider.errors",
          about: ["providers", group.value],
          name: group.value,
        },
        severity: share >= failingShare ? "failing" : "warning",
        sinceMs: startMs + Math.max(0, first) * stepMs,
        message: `${percentOf(share)} of ${requests} requests failed in the last hour.`,
        figures: { requests, errors, share },
      },
    ];
  });
}

const periodWords = { day: "of the day", week: "of the week", month: "of the month", total: "in total" } as const;

function ofBudget({ status, name, share, spentAtMs }: NamedBudget): Item[] {
  if (share < warnedShare) return [];
  const { level, period, limit, spent } = status;
  const isSpent = spent >= limit;
  const words = isSpent ? "It is spent." : "";
  const ahead =
    spentAtMs === null || isSpent ? "" : ` At this rate it is spent on ${isoTimeOrNull(spentAtMs)?.slice(0, 10)}.`;
  return [
    {
      id: `budget ${level.level} ${level.id} ${period}`,
      kind: "budget.threshold",
      severity: isSpent ? "failing" : "warning",
      about: [level.level === "key" ? "keys" : "projects", level.id],
      name,
      sinceMs: null,
      message: `${percentOf(share)} of $${dollars(limit)} ${periodWords[period]} is used.${isSpent ? ` ${words}` : ahead}`,
      figures: {
        ...{ level: level.level, period, amount: dollars(limit), spent: dollars(spent), share },
        spent_at: isSpent ? null : isoTimeOrNull(spentAtMs),
      },
    },
  ];
}

async function ofKeys({ declaredKeys }: AttentionDependencies, { store, nowMs }: AdminContext): Promise<Item[]> {
  const untilMs = nowMs + expiryWithinMs;
  const stored = await listExpiringKeys(store, { nowMs, untilMs, limit: maxValues });
  const inFile = declaredKeys().filter(({ expiresAtMs: ms }) => ms !== null && ms > nowMs && ms <= untilMs);
  return [...stored, ...inFile].map(({ id, name, expiresAtMs }) => ({
    ...{ id: `expiry ${id}`, kind: "key.expiring", severity: "warning", about: ["keys", id], name, sinceMs: null },
    message: `The key expires on ${isoTimeOrNull(expiresAtMs)?.slice(0, 10)}.`,
    figures: { expires_at: isoTimeOrNull(expiresAtMs) },
  }));
}

async function ofPrices({ reader }: AttentionDependencies, nowMs: number): Promise<Item[]> {
  const range = { sinceMs: nowMs - dayMs, untilMs: nowMs, nowMs, groupBy: "model", top: maxValues } as const;
  const [unpriced, sums] = await Promise.all([
    reader().series({ ...range, metrics: ["unpriced"] }),
    reader().series({ ...range, metrics: ["cost", "price"] }),
  ]);
  const item = (group: SeriesGroup, kind: Item["kind"]) => ({
    ...{ id: `${kind} ${group.value}`, kind, severity: "warning" as const, name: group.value ?? "", sinceMs: null },
    about: ["models", group.value] as const,
  });
  const missing = unpriced.groups
    .filter((group) => group.value !== null && numbersOf(group, "unpriced") > 0)
    .map((group): Item => {
      const requests = numbersOf(group, "unpriced");
      const message = `The model has no price: ${requests} ${requests === 1 ? "request" : "requests"} of the last day without a cost.`;
      return { ...item(group, "model.not_priced"), message, figures: { requests } };
    });
  const losses = sums.groups.flatMap((group): Item[] => {
    const { cost, price } = group.totals;
    if (group.value === null || typeof cost !== "bigint" || typeof price !== "bigint" || price >= cost) return [];
    const message = `Its price is below its cost: $${dollars(cost - price)} were lost in the last day.`;
    const figures = { cost: dollars(cost), price: dollars(price), lost: dollars(cost - price) };
    return [{ ...item(group, "price.below_cost"), message, figures, showsCosts: true }];
  });
  return [...missing, ...losses];
}

/** Everything that needs attention at present. */
export async function attentionNow(dependencies: AttentionDependencies, context: AdminContext): Promise<Item[]> {
  const { nowMs } = context;
  const [problems, errors, budgets, keys, prices] = await Promise.all([
    dependencies.problems(),
    ofErrors(dependencies, nowMs),
    budgetsNow(dependencies, context),
    ofKeys(dependencies, context),
    ofPrices(dependencies, nowMs),
  ]);
  const found = withoutParts(problems).map((problem) => ofProblem(problem, dependencies));
  const failing = new Set(found.flatMap(({ about: [resource, id] }) => (resource === "providers" ? [id] : [])));
  return [
    ...found,
    ...ofUndelivered(dependencies.undelivered()),
    ...errors.filter(({ about }) => !failing.has(about[1])),
    ...dependencies.hiddenOutages().map((outage) => ofOutage(outage, dependencies.wallMs)),
    ...budgets.flatMap(ofBudget),
    ...keys,
    ...prices,
  ];
}
