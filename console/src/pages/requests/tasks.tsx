// Tasks: videos of every key, with their state, and cancellation.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call, listAll } from "../../data/api.ts";
import { liveInterval } from "../../data/queries.ts";
import type { Task } from "../../data/types.ts";
import { shared, useSearch } from "../../data/url.ts";
import { texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button, Id, Mark, Time, type Tone } from "../../ui/basics.tsx";
import { Empty, Failure, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const words = texts.tasks;
const tones: Readonly<Record<string, Tone>> = {
  completed: "ok",
  failed: "failing",
  cancelled: "warning",
  expired: "warning",
};
const isRunning = ({ state }: Task): boolean => state === "queued" || state === "in_progress";

function Actions({ task }: { readonly task: Task }) {
  const [search] = useSearch();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const cancel = () =>
    call(`tasks/${task.id}/cancel`, { method: "POST" }).then(
      () => queries.invalidateQueries({ queryKey: ["tasks"] }),
      setError,
    );
  return (
    <span className="flex items-center gap-2">
      <Link
        to="/requests"
        search={{ ...shared(search), open: task.exchange_id } as never}
        className="text-accent underline"
      >
        {words.request}
      </Link>
      <Allowed resource="tasks" verb="cancel">
        {isRunning(task) ? <Button onClick={() => void cancel()}>{words.cancel}</Button> : null}
      </Allowed>
      {error === null ? null : <Failure error={error} />}
    </span>
  );
}

const columns: readonly Column<Task>[] = [
  { id: "id", title: "ID", cell: ({ id }) => <Id id={id} /> },
  {
    id: "time",
    title: words.columns.time,
    value: (task) => task.created_at,
    cell: (task) => <Time iso={task.created_at} />,
  },
  {
    id: "state",
    title: words.columns.state,
    value: ({ state }) => state,
    cell: ({ state, error }) => (
      <span title={error?.message}>
        <Mark tone={tones[state] ?? "neutral"}>{state.replace("_", " ")}</Mark>
      </span>
    ),
  },
  { id: "model", title: words.columns.model, value: ({ model }) => model, cell: ({ model }) => model },
  {
    id: "provider",
    title: words.columns.provider,
    value: ({ provider }) => provider,
    cell: ({ provider }) => provider,
  },
  { id: "progress", title: words.columns.progress, isNumber: true, cell: ({ progress }) => `${progress} %` },
  { id: "actions", title: texts.common.actions, cell: (task) => <Actions task={task} /> },
];

export function Tasks() {
  const [search] = useSearch();
  const query = useQuery({
    queryKey: ["tasks"],
    queryFn: () => listAll<Task>("tasks", {}, 5),
    refetchInterval: liveInterval(search["live"]),
  });
  return (
    <Loaded query={query} isEmpty={(rows) => rows.length === 0} empty={<Empty>{words.empty}</Empty>}>
      {(rows) => <Table name="tasks" label={words.list} columns={columns} rows={rows} idOf={({ id }) => id} />}
    </Loaded>
  );
}
