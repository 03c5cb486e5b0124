// Sessions: who is signed in where, and an end to each.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useContext } from "react";
import { call, type Page } from "../../data/api.ts";
import type { OpenSession } from "../../data/types.ts";
import { ShellSession } from "../../shell/session.ts";
import { texts } from "../../texts.ts";
import { Mark, Section, Time } from "../../ui/basics.tsx";
import { ConfirmName } from "../../ui/confirm.tsx";
import { Empty, Loaded, TooMuch } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const words = texts.users;
const shownSessions = 100;

const isOver = ({ revoked_at: revoked, expires_at: end }: OpenSession): boolean =>
  revoked !== null || Date.parse(end) < Date.now();

/** A browser and its system, of how it names itself. */
function browserOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1];
  return [browser === "Edg" ? "Edge" : browser, system].filter(Boolean).join(", ") || userAgent.slice(0, 40) || "–";
}

function State({ session }: { readonly session: OpenSession }) {
  const queries = useQueryClient();
  const shell = useContext(ShellSession);
  if (isOver(session)) return <span className="text-muted">{words.ended}</span>;
  if (session.id === shell?.session.id) return <Mark tone="ok">{words.thisSession}</Mark>;
  const end = async () => {
    await call(`sessions/${session.id}/revoke`, { method: "POST" });
    await queries.invalidateQueries({ queryKey: ["sessions"] });
  };
  return (
    <span className="inline-flex items-center gap-2">
      <Mark tone="ok">{words.active}</Mark>
      <ConfirmName
        label={words.end}
        title={`${words.end} ${session.actor.name}`}
        note={words.endNote}
        name={session.actor.name}
        field={words.confirmActor}
        act={end}
        look="plain"
      />
    </span>
  );
}

const columns: readonly Column<OpenSession>[] = [
  { id: "actor", title: words.sessionColumns.actor, value: ({ actor }) => actor.name, cell: ({ actor }) => actor.name },
  {
    id: "browser",
    title: words.sessionColumns.browser,
    cell: (session) => <span title={session.user_agent}>{browserOf(session.user_agent)}</span>,
  },
  { id: "address", title: words.sessionColumns.address, cell: ({ address }) => address },
  {
    id: "used",
    title: words.sessionColumns.used,
    value: (session) => session.last_seen_at,
    cell: (session) => <Time iso={session.last_seen_at} />,
  },
  { id: "state", title: words.sessionColumns.state, cell: (session) => <State session={session} /> },
];

export function Sessions() {
  const query = useQuery({
    queryKey: ["sessions"],
    queryFn: () => call<Page<OpenSession>>(`sessions?limit=${shownSessions}`),
  });
  return (
    <Section title={words.sessions}>
      <Loaded query={query} isEmpty={({ data }) => data.length === 0} empty={<Empty>{words.sessionsEmpty}</Empty>}>
        {({ data, has_more: hasMore }) => (
          <>
            <Table name="sessions" label={words.sessions} columns={columns} rows={data} idOf={({ id }) => id} />
            {hasMore ? <TooMuch text={words.sessionsCut} values={{ count: shownSessions }} /> : null}
          </>
        )}
      </Loaded>
    </Section>
  );
}
