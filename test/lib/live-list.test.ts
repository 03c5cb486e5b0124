// The list of what comes and goes with every request.
import { expect, test } from "bun:test";
import { LiveList, type Member } from "../../src/lib/live-list.ts";

interface Named extends Member {
  readonly name: string;
}

const namesOf = (list: LiveList<Named>): string[] => {
  const names: string[] = [];
  list.each(({ name }) => names.push(name));
  return names.sort();
};

test("members leave in any order, and may come back", () => {
  const list = new LiveList<Named>();
  const [a, b, c]: Named[] = [{ name: "a" }, { name: "b" }, { name: "c" }];
  if (a === undefined || b === undefined || c === undefined) throw new Error("three members");
  for (const each of [a, b, c, b]) list.add(each);
  expect([namesOf(list), list.size]).toEqual([["a", "b", "c"], 3]);
  list.remove(a);
  list.remove(a);
  expect(namesOf(list)).toEqual(["b", "c"]);
  list.remove(c);
  list.add(a);
  list.remove(b);
  expect(namesOf(list)).toEqual(["a"]);
  list.remove(a);
  expect(list.size).toBe(0);
});

test("a member that leaves while the others are visited is not visited any more", () => {
  const list = new LiveList<Named>();
  const members: Named[] = ["a", "b", "c", "d"].map((name) => ({ name }));
  for (const each of members) list.add(each);
  const visited: string[] = [];
  list.each(({ name }) => {
    visited.push(name);
    for (const each of members) if (each.name === "c") list.remove(each);
  });
  expect(visited).toEqual(["a", "b", "d"]);
});
