// The problems of upstreams that alerts report: providers that fail, credentials that are refused, models that are gone.
import type { Provider } from "../../providers/provider.ts";
import type { Problem } from "../../telemetry/alerts/problem.ts";
import type { Catalog } from "./catalog.ts";
import type { Health } from "./health.ts";
import type { MeasuredState, ModelState, UpstreamState } from "./upstream-state.ts";

const keyOf = (...parts: readonly (string | null)[]): string => JSON.stringify(parts);

/** The models that routes take from each provider. */
function routedModels({ routes }: Catalog): (provider: string, model: string) => boolean {
  const all = [...routes.values()].flatMap(({ candidates }) => candidates);
  const names = new Set(all.map(({ provider, model }) => keyOf(provider.entry.name, model)));
  return (provider, model) => names.has(keyOf(provider, model));
}

const errorOf = ({ lastError }: MeasuredState) =>
  lastError === null ? null : { code: lastError.code, status: lastError.status, message: lastError.text };

function failing({ provider, credential }: UpstreamState, state: MeasuredState, model: string | null): Problem[] {
  if (state.breaker === "closed") return [];
  const name = model === null ? `The provider '${provider}'` : `The model '${model}' of the provider '${provider}'`;
  return [
    {
      key: keyOf("provider", provider, credential, model),
      kind: "provider",
      message: `${name} fails and is avoided.`,
      data: { provider, credential, model, error: errorOf(state) },
    },
  ];
}

/** A refusal is the credential's, whichever model was requested: one problem for all of them. */
function setAside({ provider, credential }: UpstreamState, state: ModelState): Problem[] {
  if (state.setAsideBy === null) return [];
  const error = errorOf(state);
  if (state.setAsideBy === "upstream_credentials")
    return [
      {
        key: keyOf("credential", provider, credential),
        kind: "credential",
        message: `The provider '${provider}' refuses ${credential === null ? "its credential" : `the credential '${credential}'`}.`,
        data: { provider, credential, error },
      },
    ];
  return [
    {
      key: keyOf("model", provider, credential, state.model),
      kind: "model",
      message: `The provider '${provider}' does not have the model '${state.model}', which a route names.`,
      data: { provider, credential, model: state.model, error },
    },
  ];
}

const problemsOf = (upstream: UpstreamState, isRouted: ReturnType<typeof routedModels>): Problem[] => {
  const models = upstream.models.filter(({ model }) => isRouted(upstream.provider, model));
  return [
    ...failing(upstream, upstream, null),
    ...models.flatMap((each) => [...failing(upstream, each, each.model), ...setAside(upstream, each)]),
  ];
};

/** Every problem of an upstream that is served, each once. It lasts until the upstream has answered. */
export function upstreamProblems(catalog: Catalog, health: Pick<Health, "stateOf">): Problem[] {
  const isRouted = routedModels(catalog);
  const found = catalog.providers.flatMap((provider: Provider) =>
    health.stateOf(provider).flatMap((upstream) => problemsOf(upstream, isRouted)),
  );
  return [...new Map(found.map((problem) => [problem.key, problem])).values()];
}
