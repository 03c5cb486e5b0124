// Handles one request: match, authenticate, read, validate, run, write. One handler for all rows.
import { GatewayError, toGatewayError } from "../canonical/error.ts";
import type { ArrayForm, Dialect, RequestMeta } from "../dialects/dialect.ts";
import { namedUser } from "../dialects/named-user.ts";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { gatewayRequestOf, type IncomingRequest } from "../gateway/pipeline/gateway-request.ts";
import { checkAddress } from "../gateway/policy/access-rules.ts";
import { anonymous, type Caller } from "../gateway/policy/caller.ts";
import type { Keys } from "../gateway/policy/keys.ts";
import { isLarge, nextEventLoopTurn } from "../lib/event-loop-turn.ts";
import { requestIdOf } from "../lib/ids.ts";
import type { JsonObject } from "../lib/json.ts";
import { answerIncoming } from "./answer.ts";
import type { Cors } from "./cors.ts";
import { presentedKey } from "./credentials.ts";
import type { Endpoint, ErrorFormat, HandlerContext, HandlerEndpoint, ModelEndpoint } from "./endpoint.ts";
import { checkHops } from "./hops.ts";
import { type AnswerOnce, idempotencyKeyOf, type Performed } from "./idempotent.ts";
import { missingFeature } from "./missing-features.ts";
import { protocolOfUnknown } from "./protocols.ts";
import { createProxies, type Proxies, type SocketAddress } from "./proxies.ts";
import { withRateHeaders } from "./rate-headers.ts";
import { checkHeaders, type ReadBody, type ReadLimits, readJson } from "./read.ts";
import { isForm, readFormFor } from "./read-form.ts";
import { type Matcher, unknownPath } from "./route-matcher.ts";
import { checkHost, originOf, pathOf } from "./target.ts";
import { validated } from "./validate.ts";
import { writeError, writeReply } from "./write.ts";

export interface HandlerDependencies {
  readonly match: Matcher;
  readonly keys: Keys;
  readonly gateway: Gateway;
  /** Requests with an idempotency key. */
  readonly answerOnce: AnswerOnce;
  /** The peer address of a request's socket. Absent without a listener. */
  readonly socketAddress?: SocketAddress;
  /** Networks of trusted proxies, whose X-Forwarded-For and -Proto are used. */
  readonly trustedProxies: readonly string[];
  /** Closes the connection of a request. Absent without a listener. */
  readonly drop?: (request: Request) => void;
  readonly limits: ReadLimits;
  /** Absent: cross-origin requests are refused. */
  readonly cors?: Cors;
}

type Handler = (request: Request) => Promise<Response>;

/** Responds to every request. Never rejects. */
export function createHandler(dependencies: HandlerDependencies): Handler {
  const { cors, socketAddress = () => null, trustedProxies } = dependencies;
  const proxies = createProxies(socketAddress, trustedProxies);
  const { traces } = dependencies.gateway;
  const plain: Handler = (request) => answer(dependencies, proxies, request);
  const handle: Handler = traces === null ? plain : (request) => traces.serve(request, () => plain(request));
  if (cors === undefined) return handle;
  return async (request) => cors.preflight(request) ?? cors.allow(request, await handle(request));
}

async function answer(dependencies: HandlerDependencies, proxies: Proxies, request: Request): Promise<Response> {
  const arrivedMs = dependencies.gateway.clock.monotonicMs();
  const requestId = requestIdOf(request.headers.get("x-request-id"));
  let endpoint: Endpoint | null = null;
  let visit: Visit | null = null;
  try {
    checkHost(request);
    const path = pathOf(request.url);
    const match = dependencies.match(request.method, path);
    const missing = match.kind === "found" ? null : missingFeature(path);
    if (missing !== null) throw missing;
    if (match.kind === "nothing") throw unknownPath(path, dependencies.match);
    endpoint = match.endpoint;
    dependencies.gateway.traces?.routed(endpoint.path, requestId);
    if (match.kind === "method") {
      refuseUpgrade(request);
      const refused = failed(dependencies, wrongMethod(match.allow), sideOf(endpoint, request), requestId);
      refused.headers.set("allow", match.allow);
      return refused;
    }
    checkHeaders(request, dependencies.limits);
    checkHops(request);
    const identified = identify(dependencies.keys, request, endpoint);
    const caller = identified instanceof Promise ? await identified : identified;
    const address = (): string => proxies.clientAddress(request);
    checkAddress(caller.access, address);
    const authenticatedMs = dependencies.gateway.clock.monotonicMs();
    const origin = (): string => originOf(request, proxies.scheme(request));
    visit = { request, requestId, arrivedMs, authenticatedMs, params: match.params, origin, caller, address };
    const response = await (endpoint.kind === "plain"
      ? servePlain(dependencies, endpoint, visit)
      : serveAsk(dependencies, endpoint, visit));
    return withRateHeaders(response, visit.caller, endpoint, dependencies.gateway);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    const signIn = signInFor(endpoint, request, error);
    if (signIn !== null) return await signIn({ request, requestId });
    const side = sideOf(endpoint, request);
    const response = failed(dependencies, error, side, requestId);
    return visit === null ? response : withRateHeaders(response, visit.caller, side, dependencies.gateway);
  }
}

/** A request with a known caller; its end user may become known later. */
interface Visit extends HandlerContext {
  caller: Caller;
  readonly authenticatedMs: number;
}

/** A GET counts as a poll; the handler of a POST counts it itself. */
function servePlain(
  { gateway }: HandlerDependencies,
  endpoint: HandlerEndpoint,
  visit: Visit,
): Response | Promise<Response> {
  if (visit.request.method !== "POST" && visit.caller.levels.length > 0) gateway.rates.poll(visit.caller);
  return endpoint.handle(visit);
}

/** Null for an unknown path. */
function sideOf(endpoint: Endpoint | null, request: Request): ErrorFormat {
  return endpoint === null
    ? protocolOfUnknown(request, pathOf(request.url))
    : (endpoint.sideFor?.(request) ?? endpoint);
}

/** A browser gets a page that asks for the key, if the row has one. */
function signInFor(
  endpoint: Endpoint | null,
  request: Request,
  error: GatewayError,
): NonNullable<HandlerEndpoint["signIn"]> | null {
  const wantsPage = error.status === 401 && (request.headers.get("accept")?.includes("text/html") ?? false);
  return (wantsPage && endpoint?.kind === "plain" ? endpoint.signIn : null) ?? null;
}

/** A client that prefers a WebSocket gets an error at once, so that it falls back to HTTP. */
function refuseUpgrade(request: Request): void {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return;
  throw new GatewayError("upgrade_required", "WebSocket is not supported on this path; send an HTTP POST.");
}

const wrongMethod = (allow: string): GatewayError =>
  new GatewayError("method_not_allowed", `This path supports ${allow} only.`);

function failed(
  dependencies: HandlerDependencies,
  error: GatewayError,
  side: ErrorFormat,
  requestId: string,
): Response {
  dependencies.gateway.events.requestFailed(requestId, error);
  const response = writeError(error, side.errors, requestId, side.idHeaders);
  // The rest of its body would be taken for the next request.
  if (error.kind === "request_timeout") response.headers.set("connection", "close");
  return response;
}

function identify(keys: Keys, request: Request, endpoint: Endpoint): Caller | Promise<Caller> {
  const { access } = endpoint;
  const isOpen = endpoint.kind === "plain" && endpoint.needsNoKey?.(request) === true;
  return access.key !== "client" || isOpen ? anonymous : keys.identify(presentedKey(request, access.carriers));
}

function requireHeader(request: Request, names: readonly string[] | undefined): void {
  const [first] = names ?? [];
  if (first === undefined || names?.some((name) => request.headers.get(name))) return;
  throw new GatewayError("missing_required_parameter", `Missing required header: '${names?.join("' or '")}'.`, {
    param: first,
  });
}

/** Adds body fields from the path if the body omits them. */
function filled(wire: JsonObject, endpoint: ModelEndpoint, params: Readonly<Record<string, string>>): JsonObject {
  const missing = endpoint.fromPath?.filter((name) => wire[name] === undefined) ?? [];
  return missing.length === 0 ? wire : { ...Object.fromEntries(missing.map((name) => [name, params[name]])), ...wire };
}

async function serveAsk(dependencies: HandlerDependencies, endpoint: ModelEndpoint, visit: Visit): Promise<Response> {
  const { request, params, requestId, arrivedMs, authenticatedMs } = visit;
  requireHeader(request, endpoint.requiredHeader);
  const key = idempotencyKeyOf(request);
  const body: ReadBody = await (takesForm(endpoint, request)
    ? readFormFor(endpoint.dialect.request.schema, request, dependencies.limits)
    : readJson(request, dependencies.limits));
  const given = filled(body.wire, endpoint, params);
  const dialect = spokenIn(endpoint, given, body, params);
  const wire = validated(dialect.request.schema, given, body.mayBeExact);
  if (isLarge(body.bytes)) await nextEventLoopTurn();
  const envelope = envelopeOf(endpoint, request, params, body);
  const strict = request.headers.get("x-turnpike-strict")?.toLowerCase() === "true";
  const { drop } = dependencies;
  const named = namedUser(wire, envelope);
  visit.caller = dependencies.gateway.endUsers.of(visit.caller, named.user);
  const context = {
    caller: visit.caller,
    session: named.session,
    signal: () => request.signal,
    drop: drop && (() => drop(request)),
    arrivedMs,
    authenticatedMs,
    readMs: body.readMs,
    requestId,
  };
  const source = body.json === undefined || given !== body.wire ? undefined : { value: wire, body: body.json };
  const incoming: IncomingRequest = {
    dialect,
    wire,
    source,
    envelope,
    strict,
    id: requestId,
    bytes: body.bytes,
    context,
  };
  if (key !== null) return serveOnce(dependencies, request, endpoint, { incoming, body });
  return (await perform(dependencies, request, endpoint, { incoming, body })).response;
}

/** A request with its parsed body. */
interface ReadAsk {
  readonly incoming: IncomingRequest;
  readonly body: ReadBody;
}

async function perform(
  { gateway }: HandlerDependencies,
  request: Request,
  endpoint: ModelEndpoint,
  { incoming, body }: ReadAsk,
): Promise<Performed> {
  const reply = await answerIncoming(gateway, incoming, endpoint.answer);
  const isStream = reply.body instanceof ReadableStream;
  // A complete reply has been made, so the form is not read again. Rows with a handler of their own manage their files
  // themselves.
  if (endpoint.answer === undefined && !isStream) body.release?.();
  const response = writeReply(reply, incoming.id, endpoint.idHeaders, arrayForm(endpoint, request));
  return { response, isStream, ...(reply.exchange && { exchange: reply.exchange }) };
}

/** The same for a request with an idempotency key. It is aborted only when all clients of the call have left. */
function serveOnce(
  dependencies: HandlerDependencies,
  request: Request,
  endpoint: ModelEndpoint,
  { incoming, body }: ReadAsk,
): Promise<Response> {
  const { dialect, wire, envelope, strict, context } = incoming;
  const { operation, model, stream } = gatewayRequestOf(incoming, dependencies.gateway.clock.nowMs()).outline;
  const { path } = endpoint;
  const isArray = arrayForm(endpoint, request) !== undefined;
  const given = {
    ...{ request, strict, operation, model, stream, caller: context.caller, dialect: dialect.name },
    requestId: incoming.id,
    arrivedMs: context.arrivedMs,
    side: sideOf(endpoint, request),
    digested: { path, operation, model, dialect: dialect.name, strict, isArray, wire, params: { ...envelope.params } },
    files: body.files ?? [],
    content: () => dialect.request.parse(wire, envelope),
  };
  return dependencies.answerOnce(given, (signal) =>
    perform(dependencies, request, endpoint, { incoming: { ...incoming, context: { ...context, signal } }, body }),
  );
}

const takesForm = ({ form }: ModelEndpoint, request: Request): boolean =>
  form !== undefined && (form.only || isForm(request));

/** The dialect of a body: if a path accepts two shapes, the structure of the body decides. */
function spokenIn(
  { dialect, alternate }: ModelEndpoint,
  wire: JsonObject,
  { files }: ReadBody,
  params: Readonly<Record<string, string>>,
): Dialect {
  return alternate !== undefined && files === undefined && alternate.speaks(wire, params) ? alternate.dialect : dialect;
}

function envelopeOf(
  endpoint: ModelEndpoint,
  request: Request,
  params: Readonly<Record<string, string>>,
  body: ReadBody,
): RequestMeta {
  const parameters = endpoint.pathConstants === undefined ? params : { ...params, ...endpoint.pathConstants };
  const header = (name: string): string | null => request.headers.get(name);
  return body.files === undefined ? { header, params: parameters } : { header, params: parameters, files: body.files };
}

function arrayForm(endpoint: ModelEndpoint, request: Request): ArrayForm | undefined {
  return endpoint.asArray?.(request) ? endpoint.dialect.stream?.array : undefined;
}
