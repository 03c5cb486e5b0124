// Settings in files of other programs: read, set and removed one by one, leaving the rest of the file unchanged.
import { isDeepStrictEqual } from "node:util";
import { type Document, parseDocument, stringify } from "yaml";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

/** A member of an object, or the element of a list with this name. */
export type Step = string | { readonly name: string };
export type SettingPath = readonly Step[];
export type Setting = readonly [path: SettingPath, value: Json];

type FileFormat = "json" | "yaml" | "toml" | "env";

/** A file that a client reads, and the settings in it. */
export interface SettingsFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly settings: readonly Setting[];
  /** Additional settings of a new file. */
  readonly defaults?: Readonly<Record<string, string>>;
}

/** One format: how a text is parsed, and how one setting is changed. `undefined` removes a setting. */
interface FormatCodec {
  parse(text: string): Json;
  change(text: string, path: SettingPath, value: Json | undefined): string;
}

const nameOf = (step: Step | undefined): string => (typeof step === "object" ? step.name : (step ?? ""));
const isNamed = (item: Json, name: string): boolean => isObject(item) && item.name === name;

/** The value at a path; undefined if there is none. */
export function valueAt(root: Json | undefined, path: SettingPath): Json | undefined {
  return path.reduce<Json | undefined>((value, step) => {
    if (typeof step === "object")
      return Array.isArray(value) ? value.find((item) => isNamed(item, step.name)) : undefined;
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, root);
}

/** An element of a list contains the name by which it is found. */
const withName = (step: Step, value: Json): Json =>
  typeof step === "object" && isObject(value) ? { name: step.name, ...value } : value;

function inList(list: readonly Json[], step: { readonly name: string }, value: Json | undefined): Json[] {
  const at = list.findIndex((item) => isNamed(item, step.name));
  if (value === undefined) return list.filter((_, index) => index !== at);
  return at < 0 ? [...list, value] : list.map((item, index) => (index === at ? value : item));
}

/** The same value with one setting changed. Objects and lists that become empty are removed as well. */
function changed(root: Json | undefined, path: SettingPath, value: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inner = changed(valueAt(root, [step]), rest, value);
  if (typeof step === "object") {
    const list = inList(Array.isArray(root) ? root : [], step, inner === undefined ? undefined : withName(step, inner));
    return list.length === 0 && value === undefined ? undefined : list;
  }
  const object: JsonObject = isObject(root) ? { ...root } : {};
  if (inner !== undefined) return { ...object, [step]: inner };
  delete object[step];
  return Object.keys(object).length === 0 ? undefined : object;
}

function indentOf(text: string): string {
  return /^[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
}

const json: FormatCodec = {
  parse: (text) => (text.trim() === "" ? {} : (JSON.parse(text) as Json)),
  change: (text, path, value) =>
    `${JSON.stringify(changed(json.parse(text), path, value) ?? {}, null, indentOf(text))}\n`,
};

/** The path in a document: an element of a list by its index, or after the last one if it does not exist. */
function placeIn(document: Document, path: SettingPath): (string | number)[] {
  const root = document.toJS() as Json;
  return path.map((step, index) => {
    if (typeof step === "string") return step;
    const list = valueAt(root, path.slice(0, index));
    if (!Array.isArray(list)) return 0;
    const at = list.findIndex((item) => isNamed(item, step.name));
    return at < 0 ? list.length : at;
  });
}

/** Long texts stay on one line. */
const yamlLayout = { lineWidth: 0 };

const yaml: FormatCodec = {
  parse(text) {
    const document = parseDocument(text);
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    return (document.toJS() as Json) ?? {};
  },
  change(text, path, value) {
    const document = parseDocument(text);
    if (value === undefined) {
      const rest = changed(document.toJS() as Json, path, undefined);
      // Objects that become empty are removed too.
      const depth = path.findIndex((_, index) => valueAt(rest, path.slice(0, index + 1)) === undefined);
      document.deleteIn(placeIn(document, path.slice(0, depth + 1)));
      return rest === undefined ? "" : document.toString(yamlLayout);
    }
    const last = path.at(-1) ?? "";
    const place = placeIn(document, path);
    const list = path.slice(0, -1);
    const isNewList = typeof last === "object" && !Array.isArray(valueAt(document.toJS() as Json, list));
    const named = withName(last, value);
    if (isNewList) document.setIn(place.slice(0, -1), document.createNode([named]));
    else document.setIn(place, document.createNode(named));
    return document.toString(yamlLayout);
  },
};

/** A string of TOML, with the escapes of JSON. */
const tomlValue = (value: Json): string => JSON.stringify(value);
const tableHead = /^\s*\[/;

function tomlTable(path: SettingPath, value: JsonObject): string[] {
  return [
    `[${path.map(nameOf).join(".")}]`,
    ...Object.entries(value).map(([name, inner]) => `${name} = ${tomlValue(inner ?? "")}`),
  ];
}

/**
 * Only what the client table needs: a top-level member, or a table of plain members. Comments elsewhere are preserved.
 */
const toml: FormatCodec = {
  parse: (text) => Bun.TOML.parse(text) as Json,
  change(text, path, value) {
    const rows = text === "" ? [] : text.replace(/\n$/, "").split("\n");
    return path.length === 1 ? changeTop(rows, nameOf(path[0]), value) : changeTable(rows, path, value);
  },
};

function changeTop(rows: readonly string[], name: string, value: Json | undefined): string {
  const tables = rows.findIndex((row) => tableHead.test(row));
  const head = tables < 0 ? rows : rows.slice(0, tables);
  const row = value === undefined ? [] : [`${name} = ${tomlValue(value)}`];
  const at = head.findIndex((each) => new RegExp(`^\\s*"?${name}"?\\s*=`).test(each));
  const changedHead = at < 0 ? [...row, ...head] : [...head.slice(0, at), ...row, ...head.slice(at + 1)];
  return joined([...changedHead, ...(tables < 0 ? [] : rows.slice(tables))]);
}

function changeTable(rows: readonly string[], path: SettingPath, value: Json | undefined): string {
  const head = `[${path.map(nameOf).join(".")}]`;
  const at = rows.findIndex((row) => row.trim() === head);
  const next = at < 0 ? -1 : rows.findIndex((row, index) => index > at && tableHead.test(row));
  const before = at < 0 ? rows : rows.slice(0, at);
  const after = next < 0 ? [] : rows.slice(next);
  const table = isObject(value) ? tomlTable(path, value) : [];
  const gap = before.length > 0 && table.length > 0 && before.at(-1) !== "" ? [""] : [];
  return joined([...before, ...gap, ...table, ...(after.length > 0 && table.length > 0 ? [""] : []), ...after]);
}

const joined = (rows: readonly string[]): string => (rows.length === 0 ? "" : `${rows.join("\n")}\n`);

const variableRow = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*?)\s*$/;

const env: FormatCodec = {
  parse: (text) =>
    Object.fromEntries(
      text.split("\n").flatMap((row) => {
        const [, name, value = ""] = variableRow.exec(row) ?? [];
        return name === undefined ? [] : [[name, value.replace(/^(["'])(.*)\1$/, "$2")]];
      }),
    ),
  change(text, [step], value) {
    const name = nameOf(step);
    const rows = text === "" ? [] : text.replace(/\n$/, "").split("\n");
    const at = rows.findIndex((row) => variableRow.exec(row)?.[1] === name);
    const row = value === undefined ? [] : [`${name}=${String(value)}`];
    return joined(at < 0 ? [...rows, ...row] : [...rows.slice(0, at), ...row, ...rows.slice(at + 1)]);
  },
};

const formats: Readonly<Record<FileFormat, FormatCodec>> = { json, yaml, toml, env };

/** The settings of a file's text. Throws for an invalid text; JSON may have comments. */
export const parseSettings = (format: FileFormat, text: string): Json => formats[format].parse(text);

/**
 * The text with these settings changed and undefined ones removed. Throws if anything else would change: parsing the
 * new text must give the old settings with these changes.
 */
export function changeSettings(
  format: FileFormat,
  text: string,
  settings: readonly (readonly [path: SettingPath, value: Json | undefined])[],
): string {
  const { parse, change } = formats[format];
  const expected = settings.reduce<Json | undefined>((root, [path, value]) => changed(root, path, value), parse(text));
  const result = settings.reduce((before, [path, value]) => change(before, path, value), text);
  if (!isDeepStrictEqual(parse(result), expected ?? {}))
    throw new Error("the settings cannot be added without changing others");
  return result;
}

/** A new file: its defaults and its settings. */
export function newSettingsText({ format, settings, defaults = {} }: SettingsFile): string {
  const first = format === "yaml" && Object.keys(defaults).length > 0 ? stringify(defaults) : "";
  return changeSettings(format, first, settings);
}
