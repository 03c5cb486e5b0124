// `turnpike webhooks secret`: with which secret the receiver of a key's webhooks checks their signatures.
import { readSettings } from "../config/environment.ts";
import { readConfigFile } from "../config/file.ts";
import { readSecret } from "../config/secrets.ts";
import { webhookKeys } from "../config/videos.ts";
import { webhookSecretText } from "../lib/webhook.ts";
import { listKeys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { table, withStore } from "./open.ts";

interface Owner {
  readonly name: string;
  readonly id: string;
}

/** Keys of the store that were not revoked, and those of the file. */
async function owners(store: Store): Promise<readonly Owner[]> {
  const declared = Object.keys(readConfigFile(readSettings(process.env, process.cwd())).config.keys ?? {});
  const live = (await listKeys(store)).filter(({ revokedAtMs }) => revokedAtMs === null);
  return [...live.map(({ name, id }) => ({ name, id })), ...declared.map((name) => ({ name, id: `file:${name}` }))];
}

async function secret([wanted]: readonly string[]): Promise<void> {
  await withStore(async ({ settings, store }) => {
    const keyOf = webhookKeys(settings, readSecret(settings));
    const all = await owners(store);
    const found = all.filter(({ name, id }) => wanted === undefined || wanted === name || wanted === id);
    if (found.length === 0)
      throw new Error(wanted === undefined ? "There is no key." : `There is no live key '${wanted}'.`);
    const rows = found.map(({ name, id }) => [name, id, webhookSecretText(keyOf(id))]);
    const [only] = rows;
    console.log(wanted !== undefined && rows.length === 1 ? only?.[2] : table([["name", "id", "secret"], ...rows]));
  });
}

const commands: { readonly [name: string]: (words: readonly string[]) => Promise<void> } = { secret };

export async function webhooksCommand(words: readonly string[]): Promise<void> {
  const command = commands[words[0] ?? ""];
  if (command === undefined) throw new Error("Say what to do: turnpike webhooks secret [NAME-OR-ID].");
  await command(words.slice(1));
}
