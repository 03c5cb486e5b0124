// Settings: what is in effect and where it is defined, service tokens, and the audit log.
import { useQuery } from "@tanstack/react-query";
import { useContext, useState } from "react";
import { listAll, may, type Session } from "../data/api.ts";
import type { Setting } from "../data/types.ts";
import { ShellSession } from "../shell/session.ts";
import { chooseTheme, chosenTheme, type Theme } from "../shell/theme.ts";
import { texts } from "../texts.ts";
import { Button, Heading, Source } from "../ui/basics.tsx";
import { Field } from "../ui/form.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { UrlTabs } from "../ui/tabs.tsx";
import { Audit } from "./settings/audit.tsx";
import { OwnPassword } from "./settings/own-password.tsx";
import { Tokens } from "./settings/tokens.tsx";
import { Users } from "./settings/users.tsx";

const words = texts.settings;

const columns: readonly Column<Setting>[] = [
  {
    id: "name",
    title: words.columns.name,
    value: ({ id }) => id,
    cell: ({ id }) => <code className="font-mono text-[12px]">{id}</code>,
  },
  {
    id: "value",
    title: words.columns.value,
    cell: ({ value }) => (value === null || value === "" ? "–" : String(value)),
  },
  {
    id: "source",
    title: words.columns.source,
    value: ({ source }) => source,
    cell: ({ source, variable, file, file_line: line }) =>
      source === "default" ? source : <Source source={source} name={variable ?? file} line={line} />,
  },
];

function List() {
  const [text, setText] = useState("");
  const query = useQuery({ queryKey: ["settings"], queryFn: () => listAll<Setting>("settings") });
  const filter = text.trim().toLowerCase();
  return (
    <>
      <div className="mb-3 max-w-80">
        <Field label={words.search} type="search" value={text} change={setText} />
      </div>
      <Loaded query={query}>
        {(rows) => {
          const found = rows.filter(({ id }) => id.toLowerCase().includes(filter));
          if (found.length === 0) return <Empty>{words.empty}</Empty>;
          return <Table name="settings" label={words.list} columns={columns} rows={found} idOf={({ id }) => id} />;
        }}
      </Loaded>
    </>
  );
}

const tabs = { settings: <List />, users: <Users />, tokens: <Tokens />, audit: <Audit /> } as const;
const resources = { settings: "settings", users: "users", tokens: "service-tokens", audit: "audit" } as const;

/** The tabs that the role of the user may see. */
function tabsFor(session: Session | null): Readonly<Record<string, string>> {
  const names = Object.keys(tabs) as (keyof typeof tabs)[];
  const shown = names.filter((name) => session === null || may(session, resources[name]));
  return Object.fromEntries(shown.map((name) => [name, words.tabs[name]]));
}

export default function Settings() {
  const shell = useContext(ShellSession);
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <>
      <Heading title={words.title}>
        <select
          aria-label={texts.shell.theme}
          className="control"
          value={theme}
          onChange={(event) => {
            setTheme(event.target.value as Theme);
            chooseTheme(event.target.value as Theme);
          }}
        >
          {Object.entries(texts.shell.themes).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <span className="text-muted">{shell?.session.actor.name}</span>
        {shell?.session.actor.sign_in === "password" ? <OwnPassword email={shell.session.actor.name} /> : null}
        <Button onClick={() => shell?.leave()}>{texts.signIn.out}</Button>
      </Heading>
      <UrlTabs label={words.title} titles={tabsFor(shell?.session ?? null)}>
        {(tab) => tabs[tab as keyof typeof tabs]}
      </UrlTabs>
    </>
  );
}
