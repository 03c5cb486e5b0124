// Requests with an `Idempotency-Key`: the key is validated, the request is digested, and a repeated reply is marked.
import { GatewayError } from "../canonical/error.ts";
import type { UploadedFile } from "../dialects/dialect.ts";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { type Replay, recordReplay } from "../gateway/pipeline/replay.ts";
import type { GatewayReply } from "../gateway/pipeline/request-context.ts";
import type { CallReply } from "../gateway/policy/call-replies.ts";
import type { Idempotency, PerformedCall } from "../gateway/policy/idempotency.ts";
import type { JsonObject } from "../lib/json.ts";
import { jsonDigest } from "../lib/json-digest.ts";
import type { ErrorFormat } from "./endpoint.ts";
import { writeError } from "./write.ts";

const headerName = "Idempotency-Key";
/** Printable ASCII, as sent by OpenAI's and Stripe's libraries. */
const keyForm = /^[\x20-\x7e]{1,255}$/;
const replayedHeader = "idempotency-replayed";
const costHeader = "x-turnpike-cost";
const warningsHeader = "x-turnpike-warnings";

/** A request that carries the header. */
interface IdempotentRequest extends Omit<Replay, "httpStatus" | "replayOf"> {
  readonly request: Request;
  /** Its error format. */
  readonly side: ErrorFormat;
  readonly strict: boolean;
  /** Everything that the reply depends on, except the files. */
  readonly digested: JsonObject;
  readonly files: readonly UploadedFile[];
}

/** A response, whether it is a stream, and its exchange. */
export interface Performed extends Pick<GatewayReply, "exchange"> {
  readonly response: Response;
  readonly isStream: boolean;
}

type Perform = (signal: () => AbortSignal) => Promise<Performed>;

/** Answers requests with the header, one call per key. */
export type AnswerOnce = (given: IdempotentRequest, perform: Perform) => Promise<Response>;

/** Null without the header. Throws status 400 for an invalid key. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get(headerName);
  if (key === null || keyForm.test(key)) return key;
  throw new GatewayError("invalid_value", `'${headerName}' must be 1 to 255 printable ASCII characters.`, {
    param: headerName,
  });
}

/** `idempotency` is null if content is never stored: the header is then ignored with a warning. */
export function createAnswerOnce(gateway: Gateway, idempotency: Idempotency | null): AnswerOnce {
  if (idempotency === null) return ignoringKeys;
  return async (given, perform) => {
    const { request, caller, digested, files } = given;
    const parts = files.map(({ field, name, type }) => ({ field, name, type }));
    const bytes = files.map((file) => file.bytes);
    const hash = await jsonDigest({ asked: digested, files: parts }, bytes);
    const key = idempotencyKeyOf(request) ?? "";
    const own = new Headers();
    const call = { keyId: caller.keyId, key, hash, signal: request.signal };
    const outcome = await idempotency.run(call, (signal) =>
      performed(
        given,
        own,
        perform(() => signal),
      ),
    );
    if ("stream" in outcome) return new Response(outcome.stream, { headers: own });
    const { reply } = outcome;
    if (!outcome.isReplayed) return new Response(bodyOf(reply), { status: reply.status, headers: own });
    await recordReplay(gateway, { ...given, httpStatus: reply.status, replayOf: reply.exchangeId });
    return replayed(reply, given);
  };
}

/** An error in strict mode, because the gateway cannot honor the header. */
async function ignoringKeys({ request, strict }: IdempotentRequest, perform: Perform): Promise<Response> {
  if (strict) {
    const message = `'${headerName}' would be ignored because nothing of content is stored, and strict mode is on.`;
    throw new GatewayError("unsupported_parameter", message, { param: headerName });
  }
  const { response } = await perform(() => request.signal);
  response.headers.append(warningsHeader, `ignored;field=${headerName}`);
  return response;
}

/** The reply for storage and for repeated requests; `own` receives the headers for the client that made the call. */
async function performed(given: IdempotentRequest, own: Headers, answer: Promise<Performed>): Promise<PerformedCall> {
  const { side, requestId } = given;
  const { response, isStream, exchange } = await answer.catch((thrown: unknown) => {
    if (!(thrown instanceof GatewayError) || !isFinal(thrown)) throw thrown;
    return {
      response: writeError(thrown, side.errors, requestId, side.idHeaders),
      isStream: false,
      exchange: undefined,
    };
  });
  for (const [name, value] of response.headers) own.set(name, value);
  const head = { status: response.status, headers: sharedHeaders(own, side), exchangeId: exchange?.id ?? null };
  if (!isStream || response.body === null) return { reply: { ...head, body: await response.bytes() }, isStored: true };
  const complete = (body: Uint8Array): CallReply | null =>
    exchange?.settlement?.state === "completed" ? { ...head, body } : null;
  return { stream: response.body, complete };
}

/** Statuses that may differ if the same request is sent again. */
const passing: readonly number[] = [408, 409, 429, 499];

/**
 * Provider errors that every repetition would get. Errors of the gateway itself cost nothing, and are decided again.
 */
const isFinal = ({ status, attempted }: GatewayError): boolean =>
  attempted !== undefined && status < 500 && !passing.includes(status);

/** Without headers that belong to one request: its ids, and its cost. */
function sharedHeaders(headers: Headers, { idHeaders }: ErrorFormat): Record<string, string> {
  const own = new Set(["x-request-id", costHeader, ...idHeaders]);
  return Object.fromEntries([...headers].filter(([name]) => !own.has(name)));
}

function replayed(reply: CallReply, { requestId, side }: IdempotentRequest): Response {
  const headers = new Headers(reply.headers);
  for (const name of ["x-request-id", ...side.idHeaders]) headers.set(name, requestId);
  headers.set(replayedHeader, "true");
  headers.set(costHeader, "0");
  return new Response(bodyOf(reply), { status: reply.status, headers });
}

/** A copy, because the runtime may take over the buffer. */
const bodyOf = ({ body }: CallReply): Uint8Array<ArrayBuffer> => new Uint8Array(body);
