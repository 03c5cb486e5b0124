// Stored responses from creation to end, and the frames that open and end their streams.
import type { JsonObject } from "../../lib/json.ts";
import type { WriteContext } from "../dialect.ts";
import type { ResponseDocuments, ResponseFrames } from "../stored-responses.ts";
import { failedFrame } from "./error.ts";
import { numberedEvent } from "./item-writer.ts";
import { echo, identityOf, responseHead, type Standing } from "./response-object.ts";
import { continuation, outputIds } from "./stored-items.ts";

function queued(context: WriteContext): JsonObject {
  const standing: Standing = { status: "in_progress", output: [], usage: null };
  return { ...responseHead(identityOf(context, { model: "" }), standing), status: "queued", ...echo(context) };
}

/** Adds the completion time to a completed response that has none. */
function ended(response: JsonObject, atSeconds: number): JsonObject {
  const isTimed = response.status !== "completed" || typeof response.completed_at === "number";
  return isTimed ? response : { ...response, completed_at: atSeconds };
}

const gatewayStopped: JsonObject = {
  code: "server_error",
  message: "The gateway stopped before the response was complete.",
};

export const documents: ResponseDocuments = {
  queued,
  started: (response) => ({ ...response, status: "in_progress" }),
  ended,
  unstored: (response) => ({ ...response, store: false }),
  cancelled: (response, items) => ({
    ...response,
    status: "cancelled",
    ...(items === undefined ? {} : { output: [...items] }),
  }),
  abandoned: (response) => ({ ...response, status: "failed", error: gatewayStopped }),
  deleted: (id) => ({ id, object: "response", deleted: true }),
  state: ({ status }) => String(status),
  isBackground: ({ background }) => background === true,
  itemIds: outputIds,
  continuation,
};

const finalStates = new Set<unknown>(["completed", "incomplete", "failed"]);

export const frames: ResponseFrames = {
  opening: (response) => numberedEvent("response.created", 0, { response }),
  final: (response, number) =>
    finalStates.has(response.status) ? numberedEvent(`response.${response.status}`, number, { response }) : null,
  failed: failedFrame,
};
