// The configuration file: YAML with variables, validated by its schema; faults contain the line and the field.
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Document, LineCounter, parseDocument } from "yaml";
import { checkSchema, type Path, removeEntry } from "./check-schema.ts";
import type { Environment, Settings } from "./environment.ts";
import { ConfigError, ConfigFault, type FaultList, faultList } from "./faults.ts";
import type { ConfigFile } from "./schema.ts";
import { substitute } from "./variable-substitution.ts";

/** A parsed file, and a function for faults in it. */
export interface ReadConfig {
  /** Without invalid entries. */
  readonly config: ConfigFile;
  /** The names of all providers that the file declares, including invalid ones. */
  readonly providerNames: readonly string[];
  /** The faults so far. Callers call `throwIfAny` when everything has been checked. */
  readonly faults: FaultList;
  /** A fault with its place: `turnpike.yaml line 4, models.smart.candidates[0].provider: …`. */
  fault(path: Path, problem: string): ConfigFault;
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

/** The value with variables replaced in every text. A text with a fault is unchanged. */
function substituted(
  value: unknown,
  path: Path,
  environment: Environment,
  report: (path: Path, problem: string) => void,
): unknown {
  if (typeof value === "string") {
    const result = substitute(value, environment);
    if (result.ok) return result.text;
    report(path, result.problem);
    return value;
  }
  if (Array.isArray(value))
    return value.map((item, index) => substituted(item, [...path, String(index)], environment, report));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, substituted(inner, [...path, name], environment, report)]),
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

function emptyConfig(): ReadConfig {
  const fault = (path: Path, problem: string): ConfigFault => new ConfigFault(`${dotted(path)}: ${problem}.`);
  return { config: {}, providerNames: [], faults: faultList(), fault };
}

const namesIn = (value: unknown, section: string): string[] => {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, section) : undefined;
  return typeof found === "object" && found !== null ? Object.keys(found) : [];
};

/**
 * Reads the file, if there is one. Throws a ConfigError for a file that is not YAML; other faults are collected in
 * `faults`.
 */
export function readConfigFile(settings: Settings): ReadConfig {
  const file = basename(settings.configFile);
  if (!existsSync(settings.configFile)) {
    if (settings.configNamed) throw new Error(`The configuration file ${settings.configFile} does not exist.`);
    return emptyConfig();
  }
  const { document, lines } = parse(readFileSync(settings.configFile, "utf8"), file);
  const fault = (path: Path, problem: string): ConfigFault => {
    const place = `${file} line ${lineOf(document, lines, path)}, ${dotted(path) || "the document"}`;
    return new ConfigFault(`${place}: ${problem}${problem.endsWith("?") ? "" : "."}`);
  };
  const faults = faultList();
  const report = (path: Path, problem: string): void => faults.add(fault(path, problem));
  const unset: Path[] = [];
  const value = substituted(document.toJS() ?? {}, [], settings.environment, (path, problem) => {
    unset.push(path);
    report(path, problem);
  });
  const providerNames = namesIn(value, "providers");
  const { config, faults: found } = checkSchema(Object(value));
  const samePath = (left: Path, right: Path): boolean => left.join("\n") === right.join("\n");
  for (const { path, problem } of found) if (!unset.some((other) => samePath(other, path))) report(path, problem);
  for (const path of unset) removeEntry(config, path);
  return { config, providerNames, faults, fault };
}

/** The names of the keys that the file declares, without reading its variables. */
export function declaredKeyNames(settings: Settings): readonly string[] {
  if (!existsSync(settings.configFile)) return [];
  const { document } = parse(readFileSync(settings.configFile, "utf8"), basename(settings.configFile));
  return namesIn(document.toJS(), "keys");
}
