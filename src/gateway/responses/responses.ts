// Stored responses: create, continue, stream, retrieve, cancel and delete, each for its owner only.
import { GatewayError } from "../../canonical/error.ts";
import type { Dialect, ResponseDocument } from "../../dialects/dialect.ts";
import type { Parameter } from "../../dialects/stored-responses.ts";
import type { JsonObject } from "../../lib/json.ts";
import { encodeFrames, type Frame } from "../../lib/sse.ts";
import { deleteResponse, findResponse, type ResponseRow } from "../../store/responses.ts";
import { type IncomingRequest, streamEncoderOf } from "../pipeline/gateway-request.ts";
import type { GatewayReply } from "../pipeline/request-context.ts";
import { createBackgroundRuns, startMaintenance } from "./background-runs.ts";
import { compact } from "./compaction.ts";
import { countInput, create } from "./create.ts";
import { advanceTo, documentOf, inputOf, type ResponsesDependencies } from "./persist.ts";

export interface Responses {
  create(incoming: IncomingRequest): Promise<GatewayReply>;
  compact(incoming: IncomingRequest): Promise<GatewayReply>;
  countInput(incoming: IncomingRequest): Promise<GatewayReply>;
  /** Each throws `object_not_found` (404) for an id that this owner does not have. */
  get(id: string, ownerKeyId: string): Promise<ResponseDocument>;
  /** The events of a background response after number `after`. */
  follow(id: string, ownerKeyId: string, after: number, dialect: Dialect): Promise<GatewayReply>;
  listInput(id: string, ownerKeyId: string, parameter: Parameter): Promise<JsonObject>;
  cancel(id: string, ownerKeyId: string): Promise<ResponseDocument>;
  remove(id: string, ownerKeyId: string): Promise<JsonObject>;
  /** Cancels the background runs of a key in this process. */
  cancelOf(ownerKeyId: string, reason: GatewayError): Promise<void>;
  /** Waits for background runs, up to a limit. */
  close(patienceMs: number): Promise<void>;
}

function notFound(id: string): GatewayError {
  const shown = /^[\w-]{1,80}$/.test(id) ? `'${id}' ` : "";
  return new GatewayError("object_not_found", `The response ${shown}was not found.`);
}

const numbered = (frame: Frame | null, number: number): readonly Frame[] =>
  frame === null ? [] : [{ ...frame, id: String(number) }];

/** Opens the service. Unfinished responses of a stopped process have failed when this resolves. */
export async function openResponses(dependencies: ResponsesDependencies): Promise<Responses> {
  const { store, gateway, codec } = dependencies;
  const { documents, frames, refusals } = codec;
  const runs = createBackgroundRuns(dependencies);
  const maintenance = await startMaintenance(dependencies, runs);
  const rowFor = async (id: string, ownerKeyId: string): Promise<ResponseRow> => {
    const row = await findResponse(store, id, ownerKeyId, gateway.clock.nowMs());
    if (row === undefined) throw notFound(id);
    return row;
  };
  return {
    create: (incoming) => create(dependencies, runs, incoming),
    compact: (incoming) => compact(dependencies, incoming),
    countInput: (incoming) => countInput(dependencies, incoming),
    get: async (id, ownerKeyId) => documentOf(dependencies, await rowFor(id, ownerKeyId)),
    async follow(id, ownerKeyId, after, dialect) {
      const row = await rowFor(id, ownerKeyId);
      const response = await documentOf(dependencies, row);
      if (!documents.isBackground(response)) throw refusals.notFollowable();
      const run = runs.find(id, ownerKeyId);
      if (run === undefined && row.aliveUntilMs !== null) throw refusals.runsElsewhere();
      // The events of a run are dropped after a while; then only its end is left.
      const final = run === undefined ? frames.final(response, after + 1) : null;
      if (run === undefined)
        return { body: new Blob([encodeFrames(numbered(final, after + 1))]).stream(), servedBy: null };
      if (after + 1 < run.log.first()) throw refusals.eventsGone(run.log.first());
      const { heartbeatMs } = gateway.streamTimers;
      const { heartbeat } = streamEncoderOf(dialect, id);
      return { body: run.log.follow(after, { heartbeatMs, heartbeat: () => heartbeat(true) }), servedBy: null };
    },
    listInput: async (id, ownerKeyId, parameter) =>
      codec.items.page(await inputOf(dependencies, await rowFor(id, ownerKeyId)), parameter),
    async cancel(id, ownerKeyId) {
      const row = await rowFor(id, ownerKeyId);
      const response = await documentOf(dependencies, row);
      if (!documents.isBackground(response)) throw refusals.notCancellable();
      const run = runs.find(id, ownerKeyId);
      const cancelled = documents.cancelled(response);
      // Another instance detects the end at its next heartbeat.
      if (run === undefined) await advanceTo(dependencies, row, cancelled, null);
      else await run.cancel();
      return documentOf(dependencies, await rowFor(id, ownerKeyId));
    },
    async remove(id, ownerKeyId) {
      if (!(await deleteResponse(store, id, ownerKeyId))) throw notFound(id);
      await runs.find(id, ownerKeyId)?.cancel();
      runs.forget(id);
      return documents.deleted(id);
    },
    cancelOf: runs.cancelOf,
    async close(patienceMs) {
      await runs.close(patienceMs);
      maintenance.stop();
    },
  };
}
