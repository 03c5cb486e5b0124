// What can be done with a task: its request is opened, and a running one is canceled.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import type { Task } from "../../data/types.ts";
import { texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button } from "../../ui/basics.tsx";
import { PlaceLink } from "../../ui/place-link.tsx";
import { Failure } from "../../ui/states.tsx";

const words = texts.tasks;
const isRunning = ({ state }: Task): boolean => state === "queued" || state === "in_progress";

export function TaskActions({ task }: { readonly task: Task }) {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const cancel = () =>
    call(`tasks/${task.id}/cancel`, { method: "POST" }).then(
      () => queries.invalidateQueries({ queryKey: ["tasks"] }),
      setError,
    );
  return (
    <span className="flex items-center gap-2">
      <PlaceLink to="/requests" search={{ open: task.exchange_id }}>
        {words.request}
      </PlaceLink>
      <Allowed resource="tasks" verb="cancel">
        {isRunning(task) ? <Button onClick={() => void cancel()}>{words.cancel}</Button> : null}
      </Allowed>
      {error === null ? null : <Failure error={error} />}
    </span>
  );
}
