// The tables of docs/reliability.md: every fault has a row, and every row names tests that exist.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const repository = join(import.meta.dir, "..", "..");
const rows = readFileSync(join(repository, "docs/reliability.md"), "utf8").match(/^\| [UCP]\d+ \|.*$/gm) ?? [];
const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

test("every fault of providers, clients and the process has one row", () => {
  const names = rows.map((row) => row.split("|")[1]?.trim());
  expect(names).toEqual([...numbered("U", 24), ...numbered("C", 15), ...numbered("P", 8)]);
});

test.each(rows.map((row) => [row.split("|")[1]?.trim() ?? "", row] as const))("the tests of %s exist", (_, row) => {
  const files = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file ?? "");
  expect(files).not.toEqual([]);
  expect(files.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
});
