// `turnpike keys`: makes, lists and revokes client keys. A running gateway follows within a second.
import { parseArgs } from "node:util";
import { newKey, previewOf } from "../config/secrets.ts";
import { randomId } from "../lib/ids.ts";
import { hashKey } from "../lib/secret.ts";
import { insertKey, type KeyRow, listKeys, revokeKey } from "../store/keys.ts";
import { table, withStore } from "./open.ts";

const dayMs = 86_400_000;
const namePattern = /^[\w.@:-]{1,64}$/;

function expiry(text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (Number.isFinite(days) && days > 0 && days <= 36_500) return Date.now() + Math.round(days * dayMs);
  throw new Error("--expires-in-days must be a number above 0 and at most 36500.");
}

async function create(words: readonly string[]): Promise<void> {
  const options = { name: { type: "string" }, "expires-in-days": { type: "string" } } as const;
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const name = values.name ?? positionals[0] ?? "";
  if (!namePattern.test(name))
    throw new Error("Give the key a name: turnpike keys create --name NAME (letters, digits, . _ @ : -, at most 64).");
  const expiresAtMs = expiry(values["expires-in-days"]);
  const key = newKey();
  await withStore(async ({ store, pepper }) => {
    const row = { id: randomId("key_"), name, hash: hashKey(pepper, key), preview: previewOf(key) };
    const written = await insertKey(store, { ...row, createdAtMs: Date.now(), expiresAtMs, restrictions: null });
    if (written.kind === "taken")
      throw new Error(
        `There is already a key with the ${written.by} '${name}'. Revoke it first, or take another name.`,
      );
    console.log(`${key}\n\nThis is key '${name}' (${row.id}). It is shown this once.`);
  });
}

function stateOf(row: KeyRow): string {
  if (row.revokedAtMs !== null) return "revoked";
  return row.expiresAtMs !== null && row.expiresAtMs <= Date.now() ? "expired" : "live";
}

const day = (ms: number | null): string => (ms === null ? "" : new Date(ms).toISOString().slice(0, 10));

async function list(): Promise<void> {
  await withStore(async ({ store }) => {
    const rows = await listKeys(store);
    const cells = rows.map((row) => [
      row.name,
      row.id,
      row.preview,
      stateOf(row),
      day(row.createdAtMs),
      day(row.expiresAtMs),
    ]);
    console.log(table([["name", "id", "key", "state", "created", "expires"], ...cells]));
  });
}

async function revoke([idOrName]: readonly string[]): Promise<void> {
  if (idOrName === undefined) throw new Error("Say which key: turnpike keys revoke NAME-OR-ID.");
  await withStore(async ({ store }) => {
    const row = await revokeKey(store, idOrName, Date.now());
    if (row === undefined) throw new Error(`There is no live key '${idOrName}'.`);
    console.log(`Key '${row.name}' (${row.id}) is revoked.`);
  });
}

const commands: { readonly [name: string]: (words: readonly string[]) => Promise<void> } = { create, list, revoke };

export async function keysCommand(words: readonly string[]): Promise<void> {
  const command = commands[words[0] ?? ""];
  if (command === undefined) throw new Error("Say what to do: turnpike keys create|list|revoke.");
  await command(words.slice(1));
}
