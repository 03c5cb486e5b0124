// Decimal numbers as integers: exact in both directions, and nothing else is taken for one.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { divideUp, formatDecimal, parseDecimal } from "../../src/lib/decimal.ts";

test.each([
  ["0", 9, 0n],
  ["0.25", 6, 250_000n],
  ["12", 2, 1_200n],
  ["-1.5", 1, -15n],
  ["0.000000001", 9, 1n],
  ["00.10", 2, 10n],
])("%s with %i digits", (text, digits, amount) => {
  expect(parseDecimal(text, digits)).toBe(amount);
});

test.each(["", ".5", "5.", "1e-7", "1,5", " 1", "+1", "0x10", "NaN", "1.0000000001"])("%j is none", (text) => {
  expect(parseDecimal(text, 9)).toBeNull();
});

test("what is written is read again, in its shortest form", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
      fc.integer({ min: 0, max: 12 }),
      (amount, digits) => {
        const text = formatDecimal(amount, digits);
        expect(parseDecimal(text, digits)).toBe(amount);
        expect(text).not.toMatch(/\.\d*0$|\.$/);
      },
    ),
  );
});

test("a division rounds what is owed up, and a reversal is its exact negative where it divides", () => {
  expect([divideUp(0n, 3n), divideUp(1n, 3n), divideUp(3n, 3n), divideUp(4n, 3n)]).toEqual([0n, 1n, 1n, 2n]);
});
