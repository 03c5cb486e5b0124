// Video tasks over HTTP: validates a body, calls the task service, writes a task in the client's format.

import type { TSchema } from "typebox";
import type { VideoRequest } from "../canonical/video.ts";
import type { UploadedFile } from "../dialects/dialect.ts";
import { namedUser } from "../dialects/named-user.ts";
import type { VideoClient, VideoView, VideoWriteContext } from "../dialects/video/client.ts";
import { anonymous, type Caller } from "../gateway/policy/caller.ts";
import type { EndUsers } from "../gateway/policy/end-users.ts";
import type { Rates } from "../gateway/policy/rates.ts";
import type { Created } from "../gateway/tasks/create.ts";
import type { Task } from "../gateway/tasks/task.ts";
import type { Videos } from "../gateway/tasks/videos.ts";
import type { Clock } from "../lib/clock.ts";
import { betweenPhases } from "../lib/event-loop-turn.ts";
import { hopsHeader } from "../lib/hops.ts";
import type { JsonObject } from "../lib/json.ts";
import type { HandlerContext } from "./endpoint.ts";
import { type AnswerOnce, idempotencyKeyOf } from "./idempotent.ts";
import { type ReadBody, type ReadLimits, readJson } from "./read.ts";
import { isForm, readFormFor } from "./read-form.ts";
import { pathOf } from "./target.ts";
import { validated } from "./validate.ts";
import { writeJson, writeReply } from "./write.ts";

/** The dependencies of video tasks, as a function. */
export type VideoPartsOf = () => {
  readonly videos: Videos;
  readonly endUsers: EndUsers;
  readonly rates: Pick<Rates, "poll">;
  readonly clock: Clock;
  readonly limits: ReadLimits;
  readonly answerOnce: AnswerOnce;
};

/** The caller of a row that requires a key. */
export const callerOf = ({ caller }: HandlerContext): Caller => caller ?? anonymous;

/** The caller, on behalf of the end user that the request names. */
export function namedCaller(
  parts: VideoPartsOf,
  visit: HandlerContext,
  wire: JsonObject,
): { readonly caller: Caller; readonly session: string | null } {
  const { user, session } = namedUser(wire, { header: (name) => visit.request.headers.get(name) });
  return { caller: parts().endUsers.of(callerOf(visit), user), session };
}

/** A status request by POST counts as a poll, like others. */
export const countPoll = (parts: VideoPartsOf, visit: HandlerContext): void => parts().rates.poll(callerOf(visit));

/** The validated body. Throws status 400, 413 or 415. */
export async function readValid(
  parts: VideoPartsOf,
  { request }: HandlerContext,
  schema: TSchema,
  takesForm: boolean,
): Promise<ReadBody> {
  const { limits } = parts();
  const body: ReadBody = await (takesForm && isForm(request)
    ? readFormFor(schema, request, limits)
    : readJson(request, limits));
  const wire = validated(schema, body.wire, body.mayBeExact);
  await betweenPhases(body.bytes);
  return { ...body, wire };
}

/** A task as its owner sees it; bytes without a public URL are served under the gateway's own. */
export function seen(parts: VideoPartsOf, { origin }: HandlerContext, task: Task): VideoView {
  return parts().videos.view(task, origin());
}

export function contextOf(parts: VideoPartsOf, { requestId, arrivedMs }: HandlerContext): VideoWriteContext {
  return { requestId, elapsedMs: Math.max(0, parts().clock.monotonicMs() - arrivedMs) };
}

/** The response to a create request, with the provider in its headers. */
function writeCreated(
  parts: VideoPartsOf,
  client: VideoClient,
  visit: HandlerContext,
  { task, servedBy }: Created,
): Response {
  const body: JsonObject = client.renderCreated(seen(parts, visit, task), contextOf(parts, visit));
  return writeReply({ body: JSON.stringify(body), servedBy: servedBy }, visit.requestId, []);
}

const isStrict = ({ headers }: Request): boolean => headers.get("x-turnpike-strict")?.toLowerCase() === "true";

/** Starts a task. */
export async function submitTask(parts: VideoPartsOf, client: VideoClient, visit: HandlerContext): Promise<Response> {
  const { request } = visit;
  const { wire, files = [] } = await readValid(parts, visit, client.schema, client.acceptsForm ?? false);
  const header = (name: string): string | null => request.headers.get(name);
  const envelope = { header, params: visit.params, ...(files.length === 0 ? {} : { files }) };
  const canonicalRequest = client.parse(wire, envelope);
  const ignoredFields = client.ignoredFields?.(wire, envelope) ?? [];
  const strict = isStrict(request);
  const submit = {
    ...{ client, ignoredFields, strict, request: canonicalRequest, ...namedCaller(parts, visit, wire) },
    origin: visit.origin(),
    hops: header(hopsHeader),
    requestId: visit.requestId,
  };
  const start = (signal: () => AbortSignal) => parts().videos.create({ ...submit, signal });
  const { caller } = submit;
  return answerCreated(parts, { client, visit, caller, request: canonicalRequest, wire, files }, start);
}

/** A parsed create request. */
interface ReadSubmit {
  readonly client: VideoClient;
  readonly visit: HandlerContext;
  readonly caller: Caller;
  readonly request: VideoRequest;
  readonly wire: JsonObject;
  readonly files?: readonly UploadedFile[];
}

/** Starts the task, once for each idempotency key, and writes it. */
export async function answerCreated(
  parts: VideoPartsOf,
  { client, visit, caller, request: video, wire, files = [] }: ReadSubmit,
  start: (signal: () => AbortSignal) => Promise<Created>,
): Promise<Response> {
  const { request, requestId, arrivedMs, params } = visit;
  if (idempotencyKeyOf(request) === null) return writeCreated(parts, client, visit, await start(() => request.signal));
  const strict = isStrict(request);
  const { operation, model } = video;
  const given = {
    ...{ request, requestId, arrivedMs, strict, operation, model, files, stream: false, dialect: client.name },
    caller,
    side: { errors: client.error, idHeaders: [] },
    digested: { path: pathOf(request.url), operation, model, strict, wire, params: { ...params } },
    content: () => video,
  };
  return parts().answerOnce(given, async (signal) => {
    const created = await start(signal);
    const exchange = { id: created.task.internals.exchangeId, settlement: null };
    return { response: writeCreated(parts, client, visit, created), isStream: false, exchange };
  });
}

/** Writes the status of a task. Throws status 404 for a task that this caller does not have. */
export async function askTask(
  parts: VideoPartsOf,
  client: VideoClient,
  visit: HandlerContext,
  id: string,
): Promise<Response> {
  const task = await parts().videos.get(id, callerOf(visit).keyId);
  return writeJson(client.renderTask(seen(parts, visit, task), contextOf(parts, visit)), visit.requestId);
}
