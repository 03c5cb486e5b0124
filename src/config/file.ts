// The configuration file: YAML with variables, checked by its schema; an error names the line and the field.
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { Compile } from "typebox/compile";
import { type Document, LineCounter, parseDocument, visit } from "yaml";
import type { Environment, Settings } from "./environment.ts";
import { type ConfigFile, configSchema } from "./schema.ts";

type Path = readonly string[];

/** A file that has passed its schema, and the words for a fault in it. */
export interface ReadConfig {
  readonly config: ConfigFile;
  /** An error that names the place: `turnpike.yaml line 4, models.smart.candidates[0].provider: …`. */
  fault(path: Path, what: string): Error;
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function dotted(path: Path): string {
  return path.reduce(
    (text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    "",
  );
}

/** The line of a path, or of its nearest ancestor that stands in the file. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    const range = typeof node === "object" && node !== null && "range" in node ? (node.range as number[] | null) : null;
    if (range?.[0] !== undefined) return lines.linePos(range[0]).line;
  }
  return 1;
}

/** Replaces `${NAME}` and `${NAME:-default}` in every value; a variable that is not set and has no default stops the start. */
function substitute(
  document: Document.Parsed,
  environment: Environment,
  fail: (offset: number, what: string) => Error,
): void {
  visit(document, {
    Scalar(key, node) {
      if (key === "key" || typeof node.value !== "string" || !node.value.includes("${")) return;
      node.value = node.value.replace(variable, (_, name: string, fallback: string | undefined) => {
        const value = environment[name];
        if (value !== undefined && (value !== "" || fallback === undefined)) return value;
        if (fallback !== undefined) return fallback;
        throw fail(node.range?.[0] ?? 0, `the variable ${name} is not set. Set it, or write \${${name}:-default}`);
      });
    },
  });
}

function firstFault(value: unknown): { path: string[]; what: string } | null {
  const validator = Compile(configSchema);
  if (validator.Check(value)) return null;
  const faults = validator.Errors(value);
  // A field too many is told twice: by the false schema that it meets, and by its parent, which names it.
  const fault = faults.find(({ keyword }) => keyword !== "anyOf" && keyword !== "boolean") ?? faults[0];
  if (fault === undefined) return { path: [], what: "is not valid" };
  const path = fault.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const params: Readonly<Record<string, unknown>> = { ...fault.params };
  const [unknown] = Array.isArray(params.additionalProperties) ? params.additionalProperties : [];
  if (typeof unknown === "string") return { path: [...path, unknown], what: "there is no such field" };
  const [missing] = Array.isArray(params.requiredProperties) ? params.requiredProperties : [];
  if (typeof missing === "string") return { path, what: `the field '${missing}' is missing` };
  return { path, what: fault.message };
}

/** Reads the file, if there is one. Throws an Error with one sentence for anything that is wrong with it. */
export function readConfigFile(settings: Settings): ReadConfig {
  const file = basename(settings.configFile);
  if (!existsSync(settings.configFile)) {
    if (settings.configNamed) throw new Error(`The configuration file ${settings.configFile} does not exist.`);
    return { config: {}, fault: (path, what) => new Error(`${dotted(path)}: ${what}.`) };
  }
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(settings.configFile, "utf8"), {
    lineCounter: lines,
    prettyErrors: false,
  });
  const [broken] = document.errors;
  if (broken !== undefined)
    throw new Error(`${file} line ${lines.linePos(broken.pos[0]).line}: ${broken.message.split("\n")[0]}.`);
  substitute(
    document,
    settings.environment,
    (offset, what) => new Error(`${file} line ${lines.linePos(offset).line}: ${what}.`),
  );
  const fault = (path: Path, what: string): Error =>
    new Error(`${file} line ${lineOf(document, lines, path)}, ${dotted(path) || "the document"}: ${what}.`);
  const value: unknown = document.toJS() ?? {};
  const wrong = firstFault(value);
  if (wrong !== null) throw fault(wrong.path, wrong.what);
  return { config: value as ConfigFile, fault };
}
