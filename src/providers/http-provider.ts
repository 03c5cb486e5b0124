// A provider over HTTP, built from its entry in the configuration: signs, sends, polls tasks, patches and redacts
// responses.

import { version } from "../../package.json";
import type { ChatRequest, ChatResponse } from "../canonical/chat.ts";
import type { GatewayError } from "../canonical/error.ts";
import type { CompatibilityFlags, FormPart, UpstreamDialect, UpstreamRequest } from "../dialects/dialect.ts";
import { invalidUpstreamResponse } from "../dialects/errors.ts";
import { type ModeratorForm, moderatorIn } from "../dialects/index.ts";
import { refusalError } from "../dialects/upstream-error.ts";
import { raceAbort } from "../lib/abortable.ts";
import { writeBody } from "../lib/body-thread.ts";
import type { Cancellation } from "../lib/cancellation.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { firstHop } from "../lib/hops.ts";
import { randomId } from "../lib/ids.ts";
import { parseJsonText, withoutUndefined } from "../lib/json.ts";
import { bodyOf } from "../lib/json-source.ts";
import { writeMultipart } from "../lib/multipart-write.ts";
import { type AccountAccess, type GetList, type Signer, secretsOf } from "./credentials.ts";
import type {
  DispatchRequest,
  HttpEntry,
  HttpProvider,
  ObserveBody,
  Provider,
  ProviderLists,
  ResponsePatch,
} from "./provider.ts";
import { isStrong, type Redactor, redactorOf, withRedactor } from "./redaction.ts";
import { patchRequest } from "./request-quirks.ts";
import { patchedResponse } from "./response-quirks.ts";
import { pollUntilDone } from "./task-polling.ts";
import { inlineThinking } from "./think-tag-parser.ts";
import type { HttpResponse } from "./transport/response.ts";
import { createSend, type OutgoingRequest, readBounded, type Send } from "./upstream.ts";

const maxListBytes = 16 * 1024 * 1024;
const decoder = new TextDecoder();

const join = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, "")}/${path}`;

/** The base URL of all paths: a bare host is completed as in the provider's own SDK. */
export function baseOf({ kind, baseUrl }: Pick<HttpEntry, "kind" | "baseUrl">): string {
  if (kind.barePath === undefined || new URL(baseUrl).pathname !== "/") return baseUrl;
  return join(baseUrl, kind.barePath);
}

/** Hides the host and the credentials of an entry, including those in its headers. */
function redactorOfEntry({ baseUrl, credential, account, headers }: HttpEntry): Redactor {
  const secrets = [credential?.reveal() ?? "", ...secretsOf(account), ...Object.values(headers).filter(isStrong)];
  return redactorOf(secrets, new URL(baseUrl).host);
}

const bearer = "Bearer ";

/** Signs requests that need individual headers, and converts responses to frames that dialects read. */
function signed(send: Send, signer: Signer, { unwrap }: AccountAccess, redactor: Redactor): Send {
  const unwrapped: Send = unwrap === undefined ? send : (request) => send(request).then(unwrap);
  if ("headers" in signer) return unwrapped;
  return async (request) => {
    // The signature may have to be fetched first; an aborted request does not wait for it.
    const headers = await raceAbort(signer.sign(request), request.signal);
    for (const value of Object.values(headers)) if (value.startsWith(bearer)) redactor.add(value.slice(bearer.length));
    const response = await unwrapped({ ...request, headers: { ...request.headers, ...headers } });
    if (response.status === 401) signer.onUnauthorized?.();
    return response;
  };
}

/**
 * Sends calls to one base URL. A task that is submitted twice is billed twice, so no submit uses a connection that may
 * be stale.
 */
function callSenders(send: Send, encode: ReturnType<typeof requestEncoder>, baseUrl: string) {
  const base = join(baseUrl, "");
  const sending = (
    call: UpstreamRequest,
    signal: Cancellation,
    more: Pick<OutgoingRequest, "freshConnection" | "connectMs">,
    observe?: ObserveBody,
  ) => {
    const sendEncoded = (request: Awaited<ReturnType<typeof encode>>): Promise<HttpResponse> => {
      observe?.(request.pieces ?? (request.body === undefined ? [] : [request.body]));
      const { method, headers, body, pieces } = request;
      const url = base + call.path;
      const { freshConnection, connectMs } = more;
      if (body !== undefined && freshConnection === undefined && connectMs !== undefined)
        return send({ method, url, headers, body, signal, connectMs });
      return send({
        method,
        url,
        headers,
        ...(pieces === undefined ? {} : { pieces }),
        ...(body === undefined ? {} : { body }),
        ...more,
        signal,
      });
    };
    const request = encode(call);
    return request instanceof Promise ? request.then(sendEncoded) : sendEncoded(request);
  };
  return {
    sendCall: (call: UpstreamRequest, signal: Cancellation, connectMs?: number, observe?: ObserveBody) =>
      sending(call, signal, connectMs === undefined ? {} : { connectMs }, observe),
    sendTaskCall: (call: UpstreamRequest, signal: Cancellation) =>
      sending(call, signal, call.method === "GET" ? {} : { freshConnection: true }),
  };
}

function patchesOf({ kind }: HttpEntry, { splitsThinking }: CompatibilityFlags): ResponsePatch[] {
  return [kind.responsePatch, splitsThinking ? inlineThinking : undefined].filter((patch) => patch !== undefined);
}

/** A list of the provider, relative to its base URL. */
interface ListOf<Item> {
  readonly path: string;
  read(body: unknown): Item[];
}

/** The lists that the provider has. */
function listsOf(
  entry: HttpEntry,
  { list: ownList }: AccountAccess,
  get: (signal: Cancellation) => GetList,
): ProviderLists {
  const lister = <Item>(from: ListOf<Item> | undefined) =>
    from && (async (signal: Cancellation) => from.read(await get(signal)(join(baseOf(entry), from.path))));
  const { listing, voiceList } = entry.kind;
  const models = ownList && ((signal: Cancellation) => ownList(get(signal)));
  return withoutUndefined({ models: models ?? lister(listing), voices: lister(voiceList) });
}

const maxRefusalBytes = 4_096;

/** With the provider's own words, as far as they can be read. */
async function listRefusal(response: HttpResponse, signal: Cancellation): Promise<GatewayError> {
  const bytes = await readBounded(response, maxRefusalBytes, signal).catch(() => null);
  const body = Object(bytes === null ? null : parseJsonText(decoder.decode(bytes)));
  const text: unknown = body.error?.message ?? body.message ?? body.error;
  const message = typeof text === "string" && text !== "" ? text : "The provider refused to send a list.";
  return refusalError({ status: response.status, message });
}

/** Reads lists with signed requests and the headers of the entry. */
function listReader(send: Send, base: Readonly<Record<string, string>>): (signal: Cancellation) => GetList {
  return (signal) => async (url, headers) => {
    const response = await send({ method: "GET", url, headers: { ...base, ...headers }, signal });
    if (!response.ok) throw await listRefusal(response, signal);
    const bytes = await readBounded(response, maxListBytes, signal);
    if (bytes === null) throw invalidUpstreamResponse("a list exceeds the size limit");
    return parseJsonText(decoder.decode(bytes));
  };
}

/** The headers of every request to this entry. */
function headersOf({ kind, headers }: HttpEntry, signer: Signer): Record<string, string> {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const agent: Record<string, string> = names.includes("user-agent") ? {} : { "user-agent": `turnpike/${version}` };
  const auth = "headers" in signer ? signer.headers : {};
  return { "accept-encoding": "identity", ...agent, ...firstHop, ...kind.headers, ...headers, ...auth };
}

/** What providers share: one gateway's `send`, and the time. */
interface HttpDependencies {
  readonly clock: Clock;
  readonly send: Send;
}

/** Sends through the entry's proxy, and with its certificates to its own address: tokens are fetched elsewhere. */
function connected(send: Send, { proxy, tls, baseUrl }: HttpEntry): Send {
  const proxied: Send = proxy === undefined ? send : (request) => send({ ...request, proxy });
  if (tls === undefined) return proxied;
  const own = `${new URL(baseUrl).origin}/`;
  return (request) => proxied(request.url.startsWith(own) ? { ...request, tls } : request);
}

/** A credential is read once here; it travels only in headers of requests to this entry's own base URL. */
export function httpProvider(
  entry: HttpEntry,
  { clock = systemClock, send = createSend() }: Partial<HttpDependencies> = {},
): HttpProvider {
  const { kind } = entry;
  const proxied = connected(send, entry);
  const signer = kind.signer(entry, { clock, send: proxied });
  const access = kind.access?.(entry) ?? {};
  const base = headersOf(entry, signer);
  const baseUrl = access.baseUrl ?? baseOf(entry);
  const redactor = redactorOfEntry(entry);
  const redacted = (response: HttpResponse): HttpResponse => withRedactor(response, redactor);
  const sendSigned = signed(proxied, signer, access, redactor);
  const { sendCall, sendTaskCall } = callSenders(sendSigned, requestEncoder(base), baseUrl);
  const post = ({ call, dialect, signal, connectMs, observe }: DispatchRequest): Promise<HttpResponse> => {
    const patched = patchRequest(kind, call);
    return sendCall(access.rewritePath?.(patched, dialect) ?? patched, signal, connectMs, observe);
  };
  const followed = async (request: DispatchRequest): Promise<HttpResponse> => {
    const { dialect } = request;
    const polling = kind.polling?.find((each) => each.dialect === dialect);
    const response = await post(request);
    const ask = (path: string, signal: Cancellation): Promise<HttpResponse> => {
      const call: UpstreamRequest = { method: "GET", path, body: {} };
      return sendCall(access.rewritePath?.(call, dialect) ?? call, signal);
    };
    return polling === undefined ? response : pollUntilDone(response, polling, { clock, ask }, request.signal);
  };
  const answer = kind.polling === undefined ? post : followed;
  const { name, models, voices, tags, declared, timeouts, credentialName, credentialWeight } = entry;
  const { limits, credentialLimits, forwardsTrace, isDisabled, probe } = entry;
  const options = { ...kind.options, ...entry.options };
  const patches = patchesOf(entry, options);
  return {
    kind,
    entry: {
      name,
      models,
      timeouts,
      options,
      ...withoutUndefined({ voices, tags, declared, credentialName, credentialWeight, limits, credentialLimits }),
      ...withoutUndefined({ forwardsTrace, isDisabled, probe }),
    },
    dispatch: {
      form: "http",
      baseUrl,
      redactor,
      send: (request) =>
        answer(request).then(
          patches.length === 0 ? redacted : (response) => redacted(patches.reduce(patchedResponse, response)),
        ),
      sendTask: (call, signal) => sendTaskCall(access.rewriteTaskPath?.(call) ?? call, signal).then(redacted),
    },
    list: listsOf(
      entry,
      access,
      listReader((request) => sendSigned(request).then(redacted), base),
    ),
  };
}

type EncodedCall = Pick<OutgoingRequest, "method" | "headers" | "body" | "pieces">;

/** Encodes calls for one provider: `base` are the headers of every request; the call's own replace them. */
function requestEncoder(
  base: Readonly<Record<string, string>>,
): (call: UpstreamRequest) => EncodedCall | Promise<EncodedCall> {
  // Frozen: the transport writes its lines once.
  const posting = Object.freeze({ ...base, "content-type": "application/json" });
  return (call) => {
    const { method = "POST", headers, form, bytes, body, source } = call;
    if (method === "GET" || method === "DELETE") return { method, headers: { ...base, ...headers } };
    if (form !== undefined) return encodedForm(form, method, { ...base, ...headers });
    if (bytes !== undefined)
      return { method, headers: { ...base, "content-type": bytes.type, ...headers }, pieces: [bytes.bytes] };
    const all = headers === undefined ? posting : { ...posting, ...headers };
    const given = source === undefined ? null : bodyOf(body, source);
    if (typeof given === "string") return { method, headers: all, body: given };
    if (given !== null) return { method, headers: all, pieces: given };
    const written = writeBody(body);
    if (typeof written === "string") return { method, headers: all, body: written };
    return written.then((bytes) => ({ method, headers: all, body: bytes }));
  };
}

function encodedForm(
  form: readonly FormPart[],
  method: EncodedCall["method"],
  headers: EncodedCall["headers"],
): EncodedCall {
  const boundary = randomId("turnpike-", 32);
  const type = `multipart/form-data; boundary=${boundary}`;
  return { method, headers: { ...headers, "content-type": type }, pieces: writeMultipart(form, boundary) };
}

const isChat = (dialect: UpstreamDialect): dialect is UpstreamDialect<ChatRequest, ChatResponse> =>
  dialect.operation === "chat";

/**
 * The same provider with moderation only by its chat models, in all of its chat dialects. In-process providers
 * moderate themselves.
 */
export function asModerator(provider: Provider, form: ModeratorForm): Provider {
  const { kind, dispatch } = provider;
  if (dispatch.form === "canonical") return provider;
  const chatOf = new Map<UpstreamDialect, UpstreamDialect>(
    kind.dialects.filter(isChat).map((chat) => [moderatorIn(chat, form), chat]),
  );
  const chatDialectOf = (dialect: UpstreamDialect): UpstreamDialect => chatOf.get(dialect) ?? dialect;
  return {
    ...provider,
    kind: {
      ...kind,
      dialects: [...kind.dialects.filter(({ operation }) => operation !== "moderate"), ...chatOf.keys()],
      supports: (dialect, model) => kind.supports?.(chatDialectOf(dialect), model) ?? true,
    },
    dispatch: {
      ...dispatch,
      send: (request) => dispatch.send({ ...request, dialect: chatDialectOf(request.dialect) }),
    },
  };
}
