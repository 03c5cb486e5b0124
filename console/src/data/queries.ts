// Queries that several pages share, so that each is asked once.
import { useQuery } from "@tanstack/react-query";
import { call, type Filters, listAll, type Page, queryOf } from "./api.ts";
import type { Key, Model, Project, Provider, RequestRow, UsageRow } from "./types.ts";

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
