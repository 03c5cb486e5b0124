// Keeping a finished response, and putting it under the gateway's own id before it leaves.
import type { ResponseIdentity } from "../../dialects/stored-response-contract.ts";
import { responseOfItem, timedResponse } from "../../dialects/stored-responses.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { putResponseItems } from "../../store/response-items.ts";
import { putResponse, type ResponseRow } from "../../store/responses.ts";
import type { ResponseJob, ResponsesDependencies } from "./dependencies.ts";

/** The row of a response in some state. */
export function jobRow(
  dependencies: ResponsesDependencies,
  job: ResponseJob,
  response: JsonObject,
  aliveUntilMs: number | null,
): ResponseRow {
  return {
    id: job.id,
    ownerKeyId: job.ownerKeyId,
    state: String(response.status),
    input: JSON.stringify(job.input),
    body: JSON.stringify(response),
    createdAtMs: job.createdAtMs,
    expiresAtMs: job.createdAtMs + dependencies.retentionMs,
    aliveUntilMs,
  };
}

/** Ids that a provider gave do not tell where their item is, so that it is noted. */
export async function noteItems(
  dependencies: ResponsesDependencies,
  job: ResponseJob,
  response: JsonObject,
): Promise<void> {
  const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
  const ids = output.flatMap(({ id }) => (typeof id === "string" && id !== "" ? [id] : []));
  const place = {
    responseId: job.id,
    ownerKeyId: job.ownerKeyId,
    expiresAtMs: job.createdAtMs + dependencies.retentionMs,
  };
  const foreign = ids.filter((id) => responseOfItem(id) !== job.id);
  await putResponseItems(dependencies.store, place, foreign);
}

/** Stores a finished response. False when it is not to be kept, or could not be: the answer is good all the same. */
async function kept(dependencies: ResponsesDependencies, job: ResponseJob, response: JsonObject): Promise<boolean> {
  if (!job.isKept) return false;
  try {
    await putResponse(dependencies.store, jobRow(dependencies, job, response, null));
    await noteItems(dependencies, job, response);
    return true;
  } catch (thrown) {
    dependencies.gateway.events.backgroundFailed("responses", thrown);
    return false;
  }
}

/** What the gateway says of a response while it is made. */
export function identityOfJob({ id, isKept, isBackground, previousResponseId }: ResponseJob): ResponseIdentity {
  return { id, isStored: isKept, isBackground, previousId: previousResponseId };
}

/** The finished response as the client gets it: it is on disk when it says that it is stored. */
export async function persistFinal(
  dependencies: ResponsesDependencies,
  job: ResponseJob,
  response: JsonObject,
): Promise<JsonObject> {
  const endedAt = Math.floor(dependencies.gateway.clock.nowMs() / 1000);
  const own = timedResponse(response, endedAt);
  return (await kept(dependencies, job, own)) === job.isKept ? own : { ...own, store: false };
}
