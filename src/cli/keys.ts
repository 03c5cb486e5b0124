// `turnpike keys`: makes, lists and revokes client keys. A running gateway follows within a second.
import { fileKeyId } from "../config/access.ts";
import { declaredKeyNames } from "../config/file.ts";
import { newKey, previewOf } from "../config/secrets.ts";
import { randomId } from "../lib/ids.ts";
import { hashKey } from "../lib/secret.ts";
import { insertKey, type KeyRow, listKeys, revokeKey } from "../store/keys.ts";
import { withStore } from "./open.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText, table } from "./print.ts";

const dayMs = 86_400_000;
const namePattern = /^[\w.@:-]{1,64}$/;
const json = { type: "boolean" } as const;

function expiry(text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (Number.isFinite(days) && days > 0 && days <= 36_500) return Date.now() + Math.round(days * dayMs);
  throw new UsageError("--expires-in-days must be greater than 0 and at most 36500.");
}

async function create(words: readonly string[]): Promise<void> {
  const options = { name: { type: "string" }, "expires-in-days": { type: "string" }, json } as const;
  const { values, positionals } = parseCommonFields(words, options, 1);
  const name = values.name ?? positionals[0] ?? "";
  if (!namePattern.test(name))
    throw new UsageError(
      "Missing --name. Usage: turnpike keys create --name NAME (at most 64 characters: letters, digits, . _ @ : -).",
    );
  const expiresAtMs = expiry(values["expires-in-days"]);
  const key = newKey();
  await withStore(async ({ store, pepper }) => {
    const row = { id: randomId("key_"), name, hash: hashKey(pepper, key), preview: previewOf(key) };
    const written = await insertKey(store, { ...row, createdAtMs: Date.now(), expiresAtMs, rules: null });
    if (written.kind === "taken")
      throw new Error(`A key with the ${written.by} '${name}' already exists. Revoke it first, or use another name.`);
    console.log(
      values.json
        ? jsonText({ id: row.id, name, key })
        : `${key}\n\nThis is key '${name}' (${row.id}). It is shown only once.`,
    );
  });
}

interface ListedKey {
  readonly name: string;
  readonly id: string;
  readonly key: string;
  readonly state: "live" | "revoked" | "expired";
  readonly created: string | null;
  readonly expires: string | null;
  readonly source: "store" | "file";
}

function stateOf(row: KeyRow): ListedKey["state"] {
  if (row.revokedAtMs !== null) return "revoked";
  return row.expiresAtMs !== null && row.expiresAtMs <= Date.now() ? "expired" : "live";
}

const day = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString().slice(0, 10));

const listed = (row: KeyRow): ListedKey => ({
  name: row.name,
  id: row.id,
  key: row.preview,
  state: stateOf(row),
  created: day(row.createdAtMs),
  expires: day(row.expiresAtMs),
  source: "store",
});

const declared = (name: string): ListedKey => ({
  name,
  id: fileKeyId(name),
  key: "…",
  state: "live",
  created: null,
  expires: null,
  source: "file",
});

const columns = ["name", "id", "key", "state", "created", "expires", "source"] as const;

async function list(words: readonly string[]): Promise<void> {
  const { values } = parseCommonFields(words, { json });
  await withStore(async ({ store, settings }) => {
    const keys = [...(await listKeys(store)).map(listed), ...declaredKeyNames(settings).map(declared)];
    console.log(
      values.json ? jsonText(keys) : table([columns, ...keys.map((key) => columns.map((name) => key[name] ?? ""))]),
    );
  });
}

async function revoke(words: readonly string[]): Promise<void> {
  const [idOrName] = parseCommonFields(words, {}, 1).positionals;
  if (idOrName === undefined) throw new UsageError("Missing key. Usage: turnpike keys revoke NAME-OR-ID.");
  await withStore(async ({ store, settings }) => {
    const row = await revokeKey(store, idOrName, Date.now());
    if (row !== undefined) return console.log(`Key '${row.name}' (${row.id}) is revoked.`);
    const inFile = declaredKeyNames(settings).some((name) => name === idOrName || fileKeyId(name) === idOrName);
    throw new Error(
      inFile
        ? `Key '${idOrName}' is declared in the configuration file. Remove it there and restart the gateway.`
        : `No active key has the name or ID '${idOrName}'.`,
    );
  });
}

const jsonOption = { "--json": "print JSON" };

export const keysCommand: Command = {
  usage: "turnpike keys",
  summary: "create, list and revoke client keys",
  commands: {
    create: {
      usage: "turnpike keys create --name NAME",
      summary: "create a key and print it once",
      options: {
        "--name NAME": "name of the key",
        "--expires-in-days N": "expire the key after N days",
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
    revoke: { usage: "turnpike keys revoke NAME-OR-ID", summary: "revoke a key", run: revoke },
  },
};
