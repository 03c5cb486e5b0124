// Whom a request names: the end user of the client's application, and the session of an agent.
import { GatewayError } from "../canonical/error.ts";
import { isObject, type JsonObject, parseJsonText } from "../lib/json.ts";
import type { RequestMeta } from "./context.ts";

export interface NamedUser {
  /** Null where the request names none. */
  readonly user: string | null;
  readonly session: string | null;
}

const header = "x-turnpike-user";
const maxChars = 512;
const nothing: NamedUser = { user: null, session: null };

/** A longer name counts by its hash, so that two of them are never taken for one. */
const bounded = (name: string): string =>
  name.length <= maxChars ? name : `sha256:${new Bun.CryptoHasher("sha256").update(name).digest("hex")}`;

const textOf = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value : null);

/** As coding agents wrote it until 2025: `user_<device>_account_<account>_session_<session>`. The account may be empty. */
const agentName = /^(user_[0-9a-f]+)_account_([\w-]*?)_session_([\w-]+)$/i;

/** As agents write it now: JSON of the device, the account and the session. */
function agentObject(text: string): NamedUser | null {
  if (!text.startsWith("{") || text.length > 4_096) return null;
  const value = parseJsonText(text);
  if (!isObject(value)) return null;
  const user = textOf(value["account_uuid"]) ?? textOf(value["device_id"]);
  return user === null ? null : { user, session: textOf(value["session_id"]) };
}

function agentOf(text: string): NamedUser {
  const [, device = null, account, session = null] = agentName.exec(text) ?? [];
  if (device !== null) return { user: account || device, session };
  return agentObject(text) ?? { user: text, session: null };
}

/** Names in the body, of every format: OpenAI's two fields, and Anthropic's. */
function namedIn(wire: JsonObject): NamedUser {
  const own = textOf(wire["safety_identifier"]) ?? textOf(wire["user"]);
  const { metadata } = wire;
  const id = isObject(metadata) ? textOf(metadata["user_id"]) : null;
  const agent = id === null ? nothing : agentOf(id);
  return own === null ? agent : { user: own, session: agent.session };
}

/** The header comes before the fields of the body. */
export function namedUser(wire: JsonObject, meta: Pick<RequestMeta, "header">): NamedUser {
  const { user, session } = namedIn(wire);
  const first = textOf(meta.header(header)) ?? user;
  if (first === null && session === null) return nothing;
  return { user: first === null ? null : bounded(first), session: session === null ? null : bounded(session) };
}

/** For a project that wants to know each end user. */
export function missingUser(): GatewayError {
  const message = `This project requires an end user. Send the header '${header}', or 'safety_identifier', 'user' or 'metadata.user_id' in the body.`;
  return new GatewayError("missing_required_parameter", message, { param: header });
}
