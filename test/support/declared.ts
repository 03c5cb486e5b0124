// What the installed SDKs' own types require: read from their declarations, so that a newer SDK shows what is missing.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const modules = join(import.meta.dir, "../../node_modules");

/** The body of `interface name {…}`, `class name {…}` or `namespace name {…}` in declarations, which indent by four spaces. */
function bodyOf(text: string, kind: "(?:interface|class)" | "namespace", name: string): string {
  const pattern = new RegExp(
    `^( *)(?:export )?(?:declare )?${kind} ${name}(?: extends [^{]+)? \\{\\n([\\s\\S]*?)^\\1\\}`,
    "m",
  );
  const body = pattern.exec(text)?.[2];
  if (body === undefined) throw new Error(`there is no ${kind} ${name}`);
  return body;
}

function membersOf(file: string, type: string): { name: string; isRequired: boolean }[] {
  const code = readFileSync(join(modules, file), "utf8")
    .replaceAll("\r\n", "\n")
    .replace(/\/\*[\s\S]*?\*\//g, "");
  const path = type.split(".");
  const name = path.pop() ?? "";
  const body = bodyOf(
    path.reduce((text, outer) => bodyOf(text, "namespace", outer), code),
    "(?:interface|class)",
    name,
  );
  const indent = " ".repeat(4 * (path.length + 1));
  return [...body.matchAll(new RegExp(`^${indent}(\\w+)(\\??):`, "gm"))].map(([, member = "", mark]) => ({
    name: member,
    isRequired: mark !== "?",
  }));
}

/** Names of the members that a type requires. `type` is as in `Message` or `RawMessageDeltaEvent.Delta`. */
export const requiredMembers = (file: string, type: string): string[] =>
  membersOf(file, type).flatMap(({ name, isRequired }) => (isRequired ? [name] : []));

/** The members of a value that a type does not declare. */
export function undeclared(value: unknown, file: string, type: string): string[] {
  const names = new Set(membersOf(file, type).map(({ name }) => name));
  const has = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return has.filter((name) => !names.has(name)).map((name) => `${type}.${name}`);
}

/** The members that a value lacks of a type. */
export function lacking(value: unknown, file: string, type: string): string[] {
  const has = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return requiredMembers(file, type)
    .filter((name) => !has.includes(name))
    .map((name) => `${type}.${name}`);
}
