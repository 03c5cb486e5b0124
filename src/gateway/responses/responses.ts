// The room of stored responses: made, continued, followed, told again, cancelled and deleted, each for its owner alone.
import { GatewayError } from "../../canonical/error.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { deletedResponse, finalEvent, listPage, parseListQuery } from "../../dialects/stored-responses.ts";
import type { JsonObject } from "../../lib/json.ts";
import { formatFrame } from "../../lib/sse.ts";
import { advanceResponse, deleteResponse, findResponse, type ResponseRow } from "../../store/responses.ts";
import { type IncomingRequest, streamEncoderOf } from "../pipeline/incoming-request.ts";
import type { GatewayReply } from "../pipeline/request-context.ts";
import { createBackgroundRuns } from "./background-runs.ts";
import { compact } from "./compaction.ts";
import { bodyOf, inputOf } from "./conversation.ts";
import { create } from "./create.ts";
import type { ResponsesDependencies } from "./dependencies.ts";
import { startMaintenance } from "./maintenance.ts";
import { countInput } from "./token-count.ts";

/** Reads one query parameter. */
export type Parameter = (name: string) => string | null;

export interface Responses {
  create(incoming: IncomingRequest): Promise<GatewayReply>;
  compact(incoming: IncomingRequest): Promise<GatewayReply>;
  countInput(incoming: IncomingRequest): Promise<GatewayReply>;
  /** Each throws `object_not_found` (404) for an id that this owner does not have. */
  get(id: string, ownerKeyId: string): Promise<JsonObject>;
  /** The events of a response in the background, behind number `starting_after`. */
  follow(id: string, ownerKeyId: string, parameter: Parameter, dialect: Dialect): Promise<GatewayReply>;
  inputItems(id: string, ownerKeyId: string, parameter: Parameter): Promise<JsonObject>;
  cancel(id: string, ownerKeyId: string): Promise<JsonObject>;
  remove(id: string, ownerKeyId: string): Promise<JsonObject>;
  /** Waits for what runs in the background, at most so long. */
  close(patienceMs: number): Promise<void>;
}

const encoder = new TextEncoder();

function unknown(id: string): GatewayError {
  const shown = /^[\w-]{1,80}$/.test(id) ? `'${id}' ` : "";
  return new GatewayError("object_not_found", `The response ${shown}was not found.`);
}

const bad = (param: string, message: string): GatewayError => new GatewayError("invalid_value", message, { param });

/** The number behind which events are wanted; -1 for all. */
function startingAfter(parameter: Parameter): number {
  const text = parameter("starting_after") ?? "";
  if (text === "") return -1;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw bad("starting_after", "'starting_after' must be the sequence number of an event.");
}

/** The events of a run are not kept for ever: then its end is all that can be told. */
function ending(response: JsonObject, after: number): ReadableStream<Uint8Array> {
  const event = finalEvent(response, after + 1);
  const frames = event === null ? [] : [{ event: String(event.type), data: JSON.stringify(event) }];
  return new Blob([encoder.encode(frames.map(formatFrame).join(""))]).stream();
}

const cancelledRow = (id: string, response: JsonObject) => {
  const body = JSON.stringify({ ...response, status: "cancelled" });
  return { id, state: "cancelled", body, aliveUntilMs: null };
};

/** Opens the room. Responses that a dead process left unfinished have failed when this resolves. */
export async function openResponses(dependencies: ResponsesDependencies): Promise<Responses> {
  const { store, gateway } = dependencies;
  const runs = createBackgroundRuns(dependencies);
  const upkeep = await startMaintenance(dependencies, runs);
  const rowFor = async (id: string, ownerKeyId: string): Promise<ResponseRow> => {
    const row = await findResponse(store, id, ownerKeyId, gateway.clock.nowMs());
    if (row === undefined) throw unknown(id);
    return row;
  };
  return {
    create: (incoming) => create(dependencies, runs, incoming),
    compact: (incoming) => compact(dependencies, incoming),
    countInput: (incoming) => countInput(dependencies, incoming),
    get: async (id, ownerKeyId) => bodyOf(await rowFor(id, ownerKeyId)),
    async follow(id, ownerKeyId, parameter, dialect) {
      const row = await rowFor(id, ownerKeyId);
      const response = bodyOf(row);
      if (response.background !== true) throw bad("stream", "Only a background response can be streamed.");
      const after = startingAfter(parameter);
      const run = runs.find(id, ownerKeyId);
      if (run === undefined && row.aliveUntilMs !== null)
        throw bad("stream", "Another instance of the gateway is running this response. Retrieve it without 'stream'.");
      if (run === undefined) return { body: ending(response, after), by: null };
      if (after + 1 < run.log.first())
        throw bad("starting_after", `Events before sequence number ${run.log.first()} are no longer available.`);
      const { heartbeatMs } = gateway.streamTimers;
      const { heartbeat } = streamEncoderOf(dialect, id);
      return { body: run.log.follow(after, { heartbeatMs, heartbeat: () => heartbeat(true) }), by: null };
    },
    inputItems: async (id, ownerKeyId, parameter) =>
      listPage(inputOf(await rowFor(id, ownerKeyId)), parseListQuery(parameter)),
    async cancel(id, ownerKeyId) {
      const response = bodyOf(await rowFor(id, ownerKeyId));
      if (response.background !== true) throw bad("response_id", "Only a background response can be canceled.");
      const run = runs.find(id, ownerKeyId);
      // Another instance notices at its next sign of life that nothing is left to do.
      if (run === undefined) await advanceResponse(store, cancelledRow(id, response));
      else await run.cancel();
      return bodyOf(await rowFor(id, ownerKeyId));
    },
    async remove(id, ownerKeyId) {
      if (!(await deleteResponse(store, id, ownerKeyId))) throw unknown(id);
      await runs.find(id, ownerKeyId)?.cancel();
      runs.forget(id);
      return deletedResponse(id);
    },
    async close(patienceMs) {
      await runs.close(patienceMs);
      upkeep.stop();
    },
  };
}
