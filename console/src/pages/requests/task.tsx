// One task: its state and cost, the video, and each poll with what the provider answered.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { duration } from "../../data/format.ts";
import { base } from "../../data/gateway.ts";
import { useKeyNames } from "../../data/queries.ts";
import type { Poll, RequestRow, Task } from "../../data/types.ts";
import { fill, texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button, Id, Mark, Money, Section, Time } from "../../ui/basics.tsx";
import { Drawer } from "../../ui/drawer.tsx";
import { Failure, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TaskActions } from "./task-actions.tsx";
import { StateMark } from "./task-state.tsx";

const words = texts.tasks;

const columns: readonly Column<Poll>[] = [
  { id: "number", title: words.pollColumns.number, cell: ({ number }) => number },
  { id: "at", title: words.pollColumns.at, cell: ({ at }) => <Time iso={at} /> },
  {
    id: "status",
    title: words.pollColumns.status,
    cell: ({ status, error }) => (
      <Mark tone={error === null ? "ok" : "failing"}>
        {status ?? ""} {error ?? ""}
      </Mark>
    ),
  },
  { id: "state", title: words.pollColumns.state, cell: ({ state }) => <StateMark state={state} /> },
  { id: "progress", title: words.pollColumns.progress, isNumber: true, cell: ({ progress }) => `${progress} %` },
  {
    id: "duration",
    title: words.pollColumns.duration,
    isNumber: true,
    cell: ({ duration_ms: ms }) => duration(ms),
  },
  { id: "wait", title: words.pollColumns.wait, isNumber: true, cell: ({ wait_ms: ms }) => duration(ms) },
  {
    id: "message",
    title: words.pollColumns.message,
    cell: ({ message }) => <span title={message ?? undefined}>{message ?? "–"}</span>,
  },
];

function Video({ id, index }: { readonly id: string; readonly index: number }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p role="alert">{words.noVideo}</p>;
  return (
    // biome-ignore lint/a11y/useMediaCaption: a generated video comes without captions
    <video
      controls
      preload="metadata"
      aria-label={fill(words.video, { number: index + 1 })}
      className="max-h-96 w-full bg-sunken"
      src={`${base}/admin/api/tasks/${encodeURIComponent(id)}/content?index=${index}`}
      onError={() => setBroken(true)}
    />
  );
}

/** Nothing is fetched before someone asks for it. */
function Preview({ task }: { readonly task: Task }) {
  const [isShown, setShown] = useState(false);
  if (task.state !== "completed") return null;
  return (
    <Section title={words.preview}>
      {isShown ? (
        <div className="flex flex-col gap-2">
          {Array.from({ length: task.results }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a result is its place
            <Video key={index} id={task.id} index={index} />
          ))}
        </div>
      ) : (
        <p className="flex flex-wrap items-center gap-3">
          <Button onClick={() => setShown(true)}>{words.show}</Button>
          <span className="text-muted">{words.showNote}</span>
        </p>
      )}
    </Section>
  );
}

function Cost({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ["request", id],
    queryFn: () => call<RequestRow>(`requests/${encodeURIComponent(id)}`),
  });
  return data === undefined ? "–" : <Money amount={data.cost ?? data.price} />;
}

function Facts({ task }: { readonly task: Task }) {
  const names = useKeyNames();
  const facts = {
    key: names.get(task.key_id) ?? task.key_id,
    upstream: task.upstream_id === null ? "–" : <Id id={task.upstream_id} length={24} />,
    created: <Time iso={task.created_at} />,
    updated: <Time iso={task.updated_at} />,
    expires: <Time iso={task.expires_at} />,
    cost: <Cost key={task.state} id={task.exchange_id} />,
  };
  return (
    <dl className="mt-2 grid grid-cols-[10rem_1fr] gap-y-1">
      {Object.entries(words.facts).map(([name, title]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{title}</dt>
          <dd className="min-w-0 break-words">{facts[name as keyof typeof facts]}</dd>
        </div>
      ))}
    </dl>
  );
}

function Detail({ task }: { readonly task: Task }) {
  const { polls = [], error } = task;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 font-medium">
        <span className="break-all">{`${task.model} → ${task.provider}/${task.upstream_model}`}</span>
        <StateMark state={task.state} />
        <span>{`${task.progress} %`}</span>
      </p>
      {error === null ? null : <p className="mt-1">{error.message}</p>}
      <div className="mt-2">
        <TaskActions task={task} />
      </div>
      <Facts task={task} />
      <Allowed resource="tasks" verb="content">
        <Preview task={task} />
      </Allowed>
      <Section title={words.polls}>
        {polls.length === 0 ? (
          <p className="text-muted">{words.noPolls}</p>
        ) : (
          <Table name="polls" label={words.polls} columns={columns} rows={polls} idOf={(poll) => String(poll.number)} />
        )}
      </Section>
    </>
  );
}

export function TaskDrawer({ id, close }: { readonly id: string; readonly close: () => void }) {
  const query = useQuery({
    queryKey: ["tasks", id],
    queryFn: () => call<Task>(`tasks/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (["queued", "in_progress"].includes(state.data?.state ?? "") ? 1_000 : false),
  });
  return (
    <Drawer title={fill(words.detail, { id })} isOpen close={close}>
      {query.error !== null && query.data === undefined ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loaded query={query}>{(task) => <Detail task={task} />}</Loaded>
      )}
    </Drawer>
  );
}
