// Requests to the admin API: credentials, pages of lists, and errors with their request id.

import { ApiError, base } from "./gateway.ts";

export { ApiError, base };

/** The path of the console itself, for the router. */
export const consolePath = new URL(`${base}/console`).pathname;

/** In memory only: it is gone when the page is closed. */
let csrfToken: string | null = null;
const listeners = new Set<() => void>();

/** Calls the listener when the gateway refuses the session. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

interface ErrorBody {
  readonly error?: { readonly message?: string; readonly code?: string; readonly param?: string | null };
}

async function failureOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const {
    message = `The gateway answered with status ${response.status}.`,
    code = "unknown",
    param = null,
  } = body.error ?? {};
  const requestId = response.headers.get("x-request-id");
  return new ApiError(message, { status: response.status, code, param, requestId });
}

export interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly ifMatch?: number | null;
  readonly signal?: AbortSignal;
}

function headersOf({ body, ifMatch }: Call): Record<string, string> {
  return {
    ...(csrfToken === null ? {} : { "x-csrf-token": csrfToken }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(ifMatch === undefined || ifMatch === null ? {} : { "if-match": `"${ifMatch}"` }),
  };
}

/** One request to the admin API. Throws an `ApiError`. */
export async function call<Reply>(path: string, given: Call = {}): Promise<Reply> {
  const { method = given.body === undefined ? "GET" : "POST", body, signal } = given;
  const init = { method, headers: headersOf(given), credentials: "same-origin" as const };
  const more = { ...(body === undefined ? {} : { body: JSON.stringify(body) }), ...(signal ? { signal } : {}) };
  let response: Response;
  try {
    response = await fetch(`${base}/admin/api/${path}`, { ...init, ...more });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError("The gateway cannot be reached.", { status: 0, code: "unreachable" });
  }
  if (response.ok) return (await response.json()) as Reply;
  const failure = await failureOf(response);
  if (["session_ended", "missing_api_key"].includes(failure.code)) for (const listener of listeners) listener();
  throw failure;
}

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

export type Filters = Readonly<Record<string, string | number | undefined>>;

/** The query of a URL without what is empty. */
export function queryOf(filters: Filters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === "" ? "" : `?${query}`;
}

/** Every page of a list, up to a bound. */
export async function listAll<Row>(resource: string, filters: Filters = {}, maxPages = 20): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const found = await call<Page<Row>>(`${resource}${queryOf({ ...filters, limit: 100, cursor })}`);
    rows.push(...found.data);
    if (found.next_cursor === null) break;
    cursor = found.next_cursor;
  }
  return rows;
}

export interface Session {
  readonly id: string | null;
  readonly actor: Record<"kind" | "id" | "name", string> & { readonly sign_in: string | null };
  /** Verbs, by resource. */
  readonly permissions: Readonly<Record<string, readonly string[]>>;
  readonly csrf_token: string | null;
}

/** Whether the caller may use a verb of a resource. */
export const may = ({ permissions }: Session, resource: string, verb = "list"): boolean =>
  permissions[resource]?.includes(verb) === true;

function opened(session: Session): Session {
  csrfToken = session.csrf_token;
  return session;
}

/** The session of the cookie, or null. */
export async function currentSession(): Promise<Session | null> {
  try {
    return opened(await call<Session>("session"));
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 401) return null;
    throw cause;
  }
}

export type Proof =
  | { readonly key: string }
  | { readonly token: string }
  | { readonly email: string; readonly password: string }
  | { readonly invite: string; readonly password: string };

/** Begins a session. */
export const signIn = async (proof: Proof): Promise<Session> => opened(await call<Session>("session", { body: proof }));

/** Ends the session. */
export async function signOut(): Promise<void> {
  await call("session", { method: "DELETE" }).catch(() => undefined);
  csrfToken = null;
}
