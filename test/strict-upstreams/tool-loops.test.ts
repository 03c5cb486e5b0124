// Every client format with every habit of replaying, on every strict upstream: a tool loop of four turns.
import { afterAll, describe, test } from "bun:test";
import { checkConformance } from "../support/conformance.ts";
import { cells, keyOf, walkCell } from "./cell.ts";
import type { Outcome } from "./outcome.ts";
import { strictSetting } from "./setting.ts";
import { toolLoops } from "./table.ts";

const timeoutMs = 60_000;
const seen = new Map<string, Outcome>();
const setting = await strictSetting();
afterAll(() => setting.stop());

describe("tool loops", () => {
  test.each(cells.map((cell) => [keyOf(cell), cell] as const))(
    "%s",
    async (key, cell) => void seen.set(key, await walkCell(cell, setting)),
    timeoutMs,
  );
});

test("docs/conformance.md says what became of the model's state", () =>
  checkConformance("tool loops", toolLoops(seen)));
