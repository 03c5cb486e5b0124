// `turnpike webhooks secret`: prints the secret with which the receiver of a key's webhooks verifies their signatures.

import { fileKeyId } from "../config/access.ts";
import { readSettings } from "../config/environment.ts";
import { declaredKeyNames } from "../config/file.ts";
import { webhookKeys } from "../config/videos.ts";
import { webhookSecretText } from "../lib/webhook.ts";
import { listKeys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { withStore } from "./open.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { jsonText, table } from "./print.ts";

interface Owner {
  readonly name: string;
  readonly id: string;
}

/** Live keys of the store, and those of the file. */
async function owners(store: Store): Promise<readonly Owner[]> {
  const declared = declaredKeyNames(readSettings(process.env, process.cwd()));
  const live = (await listKeys(store)).filter(({ revokedAtMs }) => revokedAtMs === null);
  return [...live.map(({ name, id }) => ({ name, id })), ...declared.map((name) => ({ name, id: fileKeyId(name) }))];
}

async function secret(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { json: { type: "boolean" } } as const, 1);
  const [wanted] = positionals;
  await withStore(async ({ settings, store, root }) => {
    const keyOf = webhookKeys(settings, root);
    const all = await owners(store);
    const found = all.filter(({ name, id }) => wanted === undefined || wanted === name || wanted === id);
    if (found.length === 0)
      throw new Error(
        wanted === undefined ? "There are no active keys." : `No active key has the name or ID '${wanted}'.`,
      );
    const secrets = found.map(({ name, id }) => ({ name, id, secret: webhookSecretText(keyOf(id)) }));
    if (values.json) return console.log(jsonText(secrets));
    const rows = secrets.map((each) => [each.name, each.id, each.secret]);
    const [only] = rows;
    console.log(wanted !== undefined && rows.length === 1 ? only?.[2] : table([["name", "id", "secret"], ...rows]));
  });
}

export const webhooksCommand: Command = {
  usage: "turnpike webhooks",
  summary: "secrets for verifying webhooks",
  commands: {
    secret: {
      usage: "turnpike webhooks secret [NAME-OR-ID]",
      summary: "the secret that signs a key's webhooks",
      options: { "--json": "print JSON" },
      run: secret,
    },
  },
};
