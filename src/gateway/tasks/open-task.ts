// The two rows of a new task, its own and the ledger's, written before any candidate is called.

import { randomId } from "../../lib/ids.ts";
import type { Provider } from "../../providers/provider.ts";
import { endUserKey } from "../../store/end-users.ts";
import { deleteTask, insertTask, type TaskRow } from "../../store/tasks.ts";
import type { LedgerEntry, LedgerOpening } from "../ledger/types.ts";
import type { ledgerNames } from "../policy/caller.ts";
import type { TaskDependencies } from "./dependencies.ts";
import type { Submit } from "./submit.ts";
import { changeOf, operation, type Task } from "./task.ts";

/** The task before any candidate is called. */
export function newTask(
  dependencies: TaskDependencies,
  {
    request,
    caller,
    client,
    origin,
    requestId,
  }: Pick<Submit, "request" | "caller" | "client" | "origin" | "requestId">,
  provider: Provider,
  exchangeId: string,
): Task {
  const nowMs = dependencies.gateway.clock.nowMs();
  const { model, prompt, seconds, width, height, externalId, callbackUrl } = request;
  const effect = Object.fromEntries(
    Object.entries({ seconds, width, height }).filter(([, value]) => value !== undefined),
  );
  return {
    id: randomId(client.idPrefix),
    ownerKeyId: caller.keyId,
    provider: provider.entry.name,
    upstreamId: null,
    state: "queued",
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    internals: {
      model,
      upstream: "",
      upstreamState: {},
      exchangeId,
      requestId,
      attempts: 0,
      warnings: [],
      acceptedAtMs: nowMs,
      deadlineMs: nowMs + dependencies.gateway.limits.videoTaskMs,
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

/**
 * The first row: if the process stops before the upstream has answered, the poller finds it after the submit must have
 * ended.
 */
function rowOf(dependencies: TaskDependencies, task: Task): TaskRow {
  const { id, ownerKeyId, createdAtMs } = task;
  const heldUntilMs = createdAtMs + 2 * dependencies.gateway.limits.videoSubmitMs;
  return {
    ...changeOf(task, heldUntilMs),
    id,
    ownerKeyId,
    operation: operation,
    createdAtMs,
    nextPollAtMs: heldUntilMs,
    expiresAtMs: createdAtMs + dependencies.retentionMs,
    leaseOwner: dependencies.leaseOwner,
    leaseUntilMs: heldUntilMs,
    ledger: dependencies.gateway.ledger.id,
  };
}

/** Writes both rows: the task's, then the ledger's. The entry settles the ledger's row, from any process. */
export async function openTask(
  { gateway, store, ...dependencies }: TaskDependencies,
  task: Task,
  dialect: string,
  who: ReturnType<typeof ledgerNames> & Pick<LedgerOpening, "reservedNanoDollars">,
): Promise<LedgerEntry> {
  const { project, endUser } = who;
  await insertTask(store, {
    ...rowOf({ gateway, store, ...dependencies }, task),
    endUser: endUser === null ? null : endUserKey(project, endUser),
  });
  const { internals, view, createdAtMs: atMs } = task;
  const { exchangeId: id, requestId = id } = internals;
  const { costVersion, priceVersion } = gateway.prices;
  const opening = { id, requestId, atMs, ...who, operation: operation, dialect, model: view.model, stream: false };
  try {
    // A video is priced by the second, so its row has no tokens.
    await gateway.ledger.openPending({ ...opening, inputTokens: 0, inputBound: 0, costVersion, priceVersion });
  } catch (thrown) {
    await deleteTask(store, task.id);
    throw thrown;
  }
  return {
    progress: () => undefined,
    async settle(settlement, failedAttempts = []) {
      gateway.ledger.recordAttempts(id, failedAttempts);
      await gateway.ledger.settlePending(id, settlement);
      return true;
    },
  };
}
