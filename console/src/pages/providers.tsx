// Providers: what each did in the time range, a test, its configuration, and the form that adds one.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../data/api.ts";
import { count, duration, percent } from "../data/format.ts";
import { useModels, useProviders, useUsage } from "../data/queries.ts";
import type { Model, Provider, UsageRow } from "../data/types.ts";
import { rangeOf, useSearch } from "../data/url.ts";
import { fill, texts } from "../texts.ts";
import { Button, Code, Heading, Mark, Section, Source, Time } from "../ui/basics.tsx";
import { Drawer, Popup } from "../ui/drawer.tsx";
import { Field, Form } from "../ui/form.tsx";
import { Empty, Failure, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";

const words = texts.providers;

interface TestResult {
  readonly ok: boolean;
  readonly models: number | null;
  readonly duration_ms: number;
  readonly error: { readonly code: string; readonly message: string } | null;
}

function Test({ id }: { readonly id: string }) {
  const [result, setResult] = useState<TestResult | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    setError(null);
    void call<TestResult>(`providers/${encodeURIComponent(id)}/test`, { method: "POST" })
      .then(setResult, setError)
      .finally(() => setBusy(false));
  };
  const models = result?.models === null || result === null ? "" : ` and lists ${result.models} models`;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button onClick={run} disabled={isBusy}>
        {isBusy ? words.testing : words.test}
      </Button>
      <span role="status">
        {result === null ? null : result.ok ? (
          <Mark tone="ok">{fill(words.ok, { duration: duration(result.duration_ms), models })}</Mark>
        ) : (
          <Mark tone={result.error?.code === "unsupported" ? "neutral" : "failing"}>{result.error?.message}</Mark>
        )}
      </span>
      {error === null ? null : <Failure error={error} />}
    </div>
  );
}

function Detail({ provider, models }: { readonly provider: Provider; readonly models: readonly Model[] }) {
  const served = models.filter(({ candidates }) => candidates.some((each) => each.provider === provider.id));
  return (
    <>
      <p className="flex flex-wrap gap-4">
        <Source source={provider.source} place={`providers.${provider.id}`} />
        {provider.updated_at === null ? null : <Time iso={provider.updated_at} />}
      </p>
      <Section title={words.test}>
        <Test id={provider.id} />
      </Section>
      {provider.credentials.length === 0 ? null : (
        <Section title={words.credentials}>
          <ul>
            {provider.credentials.map(({ name, created_at: at }) => (
              <li key={name}>
                {name} <Time iso={at} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title={words.config}>
        <Code label={words.config}>{JSON.stringify(provider.config, null, 2)}</Code>
      </Section>
      <Section title={`${words.models} (${served.length})`}>
        <ul className="columns-2 max-sm:columns-1">
          {served.map(({ id }) => (
            <li key={id} className="truncate" title={id}>
              {id}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

const kinds = [
  "openai",
  "anthropic",
  "gemini",
  "compatible",
  "cohere",
  "mistral",
  "groq",
  "deepseek",
  "openrouter",
  "xai",
];

function AddForm({ close }: { readonly close: () => void }) {
  const queries = useQueryClient();
  const [id, setId] = useState("");
  const [kind, setKind] = useState("openai");
  const [base, setBase] = useState("");
  const [credential, setCredential] = useState("");
  const submit = async () => {
    const config = { kind, ...(base === "" ? {} : { base_url: base }) };
    const credentials = credential === "" ? {} : { credentials: [{ name: "default", credential }] };
    await call("providers", { body: { id, config, ...credentials } });
    await queries.invalidateQueries();
    close();
  };
  return (
    <Form submit={submit} label={words.add} cancel={close} fields={["id", "config", "credentials"]}>
      {(errorOf) => (
        <>
          <Field label={words.form.id} value={id} change={setId} error={errorOf("id")} isRequired />
          <Field
            label={words.form.kind}
            value={kind}
            change={setKind}
            suggestions={kinds}
            error={errorOf("config.kind") ?? errorOf("config")}
            isRequired
          />
          <Field label={words.form.base} type="url" value={base} change={setBase} error={errorOf("config.base_url")} />
          <Field
            label={words.form.credential}
            type="password"
            value={credential}
            change={setCredential}
            hint={words.formHint}
            error={errorOf("credentials")}
          />
        </>
      )}
    </Form>
  );
}

function columnsOf(usage: readonly UsageRow[], models: readonly Model[]): readonly Column<Provider>[] {
  const of = (id: string) => usage.find(({ provider }) => provider === id);
  const modelCount = (id: string) =>
    models.filter(({ candidates }) => candidates.some((each) => each.provider === id)).length;
  const share = (id: string) => (of(id)?.errors ?? 0) / Math.max(1, of(id)?.requests ?? 0);
  const { columns } = words;
  return [
    { id: "name", title: columns.name, value: ({ id }) => id, cell: ({ id }) => id },
    {
      id: "kind",
      title: columns.kind,
      value: ({ config }) => String(config["kind"]),
      cell: ({ config }) => String(config["kind"] ?? "–"),
    },
    {
      id: "requests",
      title: columns.requests,
      isNumber: true,
      value: ({ id }) => of(id)?.requests ?? 0,
      cell: ({ id }) => count(of(id)?.requests ?? 0),
    },
    {
      id: "errors",
      title: columns.errors,
      isNumber: true,
      value: ({ id }) => share(id),
      cell: ({ id }) => {
        const text = percent(of(id)?.errors ?? 0, of(id)?.requests ?? 0);
        return share(id) >= 0.05 ? <Mark tone="failing">{text}</Mark> : text;
      },
    },
    {
      id: "models",
      title: columns.models,
      isNumber: true,
      value: ({ id }) => modelCount(id),
      cell: ({ id }) => modelCount(id),
    },
    {
      id: "source",
      title: columns.source,
      value: ({ source }) => source,
      cell: ({ source }) => <Source source={source} />,
    },
  ];
}

export default function Providers() {
  const [search, change] = useSearch();
  const query = useProviders();
  const { data: models = [] } = useModels();
  const { since } = rangeOf(search);
  const { data: usage = [] } = useUsage({ group_by: "provider", since, project_id: search["project"] }, search["live"]);
  const open = query.data?.find(({ id }) => id === search["open"]);
  const add = () => change({ add: "1" });
  const close = () => change({ add: undefined });
  return (
    <>
      <Heading title={words.title}>
        <Button look="main" onClick={add}>
          {words.add}
        </Button>
      </Heading>
      <Loaded
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={<Empty action={<Button onClick={add}>{words.add}</Button>}>{words.empty}</Empty>}
      >
        {(rows) => (
          <Table
            name="providers"
            label={words.list}
            columns={columnsOf(usage, models)}
            rows={rows}
            idOf={({ id }) => id}
            open={({ id }) => change({ open: id }, true)}
          />
        )}
      </Loaded>
      <Popup title={words.add} isOpen={search["add"] !== undefined} close={close}>
        <AddForm close={close} />
      </Popup>
      {open === undefined ? null : (
        <Drawer title={open.id} isOpen close={() => change({ open: undefined })}>
          <Detail provider={open} models={models} />
        </Drawer>
      )}
    </>
  );
}
