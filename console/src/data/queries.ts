// Queries that several pages share, so that each is asked once.
import { useQuery } from "@tanstack/react-query";
import { call, type Filters, listAll, type Page, queryOf } from "./api.ts";
import { ApiError } from "./gateway.ts";
import type {
  AttentionItem,
  BudgetRow,
  Key,
  Model,
  Project,
  Provider,
  RequestRow,
  SeriesRow,
  UsageRow,
} from "./types.ts";

/** How often lists are asked again while the live switch is on. */
const liveEveryMs = 2_000;
export const liveInterval = (live: string | undefined): number | false => (live === "1" ? liveEveryMs : false);

export const useKeys = () => useQuery({ queryKey: ["keys"], queryFn: () => listAll<Key>("keys") });
export const useProjects = () => useQuery({ queryKey: ["projects"], queryFn: () => listAll<Project>("projects") });
export const useProviders = () => useQuery({ queryKey: ["providers"], queryFn: () => listAll<Provider>("providers") });
export const useModels = () => useQuery({ queryKey: ["models"], queryFn: () => listAll<Model>("models") });

export function useUsage(filters: Filters, live?: string) {
  return useQuery({
    queryKey: ["usage", filters],
    queryFn: () => listAll<UsageRow>("usage", filters),
    refetchInterval: liveInterval(live),
  });
}

/** The newest failed request. */
export function useLastFailure(since: string, project: string | undefined) {
  return useQuery({
    queryKey: ["last-failure", since, project],
    queryFn: async () => {
      const query = queryOf({ since, project_id: project, state: "failed", limit: 1 });
      return (await call<Page<RequestRow>>(`requests${query}`)).data[0] ?? null;
    },
  });
}

/** Names of keys by their ids, where they are loaded. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data = [] } = useKeys();
  return new Map(data.map(({ id, name }) => [id, name]));
}

const costMetrics = ["cost"];

async function seriesOf(metrics: readonly string[], filters: Filters): Promise<readonly SeriesRow[]> {
  const metric = metrics.join(",");
  try {
    return (await call<Page<SeriesRow>>(`series${queryOf({ ...filters, metric, limit: 100 })}`)).data;
  } catch (cause) {
    const others = metrics.filter((name) => !costMetrics.includes(name));
    // A caller that may not read costs sees the rest.
    if (!(cause instanceof ApiError) || cause.status !== 403 || others.length === metrics.length) throw cause;
    return await seriesOf(others, filters);
  }
}

/** Metrics over time, in one row or one for each group. */
export function useSeries(metrics: readonly string[], filters: Filters, live?: string) {
  return useQuery({
    queryKey: ["series", metrics, filters],
    queryFn: () => seriesOf(metrics, filters),
    refetchInterval: liveInterval(live),
    placeholderData: (before: readonly SeriesRow[] | undefined) => before,
  });
}

const attentionEveryMs = 15_000;

export const useAttention = () =>
  useQuery({
    queryKey: ["attention"],
    queryFn: () => listAll<AttentionItem>("attention"),
    refetchInterval: attentionEveryMs,
  });

export const useBudgets = (live?: string) =>
  useQuery({
    queryKey: ["budgets"],
    queryFn: () => listAll<BudgetRow>("budgets"),
    refetchInterval: liveInterval(live),
  });
