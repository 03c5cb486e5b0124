// The configuration file: YAML with variables, validated by its schema; faults contain the line and the field.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { type Document, isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { checkSchema, type Path, removeEntry } from "./check-schema.ts";
import type { Environment, Settings } from "./environment.ts";
import { ConfigError, ConfigFault, type FaultList, faultList } from "./faults.ts";
import type { ConfigFile } from "./schema.ts";
import { readSecretFile, secretFileOf } from "./secret-files.ts";
import { type LookUp, substitute } from "./variable-substitution.ts";

/** A parsed file, and a function for faults in it. */
export interface ReadConfig {
  /** As it was read; null where there is no file. */
  readonly text: string | null;
  /** Without invalid entries. */
  readonly config: ConfigFile;
  /** The variables, with the values of the files that variables of the file are in. */
  readonly environment: Environment;
  readonly files: FilesRead;
  /** The names of all providers that the file declares, including invalid ones. */
  readonly providerNames: readonly string[];
  /** The faults so far. Callers call `throwIfAny` when everything has been checked. */
  readonly faults: FaultList;
  /** A fault with its place: `turnpike.yaml line 4, models.smart.candidates[0].provider: …`. */
  fault(path: Path, problem: string): ConfigFault;
  /** The line of an entry, by its path. */
  lineAt(path: Path): number;
}

/** The files that a configuration names. Each is read once, so that every use finds the same contents. */
export interface FilesRead {
  /** The text of a file; relative ones are in the folder of turnpike.yaml. Throws what reading it throws. */
  read(path: string): string;
  /** Their full paths, also of those that could not be read. */
  all(): readonly string[];
}

function filesRead(folder: string): FilesRead {
  const texts = new Map<string, string | null>();
  return {
    read(path) {
      const full = resolve(folder, path);
      const text = texts.get(full);
      if (typeof text === "string") return text;
      texts.set(full, null);
      const read = readFileSync(full, "utf8");
      texts.set(full, read);
      return read;
    },
    all: () => [...texts.keys()],
  };
}

function dotted(path: Path): string {
  return path.reduce(
    (text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    "",
  );
}

/** The line of a path, or of its nearest ancestor in the file. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    const range = typeof node === "object" && node !== null && "range" in node ? (node.range as number[] | null) : null;
    if (range?.[0] !== undefined) return lines.linePos(range[0]).line;
  }
  return 1;
}

/** The line of the key of a path, or of the item of a list. */
function keyLineOf(document: Document.Parsed, lines: LineCounter, path: Path): number {
  const parent: unknown = document.getIn(path.slice(0, -1), true);
  const keys = isMap(parent) ? parent.items.map(({ key }) => key).filter((key) => isScalar(key)) : [];
  const offset = keys.find(({ value }) => String(value) === path.at(-1))?.range?.[0];
  return offset === undefined ? lineOf(document, lines, path) : lines.linePos(offset).line;
}

/** The value with variables replaced in every text. A text with a fault is unchanged. */
function substituted(
  value: unknown,
  path: Path,
  lookUp: LookUp,
  report: (path: Path, problem: string) => void,
): unknown {
  if (typeof value === "string") {
    const result = substitute(value, lookUp);
    if (result.ok) return result.text;
    report(path, result.problem);
    return value;
  }
  if (Array.isArray(value))
    return value.map((item, index) => substituted(item, [...path, String(index)], lookUp, report));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, substituted(inner, [...path, name], lookUp, report)]),
  );
}

function parse(text: string, file: string): { document: Document.Parsed; lines: LineCounter } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  if (document.errors.length === 0) return { document, lines };
  throw new ConfigError(
    document.errors.map(({ pos, message }) => `${file} line ${lines.linePos(pos[0]).line}: ${message.split("\n")[0]}.`),
  );
}

function emptyConfig({ environment, workingFolder }: Settings): ReadConfig {
  const fault = (path: Path, problem: string): ConfigFault => new ConfigFault(`${dotted(path)}: ${problem}.`);
  return {
    text: null,
    config: {},
    environment,
    files: filesRead(workingFolder),
    providerNames: [],
    faults: faultList(),
    fault,
    lineAt: () => 1,
  };
}

/** Variables that the file names: those of the environment, and those that are in a file. */
function variablesOf({ environment, workingFolder }: Settings, files: FilesRead) {
  const values: Record<string, string> = {};
  const lookUp: LookUp = (name) => {
    const file = secretFileOf(name, environment, workingFolder);
    if (file === null) return environment[name];
    values[name] ??= readSecretFile(name, () => files.read(file));
    return values[name];
  };
  return { lookUp, all: (): Environment => ({ ...environment, ...values }) };
}

/** The text of the file; null where there is none. Throws where it was named, or was there before. */
export function readConfigText({ configFile, configNamed }: Settings, wasThere = false): string | null {
  if (existsSync(configFile)) return readFileSync(configFile, "utf8");
  if (configNamed || wasThere) throw new Error(`The configuration file ${configFile} does not exist.`);
  return null;
}

const namesIn = (value: unknown, section: string): string[] => {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, section) : undefined;
  return typeof found === "object" && found !== null ? Object.keys(found) : [];
};

/**
 * Reads the file, if there is one. Throws a ConfigError for a file that is not YAML; other faults are collected in
 * `faults`.
 */
export function readConfigFile(settings: Settings, text = readConfigText(settings)): ReadConfig {
  const file = basename(settings.configFile);
  if (text === null) return emptyConfig(settings);
  const { document, lines } = parse(text, file);
  const files = filesRead(dirname(settings.configFile));
  const variables = variablesOf(settings, files);
  const fault = (path: Path, problem: string): ConfigFault => {
    const place = `${file} line ${lineOf(document, lines, path)}, ${dotted(path) || "the document"}`;
    return new ConfigFault(`${place}: ${problem}${problem.endsWith("?") ? "" : "."}`);
  };
  const faults = faultList();
  const report = (path: Path, problem: string): void => faults.add(fault(path, problem));
  const unset: Path[] = [];
  const value = substituted(document.toJS() ?? {}, [], variables.lookUp, (path, problem) => {
    unset.push(path);
    report(path, problem);
  });
  const providerNames = namesIn(value, "providers");
  const { config, faults: found } = checkSchema(Object(value));
  const samePath = (left: Path, right: Path): boolean => left.join("\n") === right.join("\n");
  for (const { path, problem } of found) if (!unset.some((other) => samePath(other, path))) report(path, problem);
  for (const path of unset) removeEntry(config, path);
  const lineAt = (path: Path): number => keyLineOf(document, lines, path);
  return { text, config, environment: variables.all(), files, providerNames, faults, fault, lineAt };
}

/** The names of the keys that the file declares, without reading its variables. */
export function declaredKeyNames(settings: Settings): readonly string[] {
  if (!existsSync(settings.configFile)) return [];
  const { document } = parse(readFileSync(settings.configFile, "utf8"), basename(settings.configFile));
  return namesIn(document.toJS(), "keys");
}
