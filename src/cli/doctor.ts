// `turnpike doctor`: checks the machine, the configuration and what the gateway depends on, and reports what to do.
import { type Configuration, readConfiguration } from "../config/configuration.ts";
import { readSettings, type Settings } from "../config/environment.ts";
import { readConfigFile } from "../config/file.ts";
import { limitsOf } from "../config/limits.ts";
import { buildCatalog } from "../config/providers.ts";
import { type Check, type CheckResult, runChecks } from "./check.ts";
import { machineChecks } from "./machine-checks.ts";
import { networkChecks } from "./network-checks.ts";
import { readServedEntries } from "./open-catalog.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { jsonText, table } from "./print.ts";

/** Null if the configuration cannot be read, which its own check reports. */
function withoutFaults<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    // The configuration check reads it again and reports every fault.
    return null;
  }
}

/** The served catalog; if the configuration has faults, the valid providers of the file. */
async function catalogOf(settings: Settings, configuration: Configuration | null, offline: boolean) {
  if (configuration !== null) return (await readServedEntries(settings, configuration, offline)).catalog;
  const file = withoutFaults(() => readConfigFile(settings));
  return file === null ? null : buildCatalog(file);
}

/** All checks for these settings. Valid providers are checked even if others are invalid. */
async function allChecks(settings: Settings, offline: boolean): Promise<Check[]> {
  const configuration = withoutFaults(() => readConfiguration(settings));
  const catalog = await catalogOf(settings, configuration, offline);
  return [
    ...machineChecks(settings, limitsOf(configuration?.file.config.limits)),
    ...(catalog === null ? [] : networkChecks(settings, configuration, catalog)),
  ];
}

function linesOf(results: readonly CheckResult[]): string {
  const rows = results.flatMap(({ status, name, detail, action }) => [
    [status, name, detail],
    ...(action === undefined ? [] : [["", "", `→ ${action}`]]),
  ]);
  return table(rows);
}

function summary(results: readonly CheckResult[]): string {
  const count = (status: CheckResult["status"]): number => results.filter((each) => each.status === status).length;
  return `${count("ok")} ok, ${count("warning")} with a warning, ${count("failed")} failed`;
}

function contactLine(contacts: readonly string[], isOffline: boolean): string {
  if (isOffline) return "Nothing is sent over the network.";
  return contacts.length === 0 ? "Nothing has to be contacted." : `Contacts only: ${contacts.join(", ")}.`;
}

async function doctor(words: readonly string[]): Promise<void> {
  const options = { json: { type: "boolean" }, offline: { type: "boolean" } } as const;
  const { values } = parseCommonFields(words, options);
  const all = await allChecks(readSettings(process.env, process.cwd()), values.offline === true);
  const checks = values.offline ? all.filter(({ contacts }) => contacts === undefined) : all;
  const contacts = checks.flatMap((check) => check.contacts ?? []);
  if (!values.json) console.log(`${contactLine(contacts, values.offline === true)}\n`);
  const results = await runChecks(checks);
  const isGood = results.every(({ status }) => status !== "failed");
  if (values.json) console.log(jsonText({ ok: isGood, contacts, checks: results }));
  else console.log(`${linesOf(results)}\n\n${summary(results)}`);
  process.exitCode = isGood ? 0 : 1;
}

export const doctorCommand: Command = {
  usage: "turnpike doctor",
  summary: "check the machine, the configuration and the providers",
  options: {
    "--offline": "check only what needs no network",
    "--json": "print JSON",
  },
  run: doctor,
};
