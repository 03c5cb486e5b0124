// The caller of a key that a command names: its rules, with those of its project and of the organization.
import { readConfiguration } from "../config/configuration.ts";
import { readSettings } from "../config/environment.ts";
import { type Caller, callerOf } from "../gateway/policy/caller.ts";
import { findKey, findKeyProject } from "../gateway/policy/key-changes.ts";
import { readRules } from "../gateway/policy/rules.ts";
import { openStoreReadOnly, storeExists } from "../store/store.ts";
import { UsageError } from "./options.ts";

/** Keys of the file take precedence. Throws for an unknown or revoked key. */
export async function callerOfKey(idOrName: string): Promise<Caller> {
  const settings = readSettings(process.env, process.cwd());
  const { keys, projects, organization } = readConfiguration(settings).access;
  const inFile = keys.find(({ caller: { keyId, name } }) => keyId === idOrName || name === idOrName);
  if (inFile !== undefined) return inFile.caller;
  const { dataFolder, databaseUrl } = settings;
  if (databaseUrl === undefined && !storeExists(dataFolder))
    throw new UsageError(`No key has the name or ID '${idOrName}'.`);
  const store = openStoreReadOnly({ dataFolder, databaseUrl });
  try {
    const { id: keyId, name, rules, projectId } = await findKey(store, idOrName);
    const project = await findKeyProject(store, projects, projectId);
    return callerOf({ keyId, name, rules: rules === null ? null : readRules(rules), project, organization });
  } finally {
    await store.close();
  }
}
