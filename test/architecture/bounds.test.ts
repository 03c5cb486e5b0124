// Every bound of the source is in a table: one that is added without a row is found, and a row without its bound too.
import { expect, test } from "bun:test";
import { fixedLimits } from "../../scripts/fixed-limits.ts";
import { fieldOf, limitRows } from "../../src/config/limits.ts";
import { boundsIn, boundsWithoutRow, isBoundName } from "./bounds.ts";
import { exceptedBounds } from "./excepted-bounds.ts";
import { sourceFiles } from "./source.ts";

const source = sourceFiles("src").filter(({ path }) => !path.startsWith("src/console/"));
const fixed = fixedLimits.map(({ constant }) => constant);

test("every bound has a row, or a reason for having none", () => {
  expect(boundsWithoutRow(source, new Set([...fixed, ...exceptedBounds]))).toEqual([]);
});

test("no bound is listed twice, and none that the source no longer has", () => {
  const bounds = boundsIn(source);
  const listed = [...fixed, ...exceptedBounds];
  expect(listed.filter((each, index) => listed.indexOf(each) !== index)).toEqual([]);
  expect(listed.filter((each) => !bounds.includes(each) && !fixed.includes(each))).toEqual([]);
});

test("every limit that can be set is read somewhere", () => {
  const words = new Set(
    source
      .filter(({ path }) => !path.startsWith("src/config/"))
      .flatMap(({ words: own }) => own.map(({ text }) => text)),
  );
  const startUp = new Set(
    sourceFiles("src")
      .find(({ path }) => path === "src/app.ts")
      ?.words.map(({ text }) => text),
  );
  expect(limitRows.map(({ name }) => name).filter((name) => !words.has(name) && !startUp.has(name))).toEqual([]);
});

test("an error that names a limit names one of the table", () => {
  const fields = new Set(limitRows.map(({ name }) => `limits.${fieldOf(name)}`));
  const named = source.flatMap(({ words }) =>
    words.flatMap(({ text, isText }) =>
      isText ? [...text.matchAll(/limits\.(?!ts\b)[a-z_]+/g)].map(([name]) => name) : [],
    ),
  );
  expect(named.filter((name) => !fields.has(name))).toEqual([]);
});

test.each([
  ["const maxThings = 3;", ["src/lib/a.ts maxThings"]],
  ["export const waitMs = 2 * 1_000;", ["src/lib/a.ts waitMs"]],
  ["const kibibyte = 1024;\nconst heldBytes = 4 * kibibyte;", ["src/lib/a.ts heldBytes"]],
  ["const polls = () => ({ maxRunning: 64, n: 1 });", ["src/lib/a.ts maxRunning"]],
  ["const waits = { firstMs: 1 } as const;", ["src/lib/a.ts waits.firstMs"]],
  ["const kinds = [{ mostItems: 3 }, { mostItems: 4 }];", ["src/lib/a.ts mostItems"]],
  ["function wait({ longestMs = 5 }: Waits) {}", ["src/lib/a.ts longestMs"]],
  ["const schema = Type.String({ minLength: 1 });", []],
  ["const notFound = 404;\nconst items = [1];\nconst total = (): number => 3;", []],
])("finds the bounds of %j", (text, expected) => {
  expect(boundsIn([{ path: "src/lib/a.ts", text }])).toEqual(expected);
});

test("a bound that is in no table is found, and what to do is said", () => {
  const files = [{ path: "src/lib/a.ts", text: "const maxThings = 3;" }];
  expect(boundsWithoutRow(files, new Set())).toEqual([
    expect.stringMatching(/^src\/lib\/a\.ts maxThings: .*src\/config\/limits\.ts/),
  ]);
  expect(isBoundName("minute")).toBe(false);
});
