// Reads source files into the facts that the rules check: imports, functions, words, calls.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { parseSync } from "oxc-parser";

export interface FunctionFact {
  name: string;
  line: number;
  /** Lines that are not blank. */
  lines: number;
  /** False for callbacks and other functions without a name of their own. */
  isNamed: boolean;
}

export interface SourceFile {
  /** Relative to the repository, as `src/lib/sse.ts`. */
  path: string;
  text: string;
  lines: number;
  /** Files of the repository that it imports, types included. */
  imports: string[];
  /** Those of them that are not only for types. */
  valueImports: string[];
  functions: FunctionFact[];
  /** Text of string and template literals, and identifiers, with their lines. */
  words: { text: string; line: number; isText: boolean }[];
  /** Members by their names: keys of objects and patterns, and what is read with a dot; `of` is what they are read from. */
  members: { name: string; of?: string; line: number }[];
  /** What is written that may be banned: `console.log`, `import()`, `eval`, `any`, `unsafe(${})`. */
  habits: { what: string; line: number }[];
}

export const repository = join(import.meta.dir, "..", "..");

/** All TypeScript files below a folder of the repository. */
export function sourceFiles(folder: string): SourceFile[] {
  return listFiles(folder)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readSource(path, readFileSync(join(repository, path), "utf8")));
}

/** Paths of all files below a folder, relative to the repository. */
export function listFiles(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)))
    .sort();
}

interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

/** The facts of one file. */
export function readSource(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const specifiers = [
    ...module.staticImports.map((found) => found.moduleRequest.value),
    ...module.staticExports.flatMap((found) => found.entries.map((entry) => entry.moduleRequest?.value ?? "")),
  ];
  const file: SourceFile = {
    path,
    text,
    lines: text.trimEnd().split("\n").length,
    imports: [],
    valueImports: [],
    functions: [],
    words: [],
    members: [],
    habits: [],
  };
  file.imports = [...new Set(specifiers.filter((name) => name.startsWith(".")).map((name) => resolve(path, name)))];
  file.valueImports = valueSpecifiers(module).map((name) => resolve(path, name));
  visit(program as unknown as Node, undefined, (node, parent) => note(file, node, parent));
  return file;
}

/** Relative specifiers of which at least one name is a value. */
function valueSpecifiers(module: ReturnType<typeof parseSync>["module"]): string[] {
  const imported = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.filter(({ isType }) => !isType).map(({ moduleRequest }) => moduleRequest?.value ?? ""),
  );
  return [...new Set([...imported, ...exported])].filter((name) => name.startsWith("."));
}

function resolve(from: string, specifier: string): string {
  return normalize(join(dirname(from), specifier));
}

function visit(node: Node, parent: Node | undefined, see: (node: Node, parent: Node | undefined) => void): void {
  see(node, parent);
  for (const member of Object.values(node)) {
    for (const child of Array.isArray(member) ? member : [member]) {
      if (isNode(child)) visit(child, node, see);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

const functionTypes = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function note(file: SourceFile, node: Node, parent: Node | undefined): void {
  const line = lineOf(file.text, node.start);
  if (functionTypes.has(node.type) && node["body"]) file.functions.push(functionFact(file.text, node, parent, line));
  const word = wordOf(node);
  if (word !== undefined) file.words.push({ text: word, line, isText: node.type !== "Identifier" });
  file.members.push(...membersOf(node).map((member) => ({ ...member, line })));
  const habit = habitOf(node);
  if (habit) file.habits.push({ what: habit, line });
}

function functionFact(text: string, node: Node, parent: Node | undefined, line: number): FunctionFact {
  const own = node["id"] ?? (parent && (parent["key"] ?? parent["id"]));
  const name = isNode(own) && typeof own["name"] === "string" ? own["name"] : undefined;
  const span = text.slice(node.start, node.end).split("\n");
  return {
    name: name ?? "a function without a name",
    line,
    lines: span.filter((each) => each.trim() !== "").length,
    isNamed: name !== undefined,
  };
}

function wordOf(node: Node): string | undefined {
  if (node.type === "Identifier") return node["name"] as string;
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type === "TemplateElement") return (node["value"] as { raw: string }).raw;
  return undefined;
}

/** What a node reads or names of an object. */
function membersOf(node: Node): { name: string; of?: string }[] {
  if (node.type === "VariableDeclarator") return patternMembers(node["id"], lastName(node["init"]));
  if (node.type === "Property") {
    const key = keyOf(node);
    return key === undefined ? [] : [{ name: key }, ...patternMembers(node["value"], key)];
  }
  if (node.type !== "MemberExpression") return [];
  const { computed, property, object } = node;
  const name = computed === true ? textOf(property) : nameOf(property);
  const of = lastName(object);
  return name === undefined ? [] : [{ name, ...(of === undefined ? {} : { of }) }];
}

function patternMembers(pattern: unknown, of: string | undefined): { name: string; of?: string }[] {
  if (!isNode(pattern) || pattern.type !== "ObjectPattern" || of === undefined) return [];
  return (pattern["properties"] as Node[]).flatMap((property) => {
    const name = keyOf(property);
    return name === undefined ? [] : [{ name, of }];
  });
}

function keyOf(property: Node): string | undefined {
  return property["computed"] === true ? undefined : (nameOf(property["key"]) ?? textOf(property["key"]));
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && node.type === "Literal" && typeof node["value"] === "string" ? node["value"] : undefined;
}

/** `b` of `a.b`, `a` of `a`. */
function lastName(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return node.type === "MemberExpression" ? nameOf(node["property"]) : nameOf(node);
}

function habitOf(node: Node): string | undefined {
  if (node.type === "TSAnyKeyword") return "any";
  if (node.type === "ImportExpression") return "import()";
  if (node.type === "MemberExpression") return memberName(node);
  if (node.type === "NewExpression") return `new ${nameOf(node["callee"])}`;
  if (node.type !== "CallExpression") return undefined;
  const callee = node["callee"] as Node;
  const called = nameOf(callee) ?? nameOf(callee["property"]);
  const first = (node["arguments"] as Node[])[0];
  const isFilledTemplate = first?.type === "TemplateLiteral" && (first["expressions"] as Node[]).length > 0;
  return called === "unsafe" && isFilledTemplate ? "unsafe(${})" : `${nameOf(callee)}()`;
}

function memberName(node: Node): string | undefined {
  const object = nameOf(node["object"]);
  return object === undefined ? undefined : `${object}.${nameOf(node["property"])}`;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === "Identifier" ? (node["name"] as string) : undefined;
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
