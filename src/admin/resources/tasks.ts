// Tasks: videos of all keys, without their prompts, and their cancellation.
import { Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import { isFinal } from "../../canonical/video.ts";
import type { PollRecord } from "../../gateway/tasks/poll-history.ts";
import { taskOf } from "../../gateway/tasks/task.ts";
import type { Videos } from "../../gateway/tasks/videos.ts";
import type { JsonObject } from "../../lib/json.ts";
import { findLinkedTask, listAllTasks, type TaskRow } from "../../store/tasks.ts";
import { closed, integer, isoTime, nullable, shortText, text, time } from "../fields.ts";
import { list, pageOf, type Resource } from "../resource.ts";

const states = ["queued", "in_progress", "completed", "failed", "cancelled", "expired"];

const poll = Type.Object({
  number: integer("Which poll it was, from 1. Of many, the first 10 and the newest 30 are stored."),
  at: time("When the provider was asked."),
  duration_ms: integer("How long it took."),
  status: nullable(integer("The HTTP status of the provider; null if there was no reply.")),
  error: nullable(text("The kind of error; null if the reply was understood.")),
  message: nullable(text("The provider's message, without credentials and signatures.")),
  state: text("The state after it."),
  progress: integer("Percent after it."),
  wait_ms: nullable(integer("How long until the next poll; null after the last.")),
});

const object = Type.Object({
  object: Type.Literal("task"),
  id: text("The task's ID."),
  operation: text("`video`."),
  key_id: text("The key that created it."),
  model: text("The model as the client named it."),
  provider: text("The provider."),
  upstream_model: text("The provider's model ID."),
  upstream_id: nullable(text("The provider's ID.")),
  state: text("`queued`, `in_progress`, `completed`, `failed`, `cancelled` or `expired`."),
  progress: integer("Percent."),
  results: integer("Number of videos."),
  error: nullable(Type.Object({ code: text("Code."), message: text("Message.") })),
  exchange_id: text("ID of the request in `requests`."),
  created_at: time("When it was created."),
  updated_at: time("When its state last changed."),
  expires_at: time("Until when it can be retrieved."),
  polls: Type.Optional(Type.Array(poll, { description: "How the provider was asked for it, in order. Not in lists." })),
});

const filters = Type.Object(
  {
    state: Type.Optional(Type.Enum(states, { type: "string", description: "Only in this state." })),
    key_id: Type.Optional(shortText("Only of this key.")),
    provider: Type.Optional(shortText("Only of this provider.")),
  },
  closed,
);

function written(row: TaskRow): JsonObject {
  const { id, ownerKeyId, provider, upstreamId, state, createdAtMs, updatedAtMs, internals, view } = taskOf(row);
  const { failure } = view;
  return {
    object: "task",
    ...{ id, operation: row.operation, key_id: ownerKeyId, model: view.model, provider },
    ...{ upstream_model: internals.model, upstream_id: upstreamId, state },
    ...{ progress: view.percent, results: view.results.length },
    error: failure === undefined ? null : { code: failure.code, message: failure.message },
    exchange_id: internals.exchangeId,
    ...{ created_at: isoTime(createdAtMs), updated_at: isoTime(updatedAtMs), expires_at: isoTime(row.expiresAtMs) },
  };
}

const writtenPoll = ({ atMs, durationMs, percent, waitMs, ...poll }: PollRecord): JsonObject => ({
  ...{ ...poll, at: isoTime(atMs), duration_ms: durationMs, progress: percent, wait_ms: waitMs },
});

const writtenWhole = (row: TaskRow): JsonObject => ({
  ...written(row),
  polls: (taskOf(row).internals.polls ?? []).map(writtenPoll),
});

export function tasks(videos: () => Pick<Videos, "cancel">): Resource {
  return {
    ...{ name: "tasks", title: "task", object, files: ["content"] },
    list: list(filters, [0, ""], async ({ store, nowMs }, { filters: wanted, limit, after }) => {
      const [createdAtMs, id] = (after ?? []) as [number?, string?];
      const place = createdAtMs === undefined || id === undefined ? {} : { after: { createdAtMs, id } };
      const { state, key_id: ownerKeyId, provider } = wanted;
      const rows = await listAllTasks(store, { state, ownerKeyId, provider, nowMs, limit: limit + 1, ...place });
      return pageOf(rows, limit, { write: written, place: (row) => [row.createdAtMs, row.id] });
    }),
    async get({ store, nowMs }, id) {
      const row = await findLinkedTask(store, id, nowMs);
      return row === undefined ? undefined : writtenWhole(row);
    },
    actions: {
      cancel: {
        summary: "Cancels a task that is not over.",
        scope: "object",
        effect: "outside",
        async run({ store, nowMs }, id) {
          const row = await findLinkedTask(store, id, nowMs);
          if (row === undefined) throw new GatewayError("object_not_found", "The task does not exist.");
          const task = taskOf(row);
          if (isFinal(task.state))
            throw new GatewayError("already_exists", `The task is ${task.state}.`, { code: "task_over" });
          await videos().cancel(id, task.ownerKeyId);
          return undefined;
        },
      },
    },
  };
}
