// Keys and budgets: the list with what each has spent, its drawer, the forms, and how to connect a client.
import { useMemo, useState } from "react";
import { useBudgets, useKeys, useProjects, useUsage } from "../data/queries.ts";
import type { BudgetRow, Key, Project, UsageRow } from "../data/types.ts";
import { rangeOf, shared, useSearch } from "../data/url.ts";
import { texts } from "../texts.ts";
import { Allowed } from "../ui/allowed.tsx";
import { Button, Heading, Mark, Money, Source, Time, type Tone } from "../ui/basics.tsx";
import { BudgetBar } from "../ui/budget-bar.tsx";
import { Drawer, Popup } from "../ui/drawer.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { UrlTabs } from "../ui/tabs.tsx";
import { Connect } from "./keys/connect.tsx";
import { BatchForm, KeyForm, type Made, Secrets } from "./keys/forms.tsx";
import { KeyDetail } from "./keys/key.tsx";
import { Projects } from "./keys/projects.tsx";

const words = texts.keys;
const tones: Readonly<Record<Key["state"], Tone>> = {
  active: "ok",
  disabled: "warning",
  expired: "warning",
  revoked: "failing",
};

interface Known {
  readonly usage: readonly UsageRow[];
  readonly budgets: readonly BudgetRow[];
  readonly projects: ReadonlyMap<string, string>;
}

function columnsOf({ usage, budgets, projects }: Known): readonly Column<Key>[] {
  const spentBy = new Map(usage.map(({ key_id: id, price }) => [id, price]));
  /** The one with the largest share. */
  const budgetOf = (key: Key) => budgets.find(({ level, id }) => level === "key" && id === key.id);
  return [
    { id: "name", title: words.columns.name, value: ({ name }) => name, cell: ({ name }) => name },
    {
      id: "state",
      title: words.columns.state,
      value: ({ state }) => state,
      cell: ({ state, source, file_line: line }) => (
        <span className="inline-flex flex-wrap gap-x-2">
          <Mark tone={tones[state]}>{state}</Mark>
          {source === "file" ? <Source source="file" line={line} /> : null}
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
      value: ({ id }) => Number(spentBy.get(id) ?? 0),
      cell: ({ id }) => <Money amount={spentBy.get(id) ?? "0"} />,
    },
    {
      id: "budget",
      title: words.columns.budget,
      value: (key) => budgetOf(key)?.share ?? -1,
      cell: (key) => {
        const budget = budgetOf(key);
        if (budget === undefined) return <span className="text-muted">{words.noBudget}</span>;
        return <BudgetBar budget={budget} />;
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

const formNames = ["create", "batch"] as const;

interface ListProps {
  readonly projects: readonly Project[];
  readonly create: () => void;
  readonly rotated: (made: readonly Made[]) => void;
}

function List({ projects, create, rotated }: ListProps) {
  const [search, change] = useSearch();
  const keys = useKeys();
  const { since } = rangeOf(search);
  const { data: usage = [] } = useUsage({ group_by: "key", since }, search["live"]);
  const { data: budgets = [] } = useBudgets(search["live"]);
  const names = useMemo(() => new Map(projects.map(({ id, name }) => [id, name])), [projects]);
  const open = keys.data?.find(({ id }) => id === search["open"]);
  const project = search["project"];
  return (
    <>
      <Loaded
        query={keys}
        isEmpty={(rows) => rows.length === 0}
        empty={<Empty action={<Button onClick={create}>{words.create}</Button>}>{words.empty}</Empty>}
      >
        {(rows) => (
          <Table
            name="keys"
            label={words.list}
            columns={columnsOf({ usage, budgets, projects: names })}
            rows={rows.filter((key) => project === undefined || key.project_id === project)}
            idOf={({ id }) => id}
            open={({ id }) => change({ open: id }, true)}
            actions={[
              {
                title: words.requestsOf,
                href: ({ id }) => ({ to: "/requests", search: { ...shared(search), key_id: id } }),
              },
            ]}
          />
        )}
      </Loaded>
      {open === undefined ? null : (
        <Drawer title={open.name} isOpen close={() => change({ open: undefined })}>
          <KeyDetail
            key={open.id}
            apiKey={open}
            budgets={budgets}
            project={projects.find(({ id }) => id === open.project_id)}
            rotated={(secret) => rotated([{ name: open.name, secret }])}
          />
        </Drawer>
      )}
    </>
  );
}

export default function Keys() {
  const [search, change] = useSearch();
  const [secrets, setSecrets] = useState<readonly Made[] | null>(null);
  const { data: projects = [] } = useProjects();
  const form = formNames.find((name) => name === search["form"]);
  const show = (name: (typeof formNames)[number] | undefined) => change({ form: name }, name !== undefined);
  const done = (made: readonly Made[]) => {
    show(undefined);
    setSecrets(made);
  };
  const close = () => show(undefined);
  return (
    <>
      <Heading title={words.title}>
        <Button onClick={() => change({ connect: "1" }, true)}>{words.connect}</Button>
        <Allowed resource="keys" verb="create">
          <Button onClick={() => show("batch")}>{words.batch}</Button>
          <Button look="main" onClick={() => show("create")}>
            {words.create}
          </Button>
        </Allowed>
      </Heading>
      <UrlTabs label={words.title} titles={words.tabs}>
        {(tab) =>
          tab === "projects" ? (
            <Projects />
          ) : (
            <List projects={projects} create={() => show("create")} rotated={setSecrets} />
          )
        }
      </UrlTabs>
      <Popup title={words.create} isOpen={form === "create"} close={close}>
        <KeyForm projects={projects} done={done} cancel={close} />
      </Popup>
      <Popup title={words.batch} isOpen={form === "batch"} close={close}>
        <BatchForm projects={projects} done={done} cancel={close} />
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
    </>
  );
}
