// Providers: what each did in the time range, its state and last error; adds one, and opens one in a drawer.
import { type LiveProvider, lastErrorOf, useLiveProviders, worstOf } from "../data/catalog.ts";
import { count, duration, percent } from "../data/format.ts";
import { useModels, useUsage } from "../data/queries.ts";
import type { Model, UsageRow } from "../data/types.ts";
import { rangeOf, useSearch } from "../data/url.ts";
import { texts } from "../texts.ts";
import { Allowed } from "../ui/allowed.tsx";
import { Button, Heading, Mark, Source } from "../ui/basics.tsx";
import { Drawer, Popup } from "../ui/drawer.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { ProviderDetail } from "./providers/detail.tsx";
import { ProviderForm } from "./providers/lazy-form.tsx";
import { StateMark } from "./providers/state.tsx";

const words = texts.providers;
const failingShare = 0.05;

function State({ provider }: { readonly provider: LiveProvider }) {
  const worst = worstOf(provider);
  if (provider.config["disabled"] === true) return <Mark tone="neutral">{words.states.disabled}</Mark>;
  if (worst === null) return <span className="text-muted">{words.states.unused}</span>;
  const error = lastErrorOf(provider);
  const isIll = worst.state !== "available" || (worst.error_rate ?? 0) >= failingShare;
  return (
    <span className="inline-flex max-w-80 items-center gap-2 max-sm:flex-wrap">
      <StateMark of={worst} />
      {isIll && error !== null ? (
        <span className="truncate text-muted max-sm:whitespace-normal max-sm:break-words" title={error.message}>
          {error.message}
        </span>
      ) : null}
    </span>
  );
}

const meanOf = ({ health }: LiveProvider): number | null => {
  const times = health.flatMap(({ first_token_ms: first, response_ms: whole }) => first ?? whole ?? []);
  return times.length === 0 ? null : Math.min(...times);
};

function columnsOf(usage: readonly UsageRow[], models: readonly Model[]): readonly Column<LiveProvider>[] {
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
      id: "state",
      title: columns.state,
      value: (provider) => worstOf(provider)?.state ?? "",
      cell: (provider) => <State provider={provider} />,
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
        return share(id) >= failingShare ? <Mark tone="failing">{text}</Mark> : text;
      },
    },
    {
      id: "time",
      title: columns.time,
      isNumber: true,
      value: (provider) => meanOf(provider) ?? 0,
      cell: (provider) => duration(meanOf(provider)),
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
      cell: ({ source, file_line: line }) => <Source source={source} line={line} />,
    },
  ];
}

export default function Providers() {
  const [search, change] = useSearch();
  const query = useLiveProviders();
  const { data: models = [] } = useModels();
  const { since } = rangeOf(search);
  const { data: usage = [] } = useUsage({ group_by: "provider", since, project_id: search["project"] }, search["live"]);
  const open = query.data?.find(({ id }) => id === search["open"]);
  const add = () => change({ add: "1" });
  const close = () => change({ add: undefined });
  return (
    <>
      <Heading title={words.title}>
        <Allowed resource="providers" verb="create">
          <Button look="main" onClick={add}>
            {words.add}
          </Button>
        </Allowed>
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
        <ProviderForm close={close} />
      </Popup>
      {open === undefined ? null : (
        <Drawer title={open.id} isOpen close={() => change({ open: undefined })}>
          <ProviderDetail provider={open} models={models} />
        </Drawer>
      )}
    </>
  );
}
