// `turnpike keys`: creates, lists, changes, rotates and revokes client keys. A running gateway applies changes within a
// second.
import { declaredProjects, fileKeyId } from "../config/access.ts";
import { declaredKeyNames } from "../config/file.ts";
import {
  checkName,
  createKey,
  editKey,
  findKey,
  findKeyProject,
  type KeyEdit,
  revoke,
  rotate,
} from "../gateway/policy/key-changes.ts";
import { type KeyRow, listKeys } from "../store/keys.ts";
import { columns, declared, listed, printChange, projectNames } from "./key-list.ts";
import { type Opened, withStore } from "./open.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText, table } from "./print.ts";
import { pairsOf, ruleHelp, ruleOptions, rulesOf } from "./rule-options.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const mostAtOnce = 1_000;
const json = { type: "boolean" } as const;
const text = { type: "string" } as const;

function numberOf(option: string, given: string | undefined, most: number): number | null {
  if (given === undefined) return null;
  const value = Number(given);
  if (Number.isFinite(value) && value > 0 && value <= most) return value;
  throw new UsageError(`--${option} must be greater than 0 and at most ${most}.`);
}

function expiry(given: string | undefined): number | null {
  const days = numberOf("expires-in-days", given, 36_500);
  return days === null ? null : Date.now() + Math.round(days * dayMs);
}

/** One name, or `NAME-1` to `NAME-N`. */
function namesOf(name: string, count: string | undefined): string[] {
  const many = numberOf("count", count, mostAtOnce);
  if (many === null) return [name];
  if (!Number.isInteger(many)) throw new UsageError("--count must be a whole number.");
  return Array.from({ length: many }, (_, index) => `${name}-${index + 1}`);
}

const createOptions = {
  ...{ name: text, project: text, secret: text, count: text, "expires-in-days": text, json },
  metadata: { type: "string", multiple: true },
  ...ruleOptions,
} as const;

interface PrintedKey {
  readonly id: string;
  readonly name: string;
  readonly key: string | null;
}

const shownOnce = ({ key, name, id }: PrintedKey): string =>
  key === null
    ? `This is key '${name}' (${id}). Its secret is the one whose hash was given.`
    : `${key}\n\nThis is key '${name}' (${id}). It is shown only once.`;

function printKeys(keys: readonly PrintedKey[], asJson: boolean, isBatch: boolean): void {
  const rows = keys.map((key) => [key.name, key.id, key.key ?? ""]);
  const text = isBatch ? table([["name", "id", "key"], ...rows]) : keys.map(shownOnce).join("\n");
  console.log(asJson ? jsonText(isBatch ? keys : keys[0]) : text);
}

async function create(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, createOptions, 1);
  const name = values.name ?? positionals[0];
  if (name === undefined) throw new UsageError("Missing --name. Usage: turnpike keys create --name NAME.");
  checkName(name);
  if (values.secret !== undefined && values.count !== undefined)
    throw new UsageError("--secret and --count cannot be used together: two keys cannot have one secret.");
  const expiresAtMs = expiry(values["expires-in-days"]);
  const rules = rulesOf(values) ?? {};
  const metadata = pairsOf("metadata", values.metadata) ?? null;
  await withStore(async ({ store, pepper, settings }) => {
    const project = await findKeyProject(store, declaredProjects(settings), values.project ?? "default");
    const given = { project, rules, expiresAtMs, metadata, secret: values.secret ?? null, nowMs: Date.now() };
    const keys: PrintedKey[] = [];
    for (const each of namesOf(name, values.count)) {
      const { row, secret } = await createKey(store, pepper, { ...given, name: each });
      keys.push({ id: row.id, name: each, key: secret });
    }
    printKeys(keys, values.json === true, values.count !== undefined);
  });
}

async function list(words: readonly string[]): Promise<void> {
  const { values } = parseCommonFields(words, { json });
  await withStore(async ({ store, settings }) => {
    const projects = await projectNames(store);
    const stored = (await listKeys(store)).map((row) => listed(row, projects));
    const keys = [...stored, ...declaredKeyNames(settings).map(declared)];
    console.log(
      values.json ? jsonText(keys) : table([columns, ...keys.map((key) => columns.map((name) => key[name] ?? ""))]),
    );
  });
}

/** Finds the key of a command and changes it. Keys of the file must be changed there. */
async function withKey(
  words: readonly string[],
  usage: string,
  work: (opened: Opened, key: KeyRow) => Promise<void>,
  alsoRevoked = false,
): Promise<void> {
  const [idOrName] = words;
  if (idOrName === undefined) throw new UsageError(`Missing key. Usage: ${usage}.`);
  await withStore(async (opened) => {
    const names = declaredKeyNames(opened.settings);
    const inFile = names.some((name) => name === idOrName || fileKeyId(name) === idOrName);
    const key = await findKey(opened.store, idOrName, alsoRevoked).catch((thrown: unknown) => {
      if (!inFile) throw thrown;
      throw new Error(`Key '${idOrName}' is declared in the configuration file. Change it there.`);
    });
    await work(opened, key);
  });
}

const updateOptions = {
  ...{ rename: text, project: text, "expires-in-days": text, json },
  "no-expiry": { type: "boolean" },
  "no-rules": { type: "boolean" },
  metadata: { type: "string", multiple: true },
  ...ruleOptions,
} as const;

async function update(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, updateOptions, 1);
  const rules = values["no-rules"] ? {} : rulesOf(values);
  const expiresAtMs = values["no-expiry"] ? null : (expiry(values["expires-in-days"]) ?? undefined);
  const metadata = pairsOf("metadata", values.metadata);
  await withKey(positionals, "turnpike keys update NAME-OR-ID", async (opened, { id }) => {
    const { store, settings } = opened;
    const projectId = async (project: string): Promise<string> =>
      (await findKeyProject(store, declaredProjects(settings), project)).id;
    const change: KeyEdit = {
      ...(values.rename === undefined ? {} : { name: values.rename }),
      ...(values.project === undefined ? {} : { projectId: await projectId(values.project) }),
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      ...(rules === undefined ? {} : { rules }),
    };
    if (Object.keys(change).length === 0) throw new UsageError("Nothing to change. See turnpike keys update --help.");
    await printChange(opened, await editKey(store, id, change), values.json === true, "changed");
  });
}

const switched =
  (command: "disable" | "enable") =>
  async (words: readonly string[]): Promise<void> => {
    const { values, positionals } = parseCommonFields(words, { json }, 1);
    await withKey(positionals, `turnpike keys ${command} NAME-OR-ID`, async (opened, { id }) => {
      const row = await editKey(opened.store, id, { disabledAtMs: command === "disable" ? Date.now() : null });
      await printChange(opened, row, values.json === true, `${command}d`);
    });
  };

async function rotateSecret(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { "grace-hours": text, secret: text, json }, 1);
  const graceMs = (numberOf("grace-hours", values["grace-hours"], 8_760) ?? 0) * hourMs;
  await withKey(positionals, "turnpike keys rotate NAME-OR-ID", async ({ store, pepper }, { id }) => {
    const given = { secret: values.secret ?? null, graceMs, nowMs: Date.now() };
    const { row, secret } = await rotate(store, pepper, id, given);
    printKeys([{ id: row.id, name: row.name, key: secret }], values.json === true, false);
  });
}

async function revokeAtOnce(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { now: { type: "boolean" }, json }, 1);
  const endsWork = values.now === true;
  const work = async (opened: Opened, { id }: KeyRow): Promise<void> => {
    await revoke(opened.store, id, { endsWork, nowMs: Date.now() });
    const ended = endsWork ? " A running gateway ends the key's requests, background responses and videos." : "";
    await printChange(opened, await findKey(opened.store, id, true), values.json === true, `revoked.${ended}`);
  };
  await withKey(positionals, "turnpike keys revoke NAME-OR-ID", work, endsWork);
}

const jsonOption = { "--json": "print JSON" };
const secretOption = { "--secret SECRET": "use this secret, or the key with the hash `sha256:` and 64 hex digits" };

export const keysCommand: Command = {
  usage: "turnpike keys",
  summary: "create, list, change, rotate and revoke client keys",
  commands: {
    create: {
      usage: "turnpike keys create --name NAME",
      summary: "create a key and print it once",
      options: {
        "--name NAME": "name of the key",
        "--count N": "create N keys, NAME-1 to NAME-N",
        "--project NAME": "its project; `default` if omitted",
        "--expires-in-days N": "expire the key after N days",
        ...secretOption,
        "--metadata NAME=VALUE": "a note; repeat it for more",
        ...ruleHelp,
        ...jsonOption,
      },
      run: create,
    },
    list: {
      usage: "turnpike keys list",
      summary: "list keys without their secrets",
      options: jsonOption,
      run: list,
    },
    update: {
      usage: "turnpike keys update NAME-OR-ID",
      summary: "change a key; rules that are given replace all of its rules",
      options: {
        "--rename NAME": "a new name",
        "--project NAME": "move it to this project",
        "--expires-in-days N": "expire the key after N days from now",
        "--no-expiry": "let it never expire",
        "--no-rules": "remove its rules",
        "--metadata NAME=VALUE": "notes, in place of those it has",
        ...ruleHelp,
        ...jsonOption,
      },
      run: update,
    },
    disable: {
      usage: "turnpike keys disable NAME-OR-ID",
      summary: "refuse a key until it is enabled",
      options: jsonOption,
      run: switched("disable"),
    },
    enable: {
      usage: "turnpike keys enable NAME-OR-ID",
      summary: "accept a key again",
      options: jsonOption,
      run: switched("enable"),
    },
    rotate: {
      usage: "turnpike keys rotate NAME-OR-ID",
      summary: "give a key a new secret; its ID, rules and counters stay",
      options: { "--grace-hours N": "accept the old secret for N hours", ...secretOption, ...jsonOption },
      run: rotateSecret,
    },
    revoke: {
      usage: "turnpike keys revoke NAME-OR-ID",
      summary: "revoke a key; requests in progress may finish",
      options: { "--now": "end its requests, background responses and videos too", ...jsonOption },
      run: revokeAtOnce,
    },
  },
};
