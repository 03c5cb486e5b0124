// Local checks of `turnpike doctor`: open files, the data folder, the secret, the clock, the configuration.
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readConfiguration } from "../config/configuration.ts";
import { descriptorLimit, requestsWithin } from "../config/descriptors.ts";
import type { Settings } from "../config/environment.ts";
import { ConfigError } from "../config/faults.ts";
import type { Limits } from "../config/limits.ts";
import { readExistingSecret, secretFileOf, secretMatches } from "../config/secrets.ts";
import { readRequests } from "../gateway/ledger/read.ts";
import { openStoreReadOnly, storeExists } from "../store/store.ts";
import { type Check, type Finding, failed, ok, warning } from "./check.ts";

/** The open files of so many concurrent requests: two for each, and those of the process itself. */
const filesFor = (requests: number): number => 2 * requests + 512;

/** Whether the limit on open files is enough for the concurrent requests. */
export function checkDescriptors(soft: number | null, { maxConcurrentRequests: wanted }: Limits): Finding {
  if (soft === null) return warning("The limit on open files cannot be read here.", "Check `ulimit -n`.");
  const fitting = requestsWithin(soft, wanted);
  if (fitting >= wanted) return ok(`${soft} open files are enough for ${wanted} requests at once.`);
  const detail = `${soft} open files are enough for ${fitting} requests at once, not for ${wanted}.`;
  return warning(detail, `Run \`ulimit -n ${filesFor(wanted)}\` before the start, or set LimitNOFILE of the service.`);
}

const mebibyte = 1024 * 1024;
const leastFreeMib = 100;
const usualFreeMib = 1_024;

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    // The finding contains the path and what to set.
    return false;
  }
}

/** Magic numbers of statfs(2) for file systems on other machines, where locks and shared memory of SQLite do not work. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9P"],
]);

function existingParent(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existingParent(dirname(folder));
}

/** Whether the gateway can store its files in the data folder. */
export function checkDataFolder(folder: string): Finding {
  const exists = existsSync(folder);
  const found = existingParent(folder);
  if (!isUsable(found))
    return failed(`${found} is not a writable folder for this user.`, "Set TURNPIKE_DATA to a writable folder.");
  const { type, bavail, bsize } = statfsSync(found);
  const freeMib = Math.floor((bavail * bsize) / mebibyte);
  if (freeMib < leastFreeMib) return failed(`${folder} has ${freeMib} MiB of free space.`, "Free some space.");
  if (!exists) return warning(`${folder} does not exist.`, "The first start creates it.");
  const network = networkFileSystems.get(type);
  if (network !== undefined)
    return warning(
      `${folder} is on a network file system (${network}), which SQLite does not support.`,
      "Use a local disk.",
    );
  if (freeMib < usualFreeMib)
    return warning(`${folder} has only ${freeMib} MiB of free space.`, "The ledger grows by about 1 KB per request.");
  return checkMode(folder, freeMib);
}

function checkMode(folder: string, freeMib: number): Finding {
  const mode = statSync(folder).mode & 0o777;
  if ((mode & 0o077) === 0) return ok(`${folder} is writable and private, with ${freeMib} MiB of free space.`);
  const detail = `Other users have access to ${folder} (mode ${mode.toString(8)}).`;
  return warning(detail, `Run \`chmod -R go= ${folder}\`; the next start does the same.`);
}

/** Whether a secret was set or generated. */
export const hasSecretSet = ({ secret, dataFolder }: Settings): boolean =>
  secret !== null || existsSync(secretFileOf(dataFolder));

/** Whether there is a secret, and whether the stored data was written with it. */
async function checkStoredSecret(settings: Settings): Promise<Finding> {
  const { dataFolder, databaseUrl } = settings;
  if (!hasSecretSet(settings) && !storeExists(dataFolder))
    return databaseUrl === undefined
      ? ok("The first start generates a secret in the data folder.")
      : warning("No secret is set.", "Set the same TURNPIKE_SECRET for all instances that share the database.");
  const secret = readExistingSecret(settings);
  // The shared database has its own check.
  if (databaseUrl !== undefined || !storeExists(dataFolder)) return ok("The secret is set.");
  const store = openStoreReadOnly({ dataFolder });
  try {
    const matches = await secretMatches(store, secret);
    return matches === false ? wrongSecret : ok("The secret is the one of the stored data.");
  } finally {
    await store.close();
  }
}

/** The finding for a secret with which the stored keys and credentials cannot be used. */
export const wrongSecret: Finding = failed(
  "The secret is not the one with which the stored data was written, so existing keys do not work.",
  "Set TURNPIKE_SECRET to the earlier secret; it is in the file 'secret' of the earlier data folder.",
);

const earliestMs = Date.UTC(2026, 0, 1);
const toleranceMs = 5_000;

/** Whether the clock is plausible: later than this release, and not before the newest request in the ledger. */
export function checkClock({ dataFolder }: Settings, nowMs: number): Finding {
  const time = new Date(nowMs).toISOString();
  if (nowMs < earliestMs) return failed(`The clock is wrong: ${time}.`, "Set the time, for example with NTP.");
  const [newest] = existsSync(dataFolder) ? readRequests(dataFolder, { limit: 1 }) : [];
  if (newest === undefined || newest.atMs <= nowMs + toleranceMs) return ok(`The time is ${time}.`);
  const latest = new Date(newest.atMs).toISOString();
  const detail = `The clock shows ${time}, but the ledger has a request of ${latest}.`;
  return warning(detail, "Set the time, for example with NTP.");
}

/** Whether the gateway would start with this configuration; every fault is one finding. */
function configurationChecks(settings: Settings): Check[] {
  const name = "configuration";
  try {
    const { warnings, file } = readConfiguration(settings);
    const routes = Object.keys(file.config.models ?? {}).length;
    const source = existsSync(settings.configFile) ? settings.configFile : "The environment";
    const good = ok(`${source} is valid: ${file.providerNames.length} providers and ${routes} routes in the file.`);
    const doubts = warnings.map((text) => warning(text, "Correct it in the configuration file."));
    return [good, ...doubts].map((finding) => ({ name, run: () => finding }));
  } catch (thrown) {
    const faults = thrown instanceof ConfigError ? thrown.faults : [String(Object(thrown).message ?? thrown)];
    return faults.map((fault) => ({ name, run: () => failed(fault, "Correct it: the gateway does not start.") }));
  }
}

/** The checks without network access. */
export function machineChecks(settings: Settings, limits: Limits): Check[] {
  return [
    { name: "descriptors", run: () => checkDescriptors(descriptorLimit(), limits) },
    { name: "data folder", run: () => checkDataFolder(settings.dataFolder) },
    { name: "secret", run: () => checkStoredSecret(settings) },
    { name: "clock", run: () => checkClock(settings, Date.now()) },
    ...configurationChecks(settings),
  ];
}
