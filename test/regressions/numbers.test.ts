// The list of classic bugs is whole: every number from 1 to 55 has a row in this folder.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

test("every number has a row", () => {
  const texts = readdirSync(import.meta.dir).map((name) => readFileSync(join(import.meta.dir, name), "utf8"));
  const numbers = texts.flatMap((text) =>
    [...text.matchAll(/\bbug\((\d+),|test\("#(\d+):/g)].map((hit) => Number(hit[1] ?? hit[2])),
  );
  const missing = Array.from({ length: 55 }, (_, index) => index + 1).filter((number) => !numbers.includes(number));
  expect(missing).toEqual([]);
});
