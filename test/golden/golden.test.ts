// Golden files: every fixture of every dialect, translated into every other one. They are beside their fixture; `UPDATE_GOLDEN=1` writes them anew.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compared, type Fixture, golden } from "./convert.ts";

const fixtures = join(import.meta.dir, "..", "fixtures");
const end = ".golden.txt";
const isUpdating = process.env["UPDATE_GOLDEN"] === "1";

function fixturesOf(dialect: Fixture["dialect"]): Fixture[] {
  const folder = join(fixtures, dialect.name);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /\.(?:json|sse)$/.test(name));
  return names.sort().map((name) => ({ dialect, name, text: readFileSync(join(folder, name), "utf8") }));
}

const goldenPath = ({ dialect, name }: Fixture) => join(dialect.name, `${name}${end}`);
const goldenFiles = (): string[] =>
  readdirSync(fixtures, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith(end));

if (isUpdating) for (const path of goldenFiles()) rmSync(join(fixtures, path));

describe.each(compared.map((dialect) => ({ name: dialect.name, dialect })))("from $name", ({ dialect }) => {
  const own = fixturesOf(dialect);

  test("there are fixtures", () => {
    expect(own.length).toBeGreaterThan(0);
  });

  test.each(own.map((fixture) => ({ name: fixture.name, fixture })))("$name", ({ fixture }) => {
    const path = join(fixtures, goldenPath(fixture));
    const text = golden(fixture);
    if (isUpdating) writeFileSync(path, text);
    expect(text).toBe(
      existsSync(path)
        ? readFileSync(path, "utf8")
        : "there is no golden file: run UPDATE_GOLDEN=1 bun test test/golden",
    );
  });
});

test("no golden file is left without its fixture", () => {
  const expected = compared.flatMap(fixturesOf).map(goldenPath);
  expect(goldenFiles().sort()).toEqual(expected.sort());
});
