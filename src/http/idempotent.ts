// Requests with an `Idempotency-Key`: the key is checked, the request is digested, and a reply that is given again says so.
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
/** Printable ASCII, as OpenAI's and Stripe's libraries send it. */
const keyForm = /^[\x20-\x7e]{1,255}$/;
const replayedHeader = "idempotency-replayed";
const costHeader = "x-turnpike-cost";
const warningsHeader = "x-turnpike-warnings";

/** A request that carries the header. */
export interface IdempotentRequest extends Omit<Replay, "httpStatus" | "replayOf"> {
  readonly request: Request;
  /** How its errors are told. */
  readonly side: ErrorFormat;
  readonly strict: boolean;
  /** Everything that the reply depends on, but for the files. */
  readonly asked: JsonObject;
  readonly files: readonly UploadedFile[];
}

/** A response, whether it is streamed, and the exchange that it came from. */
export interface Performed extends Pick<GatewayReply, "exchange"> {
  readonly response: Response;
  readonly isStream: boolean;
}

type Perform = (signal: () => AbortSignal) => Promise<Performed>;

/** Answers requests with the header: each key once. */
export type AnswerOnce = (given: IdempotentRequest, perform: Perform) => Promise<Response>;

/** Null without the header. Throws the 400 of a key that is not valid. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get(headerName);
  if (key === null || keyForm.test(key)) return key;
  throw new GatewayError("invalid_value", `'${headerName}' must be 1 to 255 printable ASCII characters.`, {
    param: headerName,
  });
}

/** `idempotency` is null where nothing of content is stored: the header is ignored then, with a warning. */
export function createAnswerOnce(gateway: Gateway, idempotency: Idempotency | null): AnswerOnce {
  if (idempotency === null) return ignoringKeys;
  return async (given, perform) => {
    const { request, caller, asked, files } = given;
    const parts = files.map(({ field, name, type }) => ({ field, name, type }));
    const bytes = files.map((file) => file.bytes);
    const hash = await jsonDigest({ asked, files: parts }, bytes);
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

/** A refusal under strict mode, because the request asks for something that the gateway does not do. */
async function ignoringKeys({ request, strict }: IdempotentRequest, perform: Perform): Promise<Response> {
  if (strict) {
    const message = `'${headerName}' would be ignored because nothing of content is stored, and strict mode is on.`;
    throw new GatewayError("unsupported_parameter", message, { param: headerName });
  }
  const { response } = await perform(() => request.signal);
  response.headers.append(warningsHeader, `ignored;field=${headerName}`);
  return response;
}

/** What is given to others and stored; `own` gets the headers for the one who made the call. */
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

/** Statuses that the same request may not get again. */
const passing: readonly number[] = [408, 409, 429, 499];

/** A refusal of a provider that every repetition would get. What the gateway itself refuses has cost nothing, and is decided anew. */
const isFinal = ({ status, asked }: GatewayError): boolean =>
  asked !== undefined && status < 500 && !passing.includes(status);

/** Without what belongs to one request: its ids, and what it was charged. */
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

/** A buffer of its own: the runtime may take the one that it is given. */
const bodyOf = ({ body }: CallReply): Uint8Array<ArrayBuffer> => new Uint8Array(body);
