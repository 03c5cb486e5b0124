// `turnpike users`: lists, creates, invites, changes, disables and deletes users of the console, as the admin API does.
import { userInfo } from "node:os";
import { createAdmin } from "../admin/admin.ts";
import type { Principal } from "../admin/permissions.ts";
import { users } from "../admin/resources/users.ts";
import { userRoleNames } from "../admin/roles.ts";
import { validate } from "../http/validate.ts";
import { systemClock } from "../lib/clock.ts";
import { requestId } from "../lib/ids.ts";
import type { JsonObject } from "../lib/json.ts";
import { findUser, findUserByEmail } from "../store/users.ts";
import { consoleBase } from "./address.ts";
import { type Opened, withStore } from "./open.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText, table } from "./print.ts";

const [json, text] = [{ type: "boolean" } as const, { type: "string" } as const];
const pageRows = "100";

interface Call {
  readonly id?: string;
  readonly body?: JsonObject;
  readonly query?: Readonly<Record<string, string>>;
  /** Address of the gateway, for links. */
  readonly url?: string | undefined;
}

/** One verb of the admin API, with its checks and its entry in the audit log. */
async function call({ store, pepper, settings }: Opened, verb: string, { id = "", body = {}, query, url }: Call = {}) {
  const name = userInfo().username;
  const principal: Principal = { kind: "command_line", id: name, name, roles: ["operator"] };
  const admin = createAdmin({ store, clock: systemClock, validate });
  const request = { principal, requestId: requestId(), query: new URLSearchParams(query), id, body, ifMatch: null };
  return (await admin.run(users(pepper), verb, { ...request, base: consoleBase(settings, url) })).body;
}

function named(positionals: readonly string[], usage: string): string {
  const [name] = positionals;
  if (name === undefined) throw new UsageError(`Missing email. Usage: ${usage}.`);
  return name;
}

async function idOf({ store }: Opened, name: string): Promise<string> {
  const row = (await findUser(store, name)) ?? (await findUserByEmail(store, name.trim().toLowerCase()));
  if (row === undefined) throw new Error(`No user has the email or ID '${name}'.`);
  return row.id;
}

async function list(words: readonly string[]): Promise<void> {
  const { values } = parseCommonFields(words, { json });
  await withStore(async (opened) => {
    const rows: JsonObject[] = [];
    for (let cursor: unknown = ""; cursor !== null; ) {
      const query = { limit: pageRows, ...(cursor === "" ? {} : { cursor: String(cursor) }) };
      const page = await call(opened, "list", { query });
      rows.push(...(page["data"] as JsonObject[]));
      cursor = page["next_cursor"] ?? null;
    }
    const columns = ["email", "role", "status", "sign_in", "last_sign_in_at", "id"];
    const lines = rows.map((row) => columns.map((column) => String(row[column] ?? "")));
    console.log(values.json ? jsonText(rows) : table([columns, ...lines]));
  });
}

function printInvite(user: JsonObject, asJson: boolean | undefined): void {
  const until = String(user["invite_expires_at"]).slice(0, 10);
  const note = `The link sets the password of ${user["email"]}, once, until ${until}.`;
  console.log(asJson ? jsonText(user) : `${user["invite_url"]}\n${note}`);
}

const daysOf = (days: string | undefined): JsonObject => (days === undefined ? {} : { expires_in_days: Number(days) });

async function create(words: readonly string[]): Promise<void> {
  const options = { json, role: text, name: text, days: text, url: text };
  const { values, positionals } = parseCommonFields(words, options, 1);
  const email = named(positionals, "turnpike users create EMAIL --role ROLE");
  const { role, name, days, url } = values;
  if (role === undefined) throw new UsageError(`Missing --role: one of ${userRoleNames.join(", ")}.`);
  const body = { email, role, ...(name === undefined ? {} : { name }), ...daysOf(days) };
  await withStore(async (opened) => printInvite(await call(opened, "create", { body, url }), values.json));
}

async function invite(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { json, days: text, url: text }, 1);
  const name = named(positionals, "turnpike users invite EMAIL-OR-ID");
  await withStore(async (opened) => {
    const given = { id: await idOf(opened, name), body: daysOf(values.days), url: values.url };
    printInvite(await call(opened, "invite", given), values.json);
  });
}

/** A command that changes one user; the sentence names what it has become. */
function change(verb: string, done: string, bodyOf: (role: string | undefined) => JsonObject) {
  return async (words: readonly string[]): Promise<void> => {
    const { values, positionals } = parseCommonFields(words, { json, role: text }, 1);
    const name = named(positionals, "turnpike users --help");
    await withStore(async (opened) => {
      const id = await idOf(opened, name);
      const user = await call(opened, verb, { id, body: bodyOf(values.role) });
      console.log(values.json ? jsonText(user) : `The user ${name} is ${done}.`);
    });
  };
}

function roleBody(role: string | undefined): JsonObject {
  if (role === undefined) throw new UsageError(`Missing --role: one of ${userRoleNames.join(", ")}.`);
  return { role };
}

const usage = (rest: string): string => `turnpike users ${rest}`;
const jsonHelp = { "--json": "print JSON" };
const roleHelp = { [`--role ${userRoleNames.join("|")}`]: "what the user may do" };
const linkHelp = {
  "--days N": "days after which the link expires; default 7",
  "--url URL": "address of the gateway; default: TURNPIKE_PUBLIC_URL, or HOST and PORT",
  ...jsonHelp,
};

export const usersCommand: Command = {
  usage: "turnpike users",
  summary: "list, create, invite, change, disable and delete users of the console",
  commands: {
    list: { usage: usage("list"), summary: "list users", options: jsonHelp, run: list },
    create: {
      usage: usage("create EMAIL --role ROLE"),
      summary: "create a user and print their invite link",
      options: { ...roleHelp, "--name NAME": "name; default: the email", ...linkHelp },
      run: create,
    },
    invite: {
      usage: usage("invite EMAIL-OR-ID"),
      summary: "print a new link on which a user sets a password",
      options: linkHelp,
      run: invite,
    },
    update: {
      usage: usage("update EMAIL-OR-ID --role ROLE"),
      summary: "change the role of a user",
      options: { ...roleHelp, ...jsonHelp },
      run: change("update", "changed", roleBody),
    },
    disable: {
      usage: usage("disable EMAIL-OR-ID"),
      summary: "end the sessions of a user, who cannot sign in from then on",
      options: jsonHelp,
      run: change("update", "disabled", () => ({ disabled: true })),
    },
    enable: {
      usage: usage("enable EMAIL-OR-ID"),
      summary: "let a disabled user sign in again",
      options: jsonHelp,
      run: change("update", "enabled", () => ({ disabled: false })),
    },
    delete: {
      usage: usage("delete EMAIL-OR-ID"),
      summary: "delete a user",
      options: jsonHelp,
      run: change("delete", "deleted", () => ({})),
    },
  },
};
