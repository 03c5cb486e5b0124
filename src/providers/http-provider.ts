// A configured provider behind HTTP: entry in, something that can be asked out.
import { version } from "../../package.json";
import type { CompatibilityFlags, UpstreamDialect, UpstreamRequest } from "../dialects/dialect.ts";
import { invalidUpstreamResponse } from "../dialects/errors.ts";
import { refusalError } from "../dialects/upstream-error.ts";
import { raceAbort } from "../lib/abortable.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { firstHop } from "../lib/hops.ts";
import { parseJsonText, withoutUndefined } from "../lib/json.ts";
import { type Signer, secretsOf } from "./credentials.ts";
import type { DispatchRequest, HttpEntry, HttpProvider, ProviderLists, ResponsePatch } from "./provider.ts";
import { readBounded } from "./read-body.ts";
import { isStrong, type Redactor, redactorOf, withRedactor } from "./redaction.ts";
import { requestEncoder } from "./request-encoder.ts";
import { patchRequest } from "./request-quirks.ts";
import { patchedResponse } from "./response-patcher.ts";
import { type PollingDependencies, pollUntilDone } from "./task-polling.ts";
import { inlineThinking } from "./think-tag-parser.ts";
import { type OutgoingRequest, send } from "./upstream.ts";

const maxListBytes = 16 * 1024 * 1024;
const decoder = new TextDecoder();

const join = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, "")}/${path}`;

/** The address below which all paths lie: a bare host is completed as the provider's own SDK does it. */
export function baseOf({ kind, baseUrl }: Pick<HttpEntry, "kind" | "baseUrl">): string {
  if (kind.barePath === undefined || new URL(baseUrl).pathname !== "/") return baseUrl;
  return join(baseUrl, kind.barePath);
}

/** A list of the provider's, below its base URL. */
interface ListOf<Item> {
  readonly path: string;
  read(body: unknown): Item[];
}

async function list<Item>(
  entry: HttpEntry,
  { path, read }: ListOf<Item>,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Item[]> {
  const response = await sender(entry)({ method: "GET", url: join(baseOf(entry), path), headers, signal });
  if (!response.ok) throw refusalError({ status: response.status, message: `The provider refused to list '${path}'.` });
  const bytes = await readBounded(withRedactor(response, redactorOfEntry(entry)), maxListBytes, signal);
  if (bytes === null) throw invalidUpstreamResponse(`the list '${path}' exceeds the size limit`);
  return read(parseJsonText(decoder.decode(bytes)));
}

/** What only this entry can know: its credentials, also those among its headers, and the host that it asks. */
function redactorOfEntry({ baseUrl, credential, account, headers }: HttpEntry): Redactor {
  const secrets = [credential?.reveal() ?? "", ...secretsOf(account), ...Object.values(headers).filter(isStrong)];
  return redactorOf(secrets, new URL(baseUrl).host);
}

/** Sends through the entry's own proxy, if it has one. */
function sender({ proxy }: HttpEntry): (request: OutgoingRequest) => Promise<Response> {
  return (request) => send(proxy === undefined ? request : { ...request, proxy });
}

const bearer = "Bearer ";

type Post = (request: OutgoingRequest) => Promise<Response>;

/** Sends with proof of who asks, and gives the answer in frames that dialects read. */
function signed(post: Post, access: Signer, redactor: Redactor): Post {
  const { sign, unwrap } = access;
  if (sign === undefined && unwrap === undefined) return post;
  return async (request) => {
    // Proof may have to be fetched first; who gives up meanwhile does not wait for it.
    const proof = sign === undefined ? {} : await raceAbort(sign(request), request.signal);
    for (const value of Object.values(proof)) if (value.startsWith(bearer)) redactor.add(value.slice(bearer.length));
    const response = await post({ ...request, headers: { ...request.headers, ...proof } });
    if (response.status === 401) access.onUnauthorized?.();
    return unwrap?.(response) ?? response;
  };
}

type SendCall = (call: UpstreamRequest, signal: AbortSignal) => Promise<Response>;

/** Sends calls below an address. A task that is submitted twice is paid for twice: no submit is risked on a connection that may be stale. */
function callSenders(
  post: Post,
  packed: ReturnType<typeof requestEncoder>,
  baseUrl: string,
): { sendCall: SendCall; sendTaskCall: SendCall } {
  const sending = (call: UpstreamRequest, signal: AbortSignal, more: Pick<OutgoingRequest, "freshConnection">) => {
    const send = (request: Awaited<ReturnType<typeof packed>>): Promise<Response> =>
      post({ ...request, ...more, url: join(baseUrl, call.path), signal });
    const request = packed(call);
    return request instanceof Promise ? request.then(send) : send(request);
  };
  return {
    sendCall: (call, signal) => sending(call, signal, {}),
    sendTaskCall: (call, signal) => sending(call, signal, call.method === "GET" ? {} : { freshConnection: true }),
  };
}

function accessTo(entry: HttpEntry, clock: Clock): Signer {
  return entry.kind.account?.open(entry, { clock, send: sender(entry) }) ?? {};
}

function patchesOf({ kind }: HttpEntry, { splitsThinking }: CompatibilityFlags): ResponsePatch[] {
  return [kind.responsePatch, splitsThinking ? inlineThinking : undefined].filter((patch) => patch !== undefined);
}

/** The lists that the provider gives of what it has. */
function listsOf(entry: HttpEntry, headers: Record<string, string>, access: Signer): ProviderLists {
  const lister = <Item>(from: ListOf<Item> | undefined) =>
    from === undefined ? undefined : (signal: AbortSignal) => list(entry, from, headers, signal);
  return withoutUndefined({ models: access.list ?? lister(entry.kind.listing), voices: lister(entry.kind.voiceList) });
}

export function httpProvider(entry: HttpEntry): HttpProvider {
  return httpProviderWithClock(entry, systemClock);
}

/** What every request to this entry carries. */
function headersOf({ kind, headers, credential }: HttpEntry): Record<string, string> {
  const shown = credential === null ? {} : kind.authHeaders(credential);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const agent: Record<string, string> = names.includes("user-agent") ? {} : { "user-agent": `turnpike/${version}` };
  return { "accept-encoding": "identity", ...agent, ...firstHop, ...kind.headers, ...headers, ...shown };
}

/** A credential is read once here; it travels only in headers of requests to this entry's own base URL. */
export function httpProviderWithClock(entry: HttpEntry, clock: Clock): HttpProvider {
  const base = headersOf(entry);
  const { kind } = entry;
  const access = accessTo(entry, clock);
  const baseUrl = access.baseUrl ?? baseOf(entry);
  const redactor = redactorOfEntry(entry);
  const send = signed(sender(entry), access, redactor);
  const { sendCall, sendTaskCall } = callSenders(send, requestEncoder(base), baseUrl);
  const post = ({ call, dialect, signal }: DispatchRequest): Promise<Response> => {
    const patched = patchRequest(kind, call);
    return sendCall(access.rewritePath?.(patched, dialect) ?? patched, signal);
  };
  const tools = (dialect: UpstreamDialect): PollingDependencies => ({
    clock,
    ask: (path, signal) => {
      const call: UpstreamRequest = { method: "GET", path, body: {} };
      return sendCall(access.rewritePath?.(call, dialect) ?? call, signal);
    },
  });
  const seen = async (request: DispatchRequest): Promise<Response> => {
    const { dialect, signal } = request;
    const follow = kind.polling?.find((each) => each.dialect === dialect);
    const response = await post(request);
    return follow === undefined ? response : pollUntilDone(response, follow, tools(dialect), signal);
  };
  const answer = kind.polling === undefined ? post : seen;
  const { name, models, voices, declared, timeouts } = entry;
  const options = { ...kind.options, ...entry.options };
  const patches = patchesOf(entry, options);
  const redacted = (response: Response): Response => withRedactor(response, redactor);
  return {
    kind,
    entry: { name, models, timeouts, options, ...withoutUndefined({ voices, declared }) },
    dispatch: {
      form: "http",
      baseUrl,
      redactor,
      send: (request) => answer(request).then((response) => redacted(patches.reduce(patchedResponse, response))),
      sendTask: (call, signal) => sendTaskCall(access.rewriteTaskPath?.(call) ?? call, signal).then(redacted),
    },
    list: listsOf(entry, base, access),
  };
}
