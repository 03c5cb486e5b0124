// `/admin/api/session`: sign in, who am I, sign out.
import { type Static, Type } from "typebox";
import { noPassword, type Opened, type Proof } from "../admin/access.ts";
import { closed, isoTime, isoTimeOrNull, nullable, shortText, text, time } from "../admin/fields.ts";
import { maxPasswordChars, minPasswordChars } from "../admin/passwords.ts";
import { allowedVerbs, type Principal } from "../admin/permissions.ts";
import { csrfTokenOf, type Visitor } from "../admin/sessions.ts";
import { GatewayError } from "../canonical/error.ts";
import type { JsonObject } from "../lib/json.ts";
import type { SessionRow } from "../store/sessions.ts";
import {
  adminCaller,
  type CallerParts,
  callerOfSession,
  cookieName,
  requireOwnOrigin,
  sessionSecret,
} from "./admin-caller.ts";
import type { HandlerContext, HandlerEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";
import { type ReadLimits, readJson } from "./read.ts";
import { validated } from "./validate.ts";
import { writeJson } from "./write.ts";

/** The dependencies of the rows, as a function because the table is also used without them. */
type SessionPartsOf = () => CallerParts & {
  readonly limits: ReadLimits;
  /** The OpenID provider, if there is one. */
  readonly provider: () => { readonly name: string } | null;
};

const passwordText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 2 * maxPasswordChars, description });

const signIn = Type.Object(
  {
    token: Type.Optional(shortText("The token of a one-time link.")),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "The admin key or a service token." })),
    email: Type.Optional(shortText("The email of a user, with `password`.")),
    invite: Type.Optional(shortText("The token of an invite, with the `password` that the user chooses.")),
    password: Type.Optional(
      passwordText(`Password. A new one has ${minPasswordChars} to ${maxPasswordChars} characters.`),
    ),
  },
  closed,
);

const current = Type.Object({
  object: Type.Literal("current_session"),
  id: nullable(text("ID of the session; null for a caller with a key.")),
  actor: Type.Object({
    kind: text("`admin_key`, `service_token` or `user`."),
    id: text("ID."),
    name: text("Name."),
    sign_in: nullable(Type.Enum(["password", "oidc"], { description: "How the user signs in; null for a key." })),
  }),
  roles: Type.Array(Type.String(), { description: "`operator`, or scopes." }),
  permissions: Type.Record(Type.String(), Type.Array(Type.String()), { description: "Verbs, by resource." }),
  csrf_token: nullable(text("Send it as `x-csrf-token` with each `POST`, `PATCH` and `DELETE`.")),
  created_at: nullable(time("When the session began.")),
  expires_at: nullable(time("When it ends at the latest.")),
  idle_expires_at: nullable(time("When it ends without another request.")),
});

function written(
  { access, pepper }: CallerParts,
  principal: Principal,
  session: { readonly row: SessionRow; readonly secret: string } | null,
): JsonObject {
  const { kind, id, name, roles, signIn = null } = principal;
  return {
    object: "current_session",
    id: session?.row.id ?? null,
    actor: { kind, id, name, sign_in: signIn },
    roles: [...roles],
    permissions: allowedVerbs(principal) as JsonObject,
    csrf_token: session === null ? null : csrfTokenOf(pepper, session.secret),
    created_at: session === null ? null : isoTime(session.row.createdAtMs),
    expires_at: session === null ? null : isoTime(session.row.expiresAtMs),
    idle_expires_at: session === null ? null : isoTime(access.idleEndMs(session.row)),
  };
}

/**
 * Without a path, so that the browser derives `/admin/api` from the address that it used, which has the prefix of a
 * proxy (https://www.rfc-editor.org/rfc/rfc6265#section-5.1.4).
 */
function cookie(page: string, secret: string, seconds: number): string {
  const secure = page.startsWith("https:") ? "; Secure" : "";
  return `${cookieName}=${secret}; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

const pageOf = ({ request, origin }: HandlerContext): string => request.headers.get("origin") ?? origin();

/** The cookie of a session that has just begun, for a browser at this address. */
export const sessionCookie = (page: string, { secret, row }: Opened): string =>
  cookie(page, secret, Math.floor((row.expiresAtMs - row.createdAtMs) / 1000));

function reply(body: JsonObject, { requestId }: HandlerContext, status: number, setCookie?: string): Response {
  const response = writeJson(body, requestId, [], status);
  response.headers.set("cache-control", "no-store");
  if (setCookie !== undefined) response.headers.append("set-cookie", setCookie);
  return response;
}

/** Who presents themselves in a request. */
export const visitorOf = ({ request, requestId, address }: HandlerContext): Visitor => ({
  address: address(),
  userAgent: request.headers.get("user-agent") ?? "",
  requestId,
});

/** The ways to sign in, by the members that each has. */
const proofs: Readonly<Record<string, (given: Static<typeof signIn>) => Proof>> = {
  token: ({ token = "" }) => ({ by: "link", token }),
  key: ({ key = "" }) => ({ by: "key", key }),
  "email,password": ({ email = "", password = "" }) => ({ by: "password", email, password }),
  "invite,password": ({ invite = "", password = "" }) => ({ by: "invite", invite, password }),
};

function proofOf(given: Static<typeof signIn>): Proof {
  const proof = proofs[Object.keys(given).sort().join()];
  if (proof !== undefined) return proof(given);
  const message = "Send one of 'token', 'key', 'email' with 'password', and 'invite' with 'password'.";
  throw new GatewayError("missing_required_parameter", message, { param: "key" });
}

async function begin(parts: ReturnType<SessionPartsOf>, context: HandlerContext): Promise<Response> {
  const { request } = context;
  // A program has no origin. A page always has one with a POST.
  if (request.headers.has("origin")) requireOwnOrigin(request, parts.publicUrl);
  const { wire } = await readJson(request, parts.limits);
  const proof = proofOf(validated(signIn, wire) as Static<typeof signIn>);
  const opened = await parts.access.signIn(proof, visitorOf(context), sessionSecret(request));
  return reply(written(parts, opened.principal, opened), context, 201, sessionCookie(pageOf(context), opened));
}

async function show(parts: ReturnType<SessionPartsOf>, context: HandlerContext): Promise<Response> {
  const secret = sessionSecret(context.request);
  if (secret === null) return reply(written(parts, await adminCaller(parts, context), null), context, 200);
  const { principal, row } = await callerOfSession(parts, context.request, secret);
  return reply(written(parts, principal, { row, secret }), context, 200);
}

async function end(parts: ReturnType<SessionPartsOf>, context: HandlerContext): Promise<Response> {
  const secret = sessionSecret(context.request);
  if (secret === null) throw new GatewayError("missing_api_key", "The request has no session.");
  const { row } = await callerOfSession(parts, context.request, secret);
  await parts.access.signOut(row, context.requestId);
  return reply({ object: "session.deleted", id: row.id, deleted: true }, context, 200, cookie(pageOf(context), "", 0));
}

const passwordChange = Type.Object(
  {
    current_password: passwordText("The present password."),
    password: passwordText(`The new one: ${minPasswordChars} to ${maxPasswordChars} characters.`),
  },
  closed,
);

async function changePassword(parts: ReturnType<SessionPartsOf>, context: HandlerContext): Promise<Response> {
  const secret = sessionSecret(context.request);
  if (secret === null) {
    await adminCaller(parts, context);
    throw noPassword();
  }
  const caller = await callerOfSession(parts, context.request, secret);
  const { wire } = await readJson(context.request, parts.limits);
  const { current_password: current, password } = validated(passwordChange, wire) as Static<typeof passwordChange>;
  await parts.access.changePassword(caller, { current, password }, visitorOf(context));
  return reply(written(parts, caller.principal, { row: caller.row, secret }), context, 200);
}

const invite = Type.Object({ invite: shortText("The token of the invite.") }, closed);

const invited = Type.Object({
  object: Type.Literal("invite"),
  email: text("The email of the user whom it is for."),
  name: text("Their name."),
  expires_at: nullable(time("When the invite expires.")),
});

/** The token is in the body, because URLs are logged. */
async function showInvite(parts: ReturnType<SessionPartsOf>, context: HandlerContext): Promise<Response> {
  if (context.request.headers.has("origin")) requireOwnOrigin(context.request, parts.publicUrl);
  const { wire } = await readJson(context.request, parts.limits);
  const { invite: token } = validated(invite, wire) as Static<typeof invite>;
  const { email, name, inviteExpiresAtMs } = await parts.access.invited(token, visitorOf(context));
  return reply({ object: "invite", email, name, expires_at: isoTimeOrNull(inviteExpiresAtMs) }, context, 200);
}

const methods = Type.Object({
  object: Type.Literal("sign_in_methods"),
  password: Type.Boolean({
    description: "Whether there are users. Without any, the link of the first start signs in.",
  }),
  oidc: nullable(
    Type.Object({ name: text("The name of the OpenID provider."), path: text("Where signing in there begins.") }),
  ),
});

async function showMethods({ access, provider }: ReturnType<SessionPartsOf>, context: HandlerContext) {
  const configured = provider();
  const oidc = configured === null ? null : { name: configured.name, path: "admin/api/oidc" };
  return reply({ object: "sign_in_methods", password: await access.hasUsers(), oidc }, context, 200);
}

const deleted = Type.Object({
  object: Type.Literal("session.deleted"),
  id: Type.String(),
  deleted: Type.Literal(true),
});

/** The rows of the session of a browser. */
export function sessionEndpoints(parts: SessionPartsOf): readonly HandlerEndpoint[] {
  const row = { kind: "plain", path: "/admin/api/session", tag: "Admin", ...protocols.openai } as const;
  const admin = { access: { key: "admin" } } as const;
  return [
    {
      ...{ ...row, method: "POST", operationId: "signIn", access: { key: "none" } },
      summary: "Begins a session with a one-time link, a key, an email and its password, or an invite.",
      body: { schema: signIn },
      reply: current,
      handle: (context) => begin(parts(), context),
    },
    {
      ...{ ...row, method: "GET", operationId: "currentSession", ...admin },
      summary: "Retrieves who the caller is, and what it may do.",
      reply: current,
      handle: (context) => show(parts(), context),
    },
    {
      ...{ ...row, method: "DELETE", operationId: "signOut", ...admin },
      summary: "Ends the session.",
      reply: deleted,
      handle: (context) => end(parts(), context),
    },
    {
      ...{ ...row, path: "/admin/api/session/password", method: "POST", operationId: "changeOwnPassword", ...admin },
      summary: "Changes the password of the signed-in user, and ends their other sessions.",
      body: { schema: passwordChange },
      reply: current,
      handle: (context) => changePassword(parts(), context),
    },
    {
      ...{ ...row, path: "/admin/api/invite", method: "POST", operationId: "showInvite", access: { key: "none" } },
      summary: "Retrieves whom an invite is for.",
      body: { schema: invite },
      reply: invited,
      handle: (context) => showInvite(parts(), context),
    },
    {
      ...{ ...row, path: "/admin/api/sign-in", method: "GET", operationId: "signInMethods", access: { key: "none" } },
      summary: "Retrieves how people can sign in.",
      reply: methods,
      handle: (context) => showMethods(parts(), context),
    },
  ];
}
