// Tasks: videos of every key by their state, each in a drawer.
import { useQuery } from "@tanstack/react-query";
import { listAll } from "../../data/api.ts";
import { formRules } from "../../data/form-rules.ts";
import { liveInterval } from "../../data/queries.ts";
import type { Task } from "../../data/types.ts";
import { useSearch } from "../../data/url.ts";
import { texts } from "../../texts.ts";
import { Id, Time } from "../../ui/basics.tsx";
import { Field } from "../../ui/form.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TaskDrawer } from "./task.tsx";
import { TaskActions } from "./task-actions.tsx";
import { StateMark } from "./task-state.tsx";

const words = texts.tasks;

const columns: readonly Column<Task>[] = [
  { id: "model", title: words.columns.model, value: ({ model }) => model, cell: ({ model }) => model },
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
        <StateMark state={state} />
      </span>
    ),
  },
  {
    id: "provider",
    title: words.columns.provider,
    value: ({ provider }) => provider,
    cell: ({ provider }) => provider,
  },
  { id: "progress", title: words.columns.progress, isNumber: true, cell: ({ progress }) => `${progress} %` },
  { id: "id", title: "ID", cell: ({ id }) => <Id id={id} /> },
  { id: "actions", title: texts.common.actions, cell: (task) => <TaskActions task={task} /> },
];

const states = formRules.tasks.state.enum.map((state) => [state, state.replace("_", " ")] as const);

export function Tasks() {
  const [search, change] = useSearch();
  const { task_state: state, task } = search;
  const query = useQuery({
    queryKey: ["tasks", { state }],
    queryFn: () => listAll<Task>("tasks", { state }, 5),
    refetchInterval: liveInterval(search["live"]),
  });
  return (
    <>
      <search data-filter className="mb-2 flex">
        <Field
          className="w-36"
          label={words.columns.state}
          value={state ?? ""}
          change={(next) => change({ task_state: next || undefined })}
          options={[["", texts.common.all], ...states]}
        />
      </search>
      <Loaded
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={<Empty>{state === undefined ? words.empty : words.noneInState}</Empty>}
      >
        {(rows) => (
          <Table
            name="tasks"
            label={words.list}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            open={({ id }) => change({ task: id }, true)}
          />
        )}
      </Loaded>
      {task === undefined ? null : <TaskDrawer id={task} close={() => change({ task: undefined })} />}
    </>
  );
}
