// The golden matrix: every fixture of every dialect in the words of every other one. `UPDATE_GOLDEN=1` writes the files anew.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compared, type Fixture, golden } from "./convert.ts";

const fixtures = join(import.meta.dir, "..", "fixtures");
const files = join(import.meta.dir, "files");
const isUpdating = process.env["UPDATE_GOLDEN"] === "1";

function fixturesOf(dialect: Fixture["dialect"]): Fixture[] {
  const folder = join(fixtures, dialect.name);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /\.(?:json|sse)$/.test(name));
  return names.sort().map((name) => ({ dialect, name, text: readFileSync(join(folder, name), "utf8") }));
}

const goldenPath = ({ dialect, name }: Fixture) => join(dialect.name, `${name}.txt`);
const all = compared.flatMap(fixturesOf);

if (isUpdating) rmSync(files, { recursive: true, force: true });

describe.each(compared.map((dialect) => ({ name: dialect.name, dialect })))("from $name", ({ dialect }) => {
  const own = fixturesOf(dialect);

  test("there are fixtures", () => {
    expect(own.length).toBeGreaterThan(0);
  });

  test.each(own.map((fixture) => ({ name: fixture.name, fixture })))("$name", ({ fixture }) => {
    const path = join(files, goldenPath(fixture));
    const text = golden(fixture);
    if (isUpdating) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    expect(text).toBe(
      existsSync(path)
        ? readFileSync(path, "utf8")
        : "there is no golden file: run UPDATE_GOLDEN=1 bun test test/golden",
    );
  });
});

test("no golden file is left without its fixture", () => {
  const found = existsSync(files)
    ? readdirSync(files, { recursive: true }).filter((path) => String(path).endsWith(".txt"))
    : [];
  expect(found.map(String).sort()).toEqual(all.map(goldenPath).sort());
});
