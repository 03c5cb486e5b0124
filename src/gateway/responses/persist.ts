// Writes a response that is being generated to the store, the final state before its last bytes are sent.
import type { Item, ResponseDocument, ResponseFrame, ResponseIdentity } from "../../dialects/dialect.ts";
import type { StoredResponses } from "../../dialects/stored-responses.ts";
import { isObject } from "../../lib/json.ts";
import { putResponseItems } from "../../store/response-items.ts";
import { advanceResponse, type NewResponse, putResponse, type ResponseRow } from "../../store/responses.ts";
import type { Store } from "../../store/store.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import type { StreamInterceptor } from "../streaming/client-stream.ts";
import { readColumn, writeColumn } from "./stored-json.ts";

/** The dependencies of stored responses. */
export interface ResponsesDependencies {
  readonly gateway: Gateway;
  readonly store: Store;
  /** The wire of stored responses. */
  readonly codec: StoredResponses;
  /** The 32 byte key that encrypts summaries. */
  readonly sealKey: Uint8Array;
  /** How long a response is stored; 0: not at all. */
  readonly retentionMs: number;
}

/** A response that is being generated. */
export interface ResponseJob {
  readonly identity: ResponseIdentity;
  readonly ownerKeyId: string;
  /** Every input item, those of earlier responses first; each with an id. */
  readonly input: readonly Item[];
  readonly createdAtMs: number;
  /** With its project; null where the request named none. */
  readonly endUser: string | null;
}

/** The row of a response, with its long texts written. */
export async function jobRow(
  { codec, retentionMs, store }: ResponsesDependencies,
  { identity, ownerKeyId, input, createdAtMs, endUser }: ResponseJob,
  response: ResponseDocument,
  aliveUntilMs: number | null,
): Promise<NewResponse> {
  const { id } = identity;
  const owner = { responseId: id, expiresAtMs: createdAtMs + retentionMs };
  return {
    id,
    ownerKeyId,
    state: codec.documents.state(response),
    input: await writeColumn(store, owner, input),
    body: await writeColumn(store, owner, response),
    createdAtMs,
    expiresAtMs: owner.expiresAtMs,
    aliveUntilMs,
    endUser,
  };
}

/** The response in a row. */
export async function documentOf(
  { store }: Pick<ResponsesDependencies, "store">,
  row: ResponseRow,
): Promise<ResponseDocument> {
  const body = await readColumn(store, row.body);
  return isObject(body) ? body : {};
}

/** Every input item of a row. */
export async function inputOf({ store }: Pick<ResponsesDependencies, "store">, row: ResponseRow): Promise<Item[]> {
  const list = await readColumn(store, row.input);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Updates a response. False if it has ended or was deleted. */
export async function advanceTo(
  { store, codec }: Pick<ResponsesDependencies, "store" | "codec">,
  { id, expiresAtMs }: Pick<ResponseRow, "id" | "expiresAtMs">,
  response: ResponseDocument,
  aliveUntilMs: number | null,
): Promise<boolean> {
  const body = await writeColumn(store, { responseId: id, expiresAtMs }, response);
  return advanceResponse(store, { id, state: codec.documents.state(response), body, aliveUntilMs });
}

/** Stores which response has the items, for ids that a provider generated. */
export async function indexItems(
  { codec, store, retentionMs }: ResponsesDependencies,
  { identity, ownerKeyId, createdAtMs }: ResponseJob,
  response: ResponseDocument,
): Promise<void> {
  const foreign = codec.documents.itemIds(response).filter((id) => codec.items.responseOf(id) !== identity.id);
  await putResponseItems(
    store,
    { responseId: identity.id, ownerKeyId, expiresAtMs: createdAtMs + retentionMs },
    foreign,
  );
}

/** False if it is not to be stored, or could not be: the reply is valid anyway. */
async function store(
  dependencies: ResponsesDependencies,
  job: ResponseJob,
  response: ResponseDocument,
): Promise<boolean> {
  if (!job.identity.isStored) return false;
  try {
    await putResponse(dependencies.store, await jobRow(dependencies, job, response, null));
    await indexItems(dependencies, job, response);
    return true;
  } catch (thrown) {
    dependencies.gateway.events.backgroundTaskFailed("responses", thrown);
    return false;
  }
}

/** The time in Unix seconds. */
export function nowSeconds({ gateway }: Pick<ResponsesDependencies, "gateway">): number {
  return Math.floor(gateway.clock.nowMs() / 1000);
}

/** The completed response for the client, which is on disk if it is marked as stored. */
export async function persistFinal(
  dependencies: ResponsesDependencies,
  job: ResponseJob,
  response: ResponseDocument,
): Promise<{ readonly response: ResponseDocument; readonly isStored: boolean }> {
  const { documents } = dependencies.codec;
  const ended = documents.ended(response, nowSeconds(dependencies));
  const isStored = await store(dependencies, job, ended);
  return { response: isStored === job.identity.isStored ? ended : documents.unstored(ended), isStored };
}

/** Stores the response of a stream before its last frames are sent. A failed one is not stored. */
export function persistingInterceptor(dependencies: ResponsesDependencies, job: ResponseJob): StreamInterceptor {
  const persisted = async (frame: ResponseFrame): Promise<ResponseFrame> =>
    frame.response === undefined || frame.withResponse === undefined
      ? frame
      : frame.withResponse((await persistFinal(dependencies, job, frame.response)).response);
  return {
    pass: () => undefined,
    last: async (frames, error) => (error === null ? Promise.all(frames.map(persisted)) : frames),
  };
}
