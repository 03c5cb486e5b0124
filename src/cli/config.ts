// `turnpike config`: checks the configuration, prints the settings in effect, and prints the schema for editors.
import { existsSync } from "node:fs";
import { stringify } from "yaml";
import { type Configuration, readConfiguration } from "../config/configuration.ts";
import { readSettings, type Settings, variables } from "../config/environment.ts";
import { ConfigError } from "../config/faults.ts";
import { withoutSecrets } from "../config/hide-secrets.ts";
import { configJsonSchema } from "../config/json-schema.ts";
import { fieldOf, limitRows, limitsOf } from "../config/limits.ts";
import { buildCatalog } from "../config/providers.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { planCommand } from "./config-plan.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { jsonText } from "./print.ts";

const json = { json: { type: "boolean" } } as const;

interface Verdict {
  readonly valid: boolean;
  readonly file: string | null;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

function checkedConfiguration(): Verdict {
  let file: string | null = null;
  try {
    const settings = readSettings(process.env, process.cwd());
    file = existsSync(settings.configFile) ? settings.configFile : null;
    return { valid: true, file, faults: [], warnings: readConfiguration(settings).warnings };
  } catch (thrown) {
    const faults =
      thrown instanceof ConfigError ? thrown.faults : [thrown instanceof Error ? thrown.message : "unknown"];
    return { valid: false, file, faults, warnings: [] };
  }
}

function printVerdict({ valid, file, faults, warnings }: Verdict): void {
  for (const fault of faults) console.error(fault);
  for (const warning of warnings) console.log(`warning: ${warning}`);
  if (valid) console.log(`${file ?? "The environment"} is valid.`);
  else console.error(`\n${faults.length} ${faults.length === 1 ? "fault" : "faults"}`);
}

function check(words: readonly string[]): void {
  const { values } = parseCommonFields(words, json);
  const verdict = checkedConfiguration();
  if (values.json) console.log(jsonText(verdict));
  else printVerdict(verdict);
  process.exitCode = verdict.valid ? 0 : 1;
}

/** Variables that are set, and those with a default. */
function variablesInEffect({ host, port, dataFolder, configFile, environment }: Settings): JsonObject {
  const given = variables.flatMap(({ name }) => {
    const value = environment[name]?.trim();
    return value ? [[name, value]] : [];
  });
  const file = existsSync(configFile) ? configFile : null;
  return { ...Object.fromEntries(given), HOST: host, PORT: port, TURNPIKE_DATA: dataFolder, TURNPIKE_CONFIG: file };
}

/** Providers of the file as they were parsed, and those that variables configure. */
function providersInEffect({ file }: Configuration): JsonObject {
  const declared = (file.config.providers ?? {}) as JsonObject;
  const { providers } = buildCatalog(file);
  const implied = providers.flatMap(({ entry, kind, dispatch }) =>
    Object.hasOwn(declared, entry.name) || dispatch.form !== "http"
      ? []
      : [[entry.name, { kind: kind.name, base_url: dispatch.baseUrl, source: "environment" }]],
  );
  return { ...declared, ...Object.fromEntries(implied) };
}

function effectiveConfiguration(): Json {
  const settings = readSettings(process.env, process.cwd());
  const configuration = readConfiguration(settings);
  const limits: Readonly<Record<string, number>> = limitsOf(configuration.file.config.limits);
  const effective = {
    environment: variablesInEffect(settings),
    ...(configuration.file.config as JsonObject),
    providers: providersInEffect(configuration),
    limits: Object.fromEntries(limitRows.map(({ name }) => [fieldOf(name), limits[name] ?? null])),
  };
  return withoutSecrets(JSON.parse(JSON.stringify(effective)) as Json, configuration.file.environment);
}

function print(words: readonly string[]): void {
  const { values } = parseCommonFields(words, json);
  const effective = effectiveConfiguration();
  console.log(values.json ? jsonText(effective) : stringify(effective, { lineWidth: 0 }).trimEnd());
}

function schema(words: readonly string[]): void {
  parseCommonFields(words, json);
  console.log(jsonText(configJsonSchema()));
}

const jsonHelp = { "--json": "print JSON" };

export const configCommand: Command = {
  usage: "turnpike config",
  summary: "check and print the configuration",
  commands: {
    check: {
      usage: "turnpike config check",
      summary: "report every fault of the configuration; exit code 1 if there is one",
      options: jsonHelp,
      run: check,
    },
    plan: planCommand,
    print: {
      usage: "turnpike config print",
      summary: "print the configuration in effect, with secrets hidden",
      options: jsonHelp,
      run: print,
    },
    schema: {
      usage: "turnpike config schema",
      summary: "print the JSON Schema of the configuration file, for editors",
      options: jsonHelp,
      run: schema,
    },
  },
};
