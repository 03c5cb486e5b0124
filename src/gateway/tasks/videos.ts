// Video tasks: create, get, list, content, remix, cancel and delete, each for its owner only.
import { GatewayError } from "../../canonical/error.ts";
import { isFinal } from "../../canonical/video.ts";
import { unsupported } from "../../dialects/errors.ts";
import type { VideoClient, VideoView } from "../../dialects/video/client.ts";
import type { Store } from "../../store/store.ts";
import {
  findLinkedTask,
  findTask,
  listTasks,
  softDeleteTask,
  type TaskListing,
  type TaskRow,
} from "../../store/tasks.ts";
import { cancelRevoked, cancelTask } from "./cancel.ts";
import type { ContentRequest } from "./content.ts";
import { contentOf } from "./content.ts";
import type { Created } from "./create.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { generateVideo, type Remixer, remixTask } from "./generate.ts";
import { removeBytes } from "./results.ts";
import type { Content } from "./source-body.ts";
import type { Submit } from "./submit.ts";
import { operation, type Task, taskOf } from "./task.ts";
import { failures } from "./task-state.ts";
import { checkLink, type LinkClaim, viewFor } from "./task-view.ts";
import { notifyUpstream } from "./upstream-client.ts";
import { startWorkers } from "./workers.ts";

/** A page of an owner's tasks. */
export interface PageRequest {
  readonly limit: number;
  readonly isDescending: boolean;
  /** The id of the last task of the previous page. */
  readonly after: string | null;
}

export interface Videos {
  create(submit: Submit): Promise<Created>;
  /** Each throws `object_not_found` (404) for an id that this owner does not have. */
  get(id: string, ownerKeyId: string): Promise<Task>;
  content(id: string, ownerKeyId: string, request: ContentRequest): Promise<Content>;
  /** The same with a signed link. Throws status 403 for an invalid one. */
  linkedContent(claim: LinkClaim, request: ContentRequest): Promise<Content>;
  /** A task as its owner sees it; `origin` is where the client reached the gateway. */
  view(task: Task, origin: string): VideoView;
  remix(id: string, remixer: Remixer, client: VideoClient, prompt: string): Promise<Created>;
  /** Cancels an unfinished task. */
  cancel(id: string, ownerKeyId: string): Promise<Task>;
  /** Cancels every unfinished task whose key was revoked together with its running work. */
  cancelRevoked(): Promise<void>;
  /** Cancels it, and hides it from its owner. */
  remove(id: string, ownerKeyId: string): Promise<void>;
  list(ownerKeyId: string, page: PageRequest): Promise<{ readonly tasks: readonly Task[]; readonly hasMore: boolean }>;
  /** Waits for work in progress, up to a limit; tasks continue at the next start. */
  close(patienceMs: number): Promise<void>;
}

const unknown = (): GatewayError => new GatewayError("object_not_found", "The task was not found.");
const idForm = /^[A-Za-z]{1,16}_[A-Za-z0-9]{8,64}$/;

/** An unavailable store is only logged: videos are still served from their providers. */
async function checkTarget({ results, gateway: { events } }: TaskDependencies): Promise<void> {
  const problem = await results.target?.findProblem();
  if (typeof problem === "string") events.resultsUnavailable(problem);
}

async function listPage(store: Store, listing: Omit<TaskListing, "operation">): ReturnType<Videos["list"]> {
  const rows = await listTasks(store, { ...listing, operation, limit: listing.limit + 1 });
  return { tasks: rows.slice(0, listing.limit).map(taskOf), hasMore: rows.length > listing.limit };
}

/** Starts polling and jobs, and continues the work of an earlier process. */
export async function openVideos(dependencies: TaskDependencies): Promise<Videos> {
  const { store, gateway } = dependencies;
  void checkTarget(dependencies);
  const workers = await startWorkers(dependencies);
  const rowFor = async (id: string, ownerKeyId: string, nowMs = gateway.clock.nowMs()): Promise<TaskRow> => {
    const row = idForm.test(id) ? await findTask(store, id, ownerKeyId, nowMs) : undefined;
    if (row === undefined || row.operation !== operation) throw unknown();
    return row;
  };
  const get = async (id: string, ownerKeyId: string): Promise<Task> => taskOf(await rowFor(id, ownerKeyId));
  const cancel = async (id: string, ownerKeyId: string): Promise<Task> => {
    const row = await rowFor(id, ownerKeyId);
    const task = taskOf(row);
    if (isFinal(task.state)) return task;
    await cancelTask(dependencies, row, failures.cancelled);
    return get(id, ownerKeyId);
  };
  return {
    create: (submit) => generateVideo(dependencies, submit),
    get,
    content: async (id, ownerKeyId, request) => contentOf(dependencies, await get(id, ownerKeyId), request),
    async linkedContent(claim, request) {
      const nowMs = gateway.clock.nowMs();
      checkLink(dependencies, claim, nowMs);
      const row = await findLinkedTask(store, claim.id, nowMs);
      if (row === undefined || row.operation !== operation) throw unknown();
      return contentOf(dependencies, taskOf(row), request);
    },
    view: (task, origin) => viewFor(dependencies, task, origin),
    async remix(id, remixer, client, prompt) {
      const source = await get(id, remixer.caller.keyId);
      if (source.state !== "completed") throw unsupported("video_id", "only completed videos can be remixed.");
      return remixTask(dependencies, source, remixer, client, prompt);
    },
    cancel,
    cancelRevoked: () => cancelRevoked(dependencies),
    async remove(id, ownerKeyId) {
      const task = await cancel(id, ownerKeyId);
      if (!(await softDeleteTask(store, id, ownerKeyId, gateway.clock.nowMs()))) throw unknown();
      // What cannot be removed now is removed by the next maintenance.
      await removeBytes(dependencies, task).catch((thrown: unknown) =>
        gateway.events.backgroundTaskFailed("videos", thrown),
      );
      if (task.state === "completed") await notifyUpstream(dependencies, task, "remove");
    },
    async list(ownerKeyId, { limit, isDescending, after }) {
      const nowMs = gateway.clock.nowMs();
      // A deleted task still marks its position until it is purged, for clients that delete while they page.
      const place = after === null ? {} : { after: await rowFor(after, ownerKeyId, 0) };
      return listPage(store, { ownerKeyId, nowMs, limit, isDescending, ...place });
    },
    close: workers.close,
  };
}
