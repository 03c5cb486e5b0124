// Parts of the page of requests that need no browser: events cut anywhere, rows in place, and differences of lines.
import { expect, test } from "bun:test";
import { lineDiff, readable } from "../../console/src/data/line-diff.ts";
import { createLiveRows, eventsIn } from "../../console/src/data/live-feed.ts";

const nothing = { started: [], first_byte: [], settled: [], more: false };
const at = (id: string, more = {}) => ({ id, model: "m", state: "completed", ...more }) as never;

test("an event that is cut is read with its rest", () => {
  const first = eventsIn('id: a.1\nevent: requests\ndata: {"x":1}\n\n: \n\nid: a.2\nda');
  expect(first.events).toEqual([{ id: "a.1", data: '{"x":1}' }]);
  expect(eventsIn(`${first.rest}ta: {}\n\n`)).toEqual({ events: [{ id: "a.2", data: "{}" }], rest: "" });
});

test("a row changes in place, the newest is first, and at most a thousand are in the list", () => {
  const list = createLiveRows();
  list.apply([{ ...nothing, started: [{ id: "one" }] }]);
  const [row] = list.rows;
  list.apply([{ ...nothing, first_byte: [{ id: "one", first_byte_ms: 7 }], settled: [at("one"), at("two")] }]);
  expect(list.rows.map(({ id }) => id)).toEqual(["two", "one"]);
  expect(list.rows[1]).toBe(row as never);
  expect(row).toMatchObject({ state: "completed", first_byte_ms: 7 });
  list.apply([{ ...nothing, settled: Array.from({ length: 1_500 }, (_, n) => at(`n${n}`)) }]);
  expect(list.rows).toHaveLength(1_000);
  expect([list.rows[0]?.id, list.has("one"), list.has("n1499")]).toEqual(["n1499", false, true]);
});

test("lines that differ are marked, and texts of too many lines are not compared", () => {
  const text = (lines: ReturnType<typeof lineDiff>) => lines?.map(({ mark, text: line }) => mark + line);
  expect(text(lineDiff("a\nb\nc", "a\nx\nc\nd"))).toEqual([" a", "-b", "+x", " c", "+d"]);
  expect(text(lineDiff(readable('{"a":1,"b":2}'), readable('{"a":1}')))).toEqual([
    " {",
    '-  "a": 1,',
    '-  "b": 2',
    '+  "a": 1',
    " }",
  ]);
  expect(lineDiff("a\n".repeat(2_000), "a")).toBeNull();
});
