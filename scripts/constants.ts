// Reads the numeric constants of a module, with their values: for the document of fixed limits, and for the rule that every bound is in a table.
import { parseSync } from "oxc-parser";

export interface Constant {
  readonly name: string;
  readonly value: number;
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const operators: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "**": (left, right) => left ** right,
};

/** The number that an expression of numbers and earlier constants is; undefined where it is something else. */
function numberOf(node: Node, known: ReadonlyMap<string, number>): number | undefined {
  if (node.type === "Literal") return typeof node["value"] === "number" ? node["value"] : undefined;
  if (node.type === "Identifier") return known.get(String(node["name"]));
  if (node.type !== "BinaryExpression") return undefined;
  const [left, right] = [numberOf(node["left"] as Node, known), numberOf(node["right"] as Node, known)];
  return left === undefined || right === undefined ? undefined : operators[String(node["operator"])]?.(left, right);
}

/** Numbers that one declaration names: its own, or those of its members. */
function named(name: string, node: Node, known: ReadonlyMap<string, number>): [name: string, value: number][] {
  if (node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression")
    return named(name, node["expression"] as Node, known);
  const value = numberOf(node, known);
  if (value !== undefined) return [[name, value]];
  if (node.type !== "ObjectExpression") return [];
  return (node["properties"] as readonly Node[]).flatMap(({ key, value: member }) => {
    const field = (key as Node | undefined)?.["name"];
    const isOwn = field !== undefined && (member as Node).type !== "Identifier";
    const inner = isOwn ? numberOf(member as Node, known) : undefined;
    return inner === undefined ? [] : [[`${name}.${String(field)}`, inner] as [string, number]];
  });
}

/** Numeric `const` declarations at the top of a module, exported or not, and `object.member` of objects there. */
export function constantsOf(path: string, text: string): Constant[] {
  const known = new Map<string, number>();
  const statements = parseSync(path, text).program.body as unknown as readonly Node[];
  return statements
    .map((statement) => (statement["declaration"] ?? statement) as Node)
    .filter(({ type }) => type === "VariableDeclaration")
    .flatMap((declaration) => declaration["declarations"] as readonly Node[])
    .flatMap(({ id, init }) =>
      init === null
        ? []
        : named(String((id as Node)["name"]), init as Node, known).map(([name, value]) => {
            known.set(name, value);
            return { name, value };
          }),
    );
}

const isObjectConstant = (node: unknown): node is Node =>
  typeof node === "object" && node !== null && (node as Node).type === "ObjectExpression";

/** The object that a declaration names directly, whose members `constantsOf` lists; undefined where it names none. */
function directObject(node: Node | null): Node | undefined {
  if (node?.type === "TSAsExpression" || node?.type === "TSSatisfiesExpression")
    return directObject(node["expression"] as Node);
  return isObjectConstant(node) ? node : undefined;
}

/** The name and the value of a member or a default. */
function namedNumber(node: Node): Constant | undefined {
  const isMember = node.type === "Property" && node["computed"] !== true;
  if (!isMember && node.type !== "AssignmentPattern") return undefined;
  const name = ((isMember ? node["key"] : node["left"]) as Node)["name"];
  const value = numberOf((isMember ? node["value"] : node["right"]) as Node, new Map());
  return typeof name === "string" && value !== undefined ? { name, value } : undefined;
}

function collect(node: unknown, listed: ReadonlySet<unknown>, found: Constant[]): void {
  if (typeof node !== "object" || node === null) return;
  const number = listed.has(node) ? undefined : namedNumber(node as Node);
  if (number !== undefined) found.push(number);
  for (const member of Object.values(node)) collect(member, listed, found);
}

/** Numbers that members of objects and defaults name within a module, except those of `constantsOf`. */
export function inlineNumbersOf(path: string, text: string): Constant[] {
  const { body } = parseSync(path, text).program as unknown as { readonly body: readonly Node[] };
  const declarations = body.flatMap((statement) => {
    const declaration = (statement["declaration"] ?? statement) as Node;
    return declaration.type === "VariableDeclaration" ? (declaration["declarations"] as readonly Node[]) : [];
  });
  const listed = new Set(
    declarations.flatMap(({ init }) => (directObject(init as Node | null)?.["properties"] as Node[] | undefined) ?? []),
  );
  const found: Constant[] = [];
  collect(body, listed, found);
  return found;
}
