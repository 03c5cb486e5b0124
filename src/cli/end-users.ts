// `turnpike end-users`: what is held about an end user, and its removal.
import { fileProjectId } from "../config/access.ts";
import { deleteEndUser, referenceOf } from "../gateway/end-users/delete.ts";
import { eraseIn } from "../gateway/end-users/erase.ts";
import { heldData } from "../gateway/end-users/held-data.ts";
import { lockFolder } from "../gateway/ledger/files.ts";
import { readRequestPage } from "../gateway/ledger/request-list.ts";
import { findProject } from "../gateway/policy/key-changes.ts";
import { listErasures } from "../store/end-users.ts";
import { audited } from "./audit.ts";
import { type Opened, withStore } from "./open.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText } from "./print.ts";

const text = { type: "string" } as const;

/** Projects of the file are not in the store. */
async function projectIdOf({ store }: Opened, name: string): Promise<string> {
  const found = await findProject(store, name).catch(() => null);
  return found?.id ?? fileProjectId(name);
}

async function withEndUser(
  words: readonly string[],
  command: string,
  work: (opened: Opened, project: string, endUser: string, asJson: boolean) => Promise<void>,
): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { project: text, json: { type: "boolean" } } as const, 1);
  const [endUser] = positionals;
  if (endUser === undefined) throw new UsageError(`Missing ID. Usage: turnpike end-users ${command} ID.`);
  const { project = "default", json = false } = values;
  await withStore(async (opened) => work(opened, await projectIdOf(opened, project), endUser, json));
}

/** As JSON lines, one object each, with `--json` or without. */
const exportData = (words: readonly string[]): Promise<void> =>
  withEndUser(words, "export", async ({ store, settings: { dataFolder }, pepper }, project, endUser) => {
    const entry = { action: "export", resource: "end-users", objectId: referenceOf(pepper, project, endUser) };
    await audited(store, entry, async () => undefined);
    const requests = (query: Parameters<typeof readRequestPage>[1]) => readRequestPage(dataFolder, query);
    const plain = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
    for await (const object of heldData({ store, dataFolder, requests }, project, endUser))
      console.log(JSON.stringify(object, plain));
  });

/** Applies the list to the files of this folder where no gateway does: a running one has locked it. */
async function applyHere({ store, settings: { dataFolder }, pepper }: Opened): Promise<boolean> {
  let unlock: () => void;
  try {
    unlock = lockFolder(dataFolder);
  } catch {
    return false;
  }
  try {
    eraseIn(dataFolder, await listErasures(store, 0), pepper);
    return true;
  } finally {
    unlock();
  }
}

const remove = (words: readonly string[]): Promise<void> =>
  withEndUser(words, "delete", async (opened, project, endUser, asJson) => {
    const { store, pepper } = opened;
    const entry = { action: "delete", resource: "end-users", objectId: referenceOf(pepper, project, endUser) };
    const { marker, responses, videos } = await audited(store, entry, (inside) =>
      deleteEndUser(inside, { pepper, project, endUser, nowMs: Date.now() }),
    );
    const isDone = await applyHere(opened);
    if (asJson) return console.log(jsonText({ marker, responses, videos, applied: isDone }));
    console.log(`Deleted ${responses} stored responses and ${videos} videos.`);
    const when = isDone
      ? "Requests in this data folder have"
      : "Within seconds, requests in the ledgers of running gateways have";
    console.log(`${when} '${marker}' in place of the end user, and no bodies.`);
  });

const project = { "--project NAME": "its project; `default` if omitted", "--json": "print JSON" };

export const endUsersCommand: Command = {
  usage: "turnpike end-users",
  summary: "what is held about an end user",
  commands: {
    export: {
      usage: "turnpike end-users export ID",
      summary: "print everything that is held about an end user, as JSON lines",
      options: project,
      run: exportData,
    },
    delete: {
      usage: "turnpike end-users delete ID",
      summary: "delete an end user's content, and replace its ID in the ledger; sums stay",
      options: project,
      run: remove,
    },
  },
};
