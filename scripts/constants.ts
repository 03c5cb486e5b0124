// Reads the numeric constants of a module, with their values: for the document of fixed limits, and for the rule that every bound is in a table.
import { parseSync } from "oxc-parser";

export interface Constant {
  readonly name: string;
  readonly value: number;
  readonly line: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
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
function valueOf(node: Node, known: ReadonlyMap<string, number>): number | undefined {
  if (node.type === "Literal") return typeof node["value"] === "number" ? node["value"] : undefined;
  if (node.type === "Identifier") return known.get(String(node["name"]));
  if (node.type !== "BinaryExpression") return undefined;
  const [left, right] = [valueOf(node["left"] as Node, known), valueOf(node["right"] as Node, known)];
  return left === undefined || right === undefined ? undefined : operators[String(node["operator"])]?.(left, right);
}

/** Numeric `const` declarations at the top of a module, exported or not. */
export function constantsOf(path: string, text: string): Constant[] {
  const known = new Map<string, number>();
  const statements = parseSync(path, text).program.body as unknown as readonly Node[];
  return statements
    .map((statement) => (statement["declaration"] ?? statement) as Node)
    .filter(({ type }) => type === "VariableDeclaration")
    .flatMap((declaration) => declaration["declarations"] as readonly Node[])
    .flatMap(({ id, init, start }) => {
      const value = init === null ? undefined : valueOf(init as Node, known);
      if (value === undefined) return [];
      const name = String((id as Node)["name"]);
      known.set(name, value);
      return [{ name, value, line: text.slice(0, start).split("\n").length }];
    });
}
