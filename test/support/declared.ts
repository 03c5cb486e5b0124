// What the installed SDKs' own types require: read from their declarations, so that a newer SDK shows what is missing.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const modules = join(import.meta.dir, "../../node_modules");

/** The body of `interface name {…}` or of `namespace name {…}` in declarations, which indent by four spaces. */
function bodyOf(text: string, kind: "interface" | "namespace", name: string): string {
  const pattern = new RegExp(
    `^( *)(?:export )?(?:declare )?${kind} ${name}(?: extends [^{]+)? \\{\\n([\\s\\S]*?)^\\1\\}`,
    "m",
  );
  const body = pattern.exec(text)?.[2];
  if (body === undefined) throw new Error(`there is no ${kind} ${name}`);
  return body;
}

/** Names of the members that a type requires. `type` is as in `Message` or `RawMessageDeltaEvent.Delta`. */
export function requiredMembers(file: string, type: string): string[] {
  const code = readFileSync(join(modules, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const path = type.split(".");
  const name = path.pop() ?? "";
  const body = bodyOf(
    path.reduce((text, outer) => bodyOf(text, "namespace", outer), code),
    "interface",
    name,
  );
  const indent = " ".repeat(4 * (path.length + 1));
  return [...body.matchAll(new RegExp(`^${indent}(\\w+)(\\??):`, "gm"))].flatMap(([, member = "", mark]) =>
    mark === "?" ? [] : [member],
  );
}

/** The members that a value lacks of a type. */
export function lacking(value: unknown, file: string, type: string): string[] {
  const has = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return requiredMembers(file, type)
    .filter((name) => !has.includes(name))
    .map((name) => `${type}.${name}`);
}
