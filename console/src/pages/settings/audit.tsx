// The audit log: who changed what, and the proof that no entry is missing.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Page, queryOf } from "../../data/api.ts";
import type { AuditEntry } from "../../data/types.ts";
import { useSearch } from "../../data/url.ts";
import { fill, texts } from "../../texts.ts";
import { Button, Code, Id, Mark, Section, Time } from "../../ui/basics.tsx";
import { Drawer } from "../../ui/drawer.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const words = texts.settings;

const columns: readonly Column<AuditEntry>[] = [
  { id: "action", title: words.auditColumns.action, cell: ({ resource, action }) => `${action} ${resource}` },
  { id: "time", title: words.auditColumns.time, cell: (entry) => <Time iso={entry.created_at} /> },
  { id: "actor", title: words.auditColumns.actor, cell: ({ actor }) => actor.name },
  {
    id: "object",
    title: words.auditColumns.object,
    cell: (entry) => (entry.object_id === null ? "–" : <Id id={entry.object_id} />),
  },
];

interface Proof {
  readonly valid: boolean;
  readonly entries: number;
  readonly broken_at: number | null;
}

function Verify() {
  const [proof, setProof] = useState<Proof | null>(null);
  const [error, setError] = useState<unknown>(null);
  const verify = () => void call<Proof>("audit/verify", { method: "POST" }).then(setProof, setError);
  return (
    <div className="mb-2 flex items-center justify-end gap-3">
      <span role="status">
        {proof === null ? null : proof.valid ? (
          <Mark tone="ok">{fill(words.verified, { entries: proof.entries })}</Mark>
        ) : (
          <Mark tone="failing">{fill(words.broken, { entry: proof.broken_at ?? 0 })}</Mark>
        )}
      </span>
      {error === null ? null : <Failure error={error} />}
      <Button onClick={verify}>{words.verify}</Button>
    </div>
  );
}

export function Audit() {
  const [search, change] = useSearch();
  const query = useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: ({ pageParam }) => call<Page<AuditEntry>>(`audit${queryOf({ limit: 100, cursor: pageParam })}`),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  if (query.data === undefined)
    return query.error === null ? <Skeleton /> : <Failure error={query.error} retry={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap(({ data }) => data);
  const open = rows.find(({ id }) => id === search["open"]);
  if (rows.length === 0) return <Empty>{words.auditEmpty}</Empty>;
  return (
    <>
      <Verify />
      <Table
        name="audit"
        label={words.audit}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        open={({ id }) => change({ open: id }, true)}
      />
      {query.hasNextPage ? <Button onClick={() => void query.fetchNextPage()}>{texts.common.more}</Button> : null}
      {open === undefined ? null : (
        <Drawer title={`${open.action} ${open.resource}`} isOpen close={() => change({ open: undefined })}>
          <p className="flex flex-wrap gap-4">
            <Time iso={open.created_at} />
            <span>{open.actor.name}</span>
            {open.request_id === null ? null : <Id id={open.request_id} length={24} />}
          </p>
          <Section title={words.auditColumns.action}>
            <Code label={words.auditColumns.action}>{JSON.stringify(open.change, null, 2)}</Code>
          </Section>
        </Drawer>
      )}
    </>
  );
}
