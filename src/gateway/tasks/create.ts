// A new task from the client's request to its answer, with every row at its time.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { isFinal } from "../../canonical/video.ts";
import { missing } from "../../dialects/errors.ts";
import { randomId } from "../../lib/ids.ts";
import type { Provider } from "../../providers/provider.ts";
import { deleteTask, findTask, insertTask, type TaskRow, updateTask } from "../../store/tasks.ts";
import type { ServedBy } from "../pipeline/exchange.ts";
import { checkPrompt } from "../policy/prompt-limits.ts";
import type { Catalog } from "../routing/catalog.ts";
import type { ModelLists } from "../routing/model-lists.ts";
import { type Plan, resolve, resolveUnnamed } from "../routing/resolve.ts";
import { initialDelayMs, jitter } from "./backoff.ts";
import { submitPatienceMs, type TaskDependencies } from "./dependencies.ts";
import { finalize } from "./finalize.ts";
import { notifyUpstream } from "./poll.ts";
import { type AcceptedSubmit, noProvider, type Submit, submitToCandidates } from "./submit.ts";
import { changeOf, operation, type Task } from "./task.ts";
import { applyProgress } from "./task-state.ts";
import { safeProgress } from "./upstream-client.ts";
import { checkCallbackUrl } from "./webhook.ts";

/** An accepted task and who accepted it. */
export interface Created {
  readonly task: Task;
  readonly by: ServedBy;
}

const defaultDeadlineMs = 2 * 60 * 60_000;
/** How often a row is written of which the upstream knows already. */
const writeTries = 5;

/** Who may take it: whoever stands behind what the client's own word for the model stands for, else behind the word. */
function planFor({ gateway }: TaskDependencies, { ask: { model }, client }: Submit): Plan {
  const catalog = gateway.catalog.current();
  const behind = (name: string) => resolve(catalog, gateway.listings.now, name, operation);
  const alias = client.alias?.(model) ?? model;
  if (alias === model || catalog.routes.has(model)) return behind(model);
  try {
    return behind(alias);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    // A refusal says what the client said.
    return behind(model);
  }
}

/** The first candidate of a plan; undefined where there is none. */
function firstOf(plan: () => Plan): Plan["candidates"][number] | undefined {
  try {
    return plan().candidates[0];
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

/** True where the name is that of a route, or of a model that a provider lists. */
function isConfigured(catalog: Catalog, now: ModelLists["now"], model: string): boolean {
  try {
    return resolve(catalog, now, model, operation).found !== "unlisted";
  } catch (thrown) {
    if (thrown instanceof GatewayError) return false;
    throw thrown;
  }
}

/** The submit with the model that answers requests without one, where the client named none and its format's own is not configured. */
function withModel(dependencies: TaskDependencies, submit: Submit): Submit {
  const { ask, client } = submit;
  if (ask.unnamed !== true) return submit;
  const catalog = dependencies.gateway.catalog.current();
  const now = dependencies.gateway.listings.now;
  // A provider that may have any model is no reason to ask for one that nobody configured.
  if (ask.model !== "" && isConfigured(catalog, now, ask.model)) return submit;
  const first = firstOf(() => resolveUnnamed(catalog, now, ask.model, operation));
  if (first !== undefined) return { ...submit, ask: { ...ask, model: `${first.provider.name}/${first.model}` } };
  throw missing(client.fieldPath("model"));
}

/** The task as it is before anybody was asked. */
export function newTask(
  dependencies: TaskDependencies,
  { ask, caller, client, origin, requestId }: Pick<Submit, "ask" | "caller" | "client" | "origin" | "requestId">,
  provider: Provider,
): Task {
  const nowMs = dependencies.gateway.clock.nowMs();
  const { model, prompt, seconds, width, height, externalId, callbackUrl } = ask;
  const effect = Object.fromEntries(
    Object.entries({ seconds, width, height }).filter(([, value]) => value !== undefined),
  );
  return {
    id: randomId(client.idPrefix),
    ownerKeyId: caller.keyId,
    provider: provider.name,
    upstreamId: null,
    state: "queued",
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    internals: {
      model,
      wire: "",
      keep: {},
      exchangeId: dependencies.gateway.nextId(),
      requestId,
      attempts: 0,
      warnings: [],
      acceptedAtMs: nowMs,
      deadlineMs: nowMs + defaultDeadlineMs,
      waitMs: 0,
      troubles: 0,
      misses: 0,
      client: client.name,
      ...(callbackUrl === undefined ? {} : { callbackUrl, origin }),
    },
    view: {
      model,
      effect,
      percent: 0,
      results: [],
      ...(prompt === undefined ? {} : { prompt }),
      ...(externalId === undefined ? {} : { externalId }),
    },
  };
}

/** The first row: if the process dies before the upstream has answered, somebody finds it when the submit is surely over. */
function rowOf(dependencies: TaskDependencies, task: Task): TaskRow {
  const { id, ownerKeyId, createdAtMs } = task;
  const heldUntilMs = createdAtMs + 2 * submitPatienceMs;
  return {
    ...changeOf(task, heldUntilMs),
    id,
    ownerKeyId,
    operation,
    createdAtMs,
    nextPollAtMs: heldUntilMs,
    expiresAtMs: createdAtMs + dependencies.retentionMs,
    leaseOwner: dependencies.leaseOwner,
    leaseUntilMs: heldUntilMs,
    ledger: dependencies.gateway.ledger.id,
  };
}

/** Both rows: the task's, then the ledger's. */
export async function record(dependencies: TaskDependencies, task: Task, dialect: string): Promise<void> {
  await insertTask(dependencies.store, rowOf(dependencies, task));
  const { internals, view, ownerKeyId: keyId, createdAtMs: atMs } = task;
  const requestId = internals.requestId ?? internals.exchangeId;
  const opening = {
    id: internals.exchangeId,
    requestId,
    atMs,
    keyId,
    operation,
    dialect,
    model: view.model,
    stream: false,
  };
  // A video is paid by the second: its row holds no tokens.
  const figures = { inputTokens: 0, inputBound: 0 };
  await dependencies.gateway.ledger.openPending({ ...opening, ...figures }).catch(async (thrown: unknown) => {
    await deleteTask(dependencies.store, task.id);
    throw thrown;
  });
}

/** The same, with the ids of the task's request in every line of the log. */
function forTask(
  dependencies: TaskDependencies,
  { internals: { exchangeId: id, requestId = id } }: Task,
): TaskDependencies {
  return {
    ...dependencies,
    gateway: { ...dependencies.gateway, events: dependencies.gateway.events.of({ id, requestId }) },
  };
}

/** Nobody took it: the ledger says so, and there is no task. */
export async function refuse(
  dependencies: TaskDependencies,
  task: Task,
  failure: GatewayError,
  attempts: number,
): Promise<void> {
  const { gateway, store } = forTask(dependencies, task);
  gateway.events.exchangeFailed(failure);
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = zeroUsage;
  await gateway.ledger.settlePending(task.internals.exchangeId, {
    ...{ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens },
    state: failure.status < 500 && failure.retry === "never" ? "rejected" : "failed",
    httpStatus: failure.status,
    provider: attempts === 0 ? null : task.provider,
    upstreamModel: null,
    attempts,
    units: null,
    estimated: false,
    charged: true,
    costNanoDollars: null,
    priceVersion: null,
    firstByteMs: null,
    durationMs: Math.max(0, gateway.clock.nowMs() - task.createdAtMs),
    errorCode: failure.code,
    warnings: null,
  });
  await deleteTask(store, task.id);
}

/** The task as the upstream took it. */
function accepted(
  dependencies: TaskDependencies,
  task: Task,
  { wire, candidate, rendered, accepted: answer, attempts }: AcceptedSubmit,
): Task {
  const { upstream } = wire;
  const nowMs = dependencies.gateway.clock.nowMs();
  const { deadlineSeconds } = upstream;
  const deadlineMs = nowMs + (deadlineSeconds === undefined ? defaultDeadlineMs : deadlineSeconds * 1000);
  const taken: Task = {
    ...task,
    provider: candidate.provider.name,
    upstreamId: answer.upstreamId,
    updatedAtMs: nowMs,
    internals: {
      ...task.internals,
      model: candidate.model,
      wire: upstream.name,
      keep: { ...rendered.keep, ...answer.keep },
      attempts,
      warnings: rendered.warnings,
      acceptedAtMs: nowMs,
      deadlineMs,
      waitMs: initialDelayMs(upstream),
    },
    view: { ...task.view, effect: { ...task.view.effect, ...rendered.effect } },
  };
  const progress = safeProgress(wire, answer.progress);
  return progress === undefined ? taken : applyProgress(taken, progress, upstream, nowMs);
}

/** Whether the row knows what the upstream took: an earlier try may have written it although it seemed to fail. */
async function isKept({ store, gateway }: TaskDependencies, { id, ownerKeyId, upstreamId }: Task): Promise<boolean> {
  return (await findTask(store, id, ownerKeyId, gateway.clock.nowMs()))?.upstreamId === upstreamId;
}

/** The upstream has it: the row is worth more than one try. False when it was ended meanwhile, as by its owner. */
async function keep(dependencies: TaskDependencies, task: Task): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      const nextPollAtMs = task.updatedAtMs + jitter(task.internals.waitMs, dependencies);
      const isWritten = await (isFinal(task.state)
        ? finalize(dependencies, task, "held", dependencies.gateway.ledger.id)
        : updateTask(dependencies.store, task.id, dependencies.leaseOwner, changeOf(task, nextPollAtMs)));
      return isWritten || (await isKept(dependencies, task));
    } catch (thrown) {
      if (tries >= writeTries)
        throw new GatewayError("submit_unconfirmed", "The accepted task could not be stored.", { cause: thrown });
    }
  }
}

/** Keeps what was taken, and says who took it. */
export async function acceptTask(dependencies: TaskDependencies, task: Task, taken: AcceptedSubmit): Promise<Created> {
  const kept = accepted(dependencies, task, taken);
  if (!(await keep(dependencies, kept))) {
    await notifyUpstream(dependencies, kept, "cancel");
    throw new GatewayError("submit_unconfirmed", "The task was canceled before the provider confirmed it.");
  }
  const { candidate, attempts, rendered } = taken;
  return { task: kept, by: { candidate, requestedModel: kept.view.model, attempts, warnings: rendered.warnings } };
}

/** Makes a task. Throws GatewayError when nobody took it, or when that is not known. */
export async function createTask(dependencies: TaskDependencies, given: Submit): Promise<Created> {
  const lease = dependencies.gateway.admission.admit(given.caller.keyId);
  try {
    checkPrompt(given.ask.prompt, dependencies.gateway.limits);
    const submit = withModel(dependencies, given);
    const plan = planFor(dependencies, submit);
    const [first] = plan.candidates;
    if (first === undefined) throw noProvider();
    const { callbackUrl, callbackPath } = submit.ask;
    if (callbackUrl !== undefined)
      await checkCallbackUrl(callbackUrl, callbackPath, submit.signal(), dependencies.gateway, submit.caller.keyId);
    const task = newTask(dependencies, submit, first.provider);
    await record(dependencies, task, submit.client.name);
    const outcome = await submitToCandidates(forTask(dependencies, task), submit, plan, task.id).catch(
      (thrown: unknown) => ({
        failure: toGatewayError(thrown),
        attempts: 0,
      }),
    );
    if (!("failure" in outcome)) return await acceptTask(dependencies, task, outcome);
    await refuse(dependencies, task, outcome.failure, outcome.attempts);
    throw outcome.failure;
  } finally {
    lease.release();
  }
}
