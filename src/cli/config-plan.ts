// `turnpike config plan`: what differs between the configuration in effect and the file, one line each.
import { type Change, changesBetween } from "../config/changes.ts";
import { readConfiguration } from "../config/configuration.ts";
import { readSettings } from "../config/environment.ts";
import { ConfigError } from "../config/faults.ts";
import type { FieldChange } from "../config/field-changes.ts";
import { readExistingSecret } from "../config/secrets.ts";
import { readSnapshot, shownConfig, snapshotMarks } from "../config/snapshot.ts";
import type { Json } from "../lib/json.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { jsonText } from "./print.ts";

/** The exit code where something would change. 1 is a fault, 2 a wrong command line. */
const changedCode = 3;

interface Plan {
  readonly changes: readonly Change[];
  readonly needs_restart: boolean;
}

function plan(file: string | undefined): Plan {
  const environment = file === undefined ? process.env : { ...process.env, TURNPIKE_CONFIG: file };
  const settings = readSettings(environment, process.cwd());
  const mark = snapshotMarks(readExistingSecret(settings));
  const running = readSnapshot(settings.dataFolder, mark);
  const changes = changesBetween(running, shownConfig(readConfiguration(settings).file, mark));
  return { changes, needs_restart: changes.some((change) => change.needs_restart) };
}

const signs = { added: "+", changed: "~", removed: "-" } as const;

const valueText = (value: Json | undefined): string => (value === undefined ? "unset" : JSON.stringify(value));

function fieldText({ field, before, after }: FieldChange, name: string): string {
  const values = valueText(before) === valueText(after) ? "changed" : `${valueText(before)} -> ${valueText(after)}`;
  return field === name ? values : `${field} ${values}`;
}

function lineOf({ action, type, name, fields, needs_restart: needsRestart }: Change): string {
  const what = fields.map((field) => fieldText(field, name)).join(", ");
  return `${signs[action]} ${type} ${name}${what === "" ? "" : `: ${what}`}${needsRestart ? " (needs a restart)" : ""}`;
}

function printPlan({ changes }: Plan): void {
  for (const change of changes) console.log(lineOf(change));
  const count = `${changes.length} ${changes.length === 1 ? "change" : "changes"}`;
  console.log(changes.length === 0 ? "No changes." : `\n${count}`);
}

function run(words: readonly string[]): void {
  const options = { json: { type: "boolean" }, file: { type: "string" } } as const;
  const { values } = parseCommonFields(words, options);
  try {
    const found = plan(values.file);
    if (values.json) console.log(jsonText(found));
    else printPlan(found);
    process.exitCode = found.changes.length === 0 ? 0 : changedCode;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    if (values.json) console.log(jsonText({ faults: thrown.faults }));
    else for (const fault of thrown.faults) console.error(fault);
    process.exitCode = 1;
  }
}

export const planCommand: Command = {
  usage: "turnpike config plan",
  summary: "what the file would change of the configuration in effect; exit code 3 if it would change something",
  options: { "--file FILE": "compare this file instead of turnpike.yaml", "--json": "print JSON" },
  run,
};
