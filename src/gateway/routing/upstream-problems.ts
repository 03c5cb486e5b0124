// The problems of upstreams that alerts report: providers that fail, credentials that are refused, models that are gone.
import type { Provider } from "../../providers/provider.ts";
import type { Problem } from "../../telemetry/alerts/problem.ts";
import type { Candidate, Catalog } from "./catalog.ts";
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

/** When its failures began, and how many there are at present. */
const observedOf = ({ firstError, attempts, failures }: MeasuredState): Pick<Problem, "observed"> =>
  firstError === null
    ? {}
    : { observed: { sinceMs: firstError.atMs, firstError: firstError.text, attempts, failures } };

function failing({ provider, credential }: UpstreamState, state: MeasuredState, model: string | null): Problem[] {
  if (state.breaker === "closed") return [];
  const name = model === null ? `The provider '${provider}'` : `The model '${model}' of the provider '${provider}'`;
  return [
    {
      key: keyOf("provider", provider, credential, model),
      kind: "provider",
      message: `${name} fails and is avoided.`,
      data: { provider, credential, model, error: errorOf(state) },
      ...observedOf(state),
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
        ...observedOf(state),
      },
    ];
  return [
    {
      key: keyOf("model", provider, credential, state.model),
      kind: "model",
      message: `The provider '${provider}' does not have the model '${state.model}', which a route names.`,
      data: { provider, credential, model: state.model, error },
      ...observedOf(state),
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

/** A route whose requests succeed only because other candidates answer in place of its first one. */
export interface HiddenOutage {
  readonly route: string;
  readonly provider: string;
  readonly model: string;
  readonly answeredBy: string;
  readonly state: MeasuredState;
}

const outageShare = 0.5;
const fewAttempts = 3;

const isDown = (state: MeasuredState): boolean =>
  state.breaker !== "closed" ||
  state.condition === "cooling_down" ||
  (state.attempts >= fewAttempts && state.failures / state.attempts >= outageShare);

/** Of routes that are in use: a first candidate that fails, with another one that does not. */
export function hiddenOutages({ routes }: Pick<Catalog, "routes">, health: Pick<Health, "stateOf">): HiddenOutage[] {
  /** Of a credential only whether it is avoided: its failures may be those of another model. */
  const stateOf = ({ provider, model }: Candidate): MeasuredState | undefined =>
    health
      .stateOf(provider)
      .flatMap(({ models, ...upstream }) => [
        ...models.filter((each) => each.model === model && isDown(each)),
        ...(upstream.breaker === "closed" ? [] : [upstream]),
      ])
      .at(0);
  return [...routes.values()].flatMap(({ name, candidates: [first, ...others] }) => {
    const state = first === undefined ? undefined : stateOf(first);
    const other = others.find((each) => stateOf(each) === undefined);
    if (first === undefined || state === undefined || other === undefined) return [];
    const answeredBy = `${other.provider.entry.name}/${other.model}`;
    return [{ route: name, provider: first.provider.entry.name, model: first.model, answeredBy, state }];
  });
}
