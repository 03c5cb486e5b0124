// Keys and budgets: the list with what each has spent, its drawer, the forms, and how to connect a client.
import { useMemo, useState } from "react";
import { budgetsOf, windowStart } from "../data/budget.ts";
import { addMoney } from "../data/format.ts";
import { useKeys, useProjects, useUsage } from "../data/queries.ts";
import type { Key, UsageRow } from "../data/types.ts";
import { useSearch } from "../data/url.ts";
import { texts } from "../texts.ts";
import { Button, Heading, Mark, Money, Source, Time, type Tone } from "../ui/basics.tsx";
import { BudgetBar } from "../ui/budget-bar.tsx";
import { Drawer, Popup } from "../ui/drawer.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Connect } from "./keys/connect.tsx";
import { BatchForm, KeyForm, Secrets } from "./keys/forms.tsx";
import { KeyDetail } from "./keys/key.tsx";

const words = texts.keys;
const tones: Readonly<Record<Key["state"], Tone>> = {
  active: "ok",
  disabled: "warning",
  expired: "warning",
  revoked: "failing",
};

function columnsOf(usage: readonly UsageRow[], projects: ReadonlyMap<string, string>): readonly Column<Key>[] {
  const since = windowStart("month");
  const spentBy = (id: string) =>
    addMoney(
      usage.filter((row) => row.key_id === id && Date.parse(row.start ?? "") >= since - 1).map(({ price }) => price),
    );
  return [
    { id: "name", title: words.columns.name, value: ({ name }) => name, cell: ({ name }) => name },
    {
      id: "state",
      title: words.columns.state,
      value: ({ state }) => state,
      cell: ({ state, source }) => (
        <span className="inline-flex gap-2">
          <Mark tone={tones[state]}>{state}</Mark>
          {source === "file" ? <Source source="file" place="turnpike.yaml" /> : null}
        </span>
      ),
    },
    {
      id: "project",
      title: words.columns.project,
      value: (key) => projects.get(key.project_id) ?? key.project_id,
      cell: (key) => projects.get(key.project_id) ?? key.project_id,
    },
    {
      id: "spent",
      title: words.columns.spent,
      isNumber: true,
      value: ({ id }) => Number(spentBy(id)),
      cell: ({ id }) => <Money amount={spentBy(id)} />,
    },
    {
      id: "budget",
      title: words.columns.budget,
      value: (key) => Math.max(-1, ...budgetsOf(key, usage).map(({ share }) => share)),
      cell: (key) => {
        const [state] = [...budgetsOf(key, usage)].sort((one, other) => other.share - one.share);
        return state === undefined ? <span className="text-muted">{words.noBudget}</span> : <BudgetBar state={state} />;
      },
    },
    {
      id: "expires",
      title: words.columns.expires,
      value: (key) => key.expires_at ?? "9",
      cell: (key) => <Time iso={key.expires_at} />,
    },
  ];
}

type Form = "create" | "batch" | null;

export default function Keys() {
  const [search, change] = useSearch();
  const [form, setForm] = useState<Form>(null);
  const [secrets, setSecrets] = useState<readonly { name: string; secret: string }[] | null>(null);
  const keys = useKeys();
  const { data: projects = [] } = useProjects();
  const since = new Date(windowStart("month")).toISOString();
  const { data: usage = [] } = useUsage({ group_by: "key", bucket: "day", since }, search["live"]);
  const names = useMemo(() => new Map(projects.map(({ id, name }) => [id, name])), [projects]);
  const open = keys.data?.find(({ id }) => id === search["open"]);
  const project = search["project"];
  const connect = () => change({ connect: "1" }, true);
  const done = (made: readonly { name: string; secret: string }[]) => {
    setForm(null);
    setSecrets(made);
  };
  return (
    <>
      <Heading title={words.title}>
        <Button onClick={connect}>{words.connect}</Button>
        <Button onClick={() => setForm("batch")}>{words.batch}</Button>
        <Button look="main" onClick={() => setForm("create")}>
          {words.create}
        </Button>
      </Heading>
      <Loaded
        query={keys}
        isEmpty={(rows) => rows.length === 0}
        empty={<Empty action={<Button onClick={() => setForm("create")}>{words.create}</Button>}>{words.empty}</Empty>}
      >
        {(rows) => (
          <Table
            name="keys"
            label={words.list}
            columns={columnsOf(usage, names)}
            rows={rows.filter((key) => project === undefined || key.project_id === project)}
            idOf={({ id }) => id}
            open={({ id }) => change({ open: id }, true)}
          />
        )}
      </Loaded>
      <Popup title={words.create} isOpen={form === "create"} close={() => setForm(null)}>
        <KeyForm projects={projects} done={done} cancel={() => setForm(null)} />
      </Popup>
      <Popup title={words.batch} isOpen={form === "batch"} close={() => setForm(null)}>
        <BatchForm projects={projects} done={done} cancel={() => setForm(null)} />
      </Popup>
      <Popup title={words.secretTitle} isOpen={secrets !== null} close={() => setSecrets(null)}>
        <Secrets secrets={secrets ?? []} />
      </Popup>
      <Drawer
        title={texts.connect.title}
        isOpen={search["connect"] !== undefined}
        close={() => change({ connect: undefined })}
      >
        <Connect />
      </Drawer>
      {open === undefined ? null : (
        <Drawer title={open.name} isOpen close={() => change({ open: undefined })}>
          <KeyDetail
            key={open.id}
            apiKey={open}
            usage={usage}
            project={names.get(open.project_id) ?? open.project_id}
            rotated={(secret) => setSecrets([{ name: open.name, secret }])}
          />
        </Drawer>
      )}
    </>
  );
}
