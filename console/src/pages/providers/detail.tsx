// The drawer of one provider: state and test of each credential, limits, charts, models, and what can be done with it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import {
  type CredentialState,
  type LiveProvider,
  lastErrorOf,
  type Measured,
  type Series,
  setDisabled,
  useSeries,
} from "../../data/catalog.ts";
import { count, duration, percent } from "../../data/format.ts";
import type { Model } from "../../data/types.ts";
import { rangeOf, useSearch } from "../../data/url.ts";
import { fill, texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button, Code, Mark, Section, Source, Time } from "../../ui/basics.tsx";
import { Chart, type Point } from "../../ui/chart.tsx";
import { ConfirmName } from "../../ui/confirm.tsx";
import { Failure, Loaded } from "../../ui/states.tsx";
import { ProviderForm } from "./lazy-form.tsx";
import { LimitBar, StateMark } from "./state.tsx";

const words = texts.providers;

interface TestResult {
  readonly models: number | null;
  readonly duration_ms: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly credentials: readonly {
    readonly credential: string | null;
    readonly ok: boolean;
    readonly models: number | null;
    readonly duration_ms: number;
    readonly error: { readonly code: string; readonly message: string } | null;
  }[];
}

/** A call with one credential; without its name, with the only one. */
function Test({ id, credential }: { readonly id: string; readonly credential: string | null }) {
  const [result, setResult] = useState<TestResult["credentials"][number] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    setError(null);
    const body = credential === null ? {} : { credential };
    void call<TestResult>(`providers/${encodeURIComponent(id)}/test`, { body })
      .then(({ credentials: [first] }) => setResult(first ?? null), setError)
      .finally(() => setBusy(false));
  };
  const models = result?.models === null || result === null ? "" : ` and lists ${result.models} models`;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Allowed resource="providers" verb="test">
        <Button onClick={run} disabled={isBusy}>
          {isBusy ? words.testing : credential === null ? words.test : fill(words.testOf, { name: credential })}
        </Button>
      </Allowed>
      <span role="status">
        {result === null ? null : result.ok ? (
          <Mark tone="ok">{fill(words.ok, { duration: duration(result.duration_ms), models })}</Mark>
        ) : (
          <Mark tone={result.error?.code === "unsupported" ? "neutral" : "failing"}>
            <span className="whitespace-normal">{result.error?.message}</span>
          </Mark>
        )}
      </span>
      {error === null ? null : <Failure error={error} />}
    </div>
  );
}

const rateOf = ({ error_rate: rate, requests }: Measured): string =>
  fill(words.rate, { count: count(requests), share: percent(rate ?? 0, 1) });

function ErrorText({ error }: { readonly error: Measured["last_error"] }) {
  if (error === null) return null;
  return (
    <p className="break-words text-failing">
      {error.message}{" "}
      <span className="text-muted">
        <Time iso={error.at} />
      </span>
    </p>
  );
}

function CredentialItem({ id, state }: { readonly id: string; readonly state: CredentialState }) {
  const ill = state.models.filter((each) => each.state !== "available" || each.last_error !== null);
  const time = state.first_token_ms ?? state.response_ms;
  return (
    <li className="flex flex-col gap-1.5 border-line border-t py-2">
      <p className="flex flex-wrap items-center gap-x-4">
        <strong>{state.credential ?? words.onlyCredential}</strong>
        <StateMark of={state} />
        <span>{rateOf(state)}</span>
        <span>{fill(words.inFlight, { count: state.in_flight })}</span>
        <span>{duration(time)}</span>
      </p>
      <ErrorText error={state.last_error} />
      {ill.map((model) => (
        <div key={model.model} className="border-line border-l-2 pl-3">
          <p className="flex flex-wrap items-center gap-x-4">
            <span className="break-all">{model.model}</span>
            <StateMark of={model} />
            <span>{rateOf(model)}</span>
          </p>
          {model.last_error?.at === state.last_error?.at ? null : <ErrorText error={model.last_error} />}
        </div>
      ))}
      <Test id={id} credential={state.credential} />
    </li>
  );
}

const numbers = (series: Series, metric: string): number[] =>
  (series.values[metric] ?? []).map((each) => Number(each ?? 0));

function pointsOf(series: Series, metrics: readonly string[]): Point[] {
  const startMs = Date.parse(series.start);
  const columns = metrics.map((metric) => numbers(series, metric));
  return (columns[0] ?? []).map((_, at) => ({
    atMs: startMs + at * series.step_seconds * 1_000,
    values: columns.map((values) => values[at] ?? 0),
  }));
}

const chartColors = [
  { name: words.columns.requests, color: "--muted" },
  { name: words.columns.errors, color: "--failing" },
];
const timeColors = [{ name: words.columns.time, color: "--own" }];
const metrics = "requests,errors,first_byte_p50_ms";

function OverTime({ id }: { readonly id: string }) {
  const [search] = useSearch();
  const { since } = rangeOf(search);
  const query = useSeries({ metric: metrics, provider: id, since });
  const total = Number(query.data?.total["requests"] ?? 0);
  return (
    <Loaded
      query={query}
      isEmpty={(series) => series === null || total === 0}
      empty={<p className="mt-2 text-muted">{words.noRequests}</p>}
    >
      {(series) =>
        series === null ? null : (
          <>
            <Chart
              title={words.chart}
              sentence={fill(words.chartSentence, {
                requests: count(total),
                errors: count(Number(series.total["errors"] ?? 0)),
              })}
              series={chartColors}
              points={pointsOf(series, ["requests", "errors"])}
            />
            <Chart
              title={words.timeChart}
              sentence={fill(words.timeSentence, {
                most: duration(Math.max(0, ...numbers(series, "first_byte_p50_ms"))),
              })}
              series={timeColors}
              points={pointsOf(series, ["first_byte_p50_ms"])}
            />
          </>
        )
      }
    </Loaded>
  );
}

function Delete({ provider }: { readonly provider: LiveProvider }) {
  const queries = useQueryClient();
  const act = async () => {
    await call(`providers/${encodeURIComponent(provider.id)}`, { method: "DELETE", ifMatch: provider.version });
    await queries.invalidateQueries();
  };
  return (
    <ConfirmName
      {...{ label: words.remove, title: `${words.remove} ${provider.id}`, note: words.removeNote }}
      {...{ name: provider.id, field: words.confirmName, act }}
    />
  );
}

function Actions({ provider }: { readonly provider: LiveProvider }) {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isDisabled = provider.config["disabled"] === true;
  const toggle = () => void setDisabled(provider, !isDisabled).then(() => queries.invalidateQueries(), setError);
  return (
    <div className="mt-3">
      <div className="flex flex-wrap gap-2">
        <Allowed resource="providers" verb="update">
          <Button aria-expanded={isOpen} onClick={() => setOpen(true)}>
            {words.edit}
          </Button>
          <Button onClick={toggle}>{isDisabled ? words.enable : words.disable}</Button>
        </Allowed>
        <Allowed resource="providers" verb="delete">
          <Delete provider={provider} />
        </Allowed>
      </div>
      {error === null ? null : <Failure error={error} />}
      {isOpen ? (
        <div className="mt-3 rounded-md border border-line p-3">
          <ProviderForm provider={provider} close={() => setOpen(false)} />
        </div>
      ) : null}
    </div>
  );
}

const maxModels = 100;

function Models({ models }: { readonly models: readonly Model[] }) {
  if (models.length === 0) return <p className="text-muted">{words.noModels}</p>;
  return (
    <>
      <ul className="columns-2 max-sm:columns-1">
        {models.slice(0, maxModels).map(({ id }) => (
          <li key={id} className="truncate" title={id}>
            {id}
          </li>
        ))}
      </ul>
      {models.length > maxModels ? (
        <p className="text-muted">{fill(texts.models.tooMuch, { shown: maxModels, all: models.length })}</p>
      ) : null}
    </>
  );
}

export function ProviderDetail({
  provider,
  models,
}: {
  readonly provider: LiveProvider;
  readonly models: readonly Model[];
}) {
  const { health, limit_use: limits } = provider;
  const served = models.filter(({ candidates }) => candidates.some((each) => each.provider === provider.id));
  return (
    <>
      <p className="flex flex-wrap items-center gap-4">
        <Source source={provider.source} line={provider.file_line} />
        {provider.config["disabled"] === true ? <Mark tone="neutral">{words.states.disabled}</Mark> : null}
        {provider.updated_at === null ? null : <Time iso={provider.updated_at} />}
      </p>
      {provider.source === "api" ? <Actions provider={provider} /> : null}
      {lastErrorOf(provider) === null ? null : (
        <Section title={words.lastError}>
          <ErrorText error={lastErrorOf(provider)} />
        </Section>
      )}
      <Section title={words.credentials}>
        <p className="mb-1 text-muted">{words.healthNote}</p>
        <ul>
          {health.map((state) => (
            <CredentialItem key={state.credential} id={provider.id} state={state} />
          ))}
        </ul>
      </Section>
      {limits.length === 0 ? null : (
        <Section title={words.limits}>
          <div className="grid gap-2 sm:grid-cols-2">
            {limits.map((use) => (
              <LimitBar key={`${use.credential} ${use.limit}`} use={use} />
            ))}
          </div>
        </Section>
      )}
      <OverTime id={provider.id} />
      <Section title={`${words.models} (${served.length})`}>
        <Models models={served} />
      </Section>
      <Section title={words.config}>
        <Code label={words.config}>{JSON.stringify(provider.config, null, 2)}</Code>
      </Section>
    </>
  );
}
