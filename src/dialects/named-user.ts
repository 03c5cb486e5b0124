// The end user of the client's application, and the agent session, as a request names them.
import { GatewayError } from "../canonical/error.ts";
import { isObject, type JsonObject, parseJsonText } from "../lib/json.ts";
import type { RequestMeta } from "./context.ts";

interface NamedUser {
  /** Null if the request names none. */
  readonly user: string | null;
  readonly session: string | null;
}

const header = "x-turnpike-user";
const maxChars = 512;
const nothing: NamedUser = { user: null, session: null };

/** A longer name is replaced by its hash, so that two names never count as one. */
const bounded = (name: string): string =>
  name.length <= maxChars ? name : `sha256:${new Bun.CryptoHasher("sha256").update(name).digest("hex")}`;

const textOf = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value : null);

/**
 * The format of coding agents until 2025: `user_<device>_account_<account>_session_<session>`. The account may be
 * empty.
 */
const agentName = /^(user_[0-9a-f]+)_account_([\w-]*?)_session_([\w-]+)$/i;

/** Their present format: JSON with device, account and session. */
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

/** The names in a body of any format: OpenAI's two fields, and Anthropic's. */
function namedIn(wire: JsonObject): NamedUser {
  const own = textOf(wire["safety_identifier"]) ?? textOf(wire["user"]);
  const { metadata } = wire;
  const id = isObject(metadata) ? textOf(metadata["user_id"]) : null;
  const agent = id === null ? nothing : agentOf(id);
  return own === null ? agent : { user: own, session: agent.session };
}

/** The header takes precedence over fields of the body. */
export function namedUser(wire: JsonObject, meta: Pick<RequestMeta, "header">): NamedUser {
  const { user, session } = namedIn(wire);
  const first = textOf(meta.header(header)) ?? user;
  if (first === null && session === null) return nothing;
  return { user: first === null ? null : bounded(first), session: session === null ? null : bounded(session) };
}

/** The error where the project requires an end user. */
export function missingUser(): GatewayError {
  const message = `This project requires an end user. Send the header '${header}', or 'safety_identifier', 'user' or 'metadata.user_id' in the body.`;
  return new GatewayError("missing_required_parameter", message, { param: header });
}
