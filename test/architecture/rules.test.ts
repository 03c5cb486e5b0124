// Every rule of the architecture finds the breach that it is there for.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as rules from "./rules.ts";
import { readSource, repository } from "./source.ts";

const file = (path: string, text: string) => readSource(path, text);
const many = (count: number) => "f();\n".repeat(count);

const members = rules.wireMembers([
  file("src/dialects/a.ts", "f({ encrypted_content: 1, retry_after: 2 });"),
  file("src/config/a.ts", "f({ retry_after: 2 });"),
]);

const breaches: Record<string, () => string[]> = {
  "an import upwards": () => rules.layerOrder([file("src/lib/a.ts", 'import { b } from "../canonical/b.ts";')]),
  "a type import upwards": () => rules.layerOrder([file("src/lib/a.ts", 'import type { B } from "../http/b.ts";')]),
  "an export from above": () => rules.layerOrder([file("src/lib/a.ts", 'export * from "../canonical/b.ts";')]),
  "a file in no layer": () => rules.layerOrder([file("src/attic/a.ts", "")]),
  "a cycle": () =>
    rules.importCycles([
      file("src/lib/a.ts", 'import "./b.ts";'),
      file("src/lib/b.ts", 'import "./c.ts";'),
      file("src/lib/c.ts", 'import "./a.ts";'),
    ]),
  "many levels of imports": () =>
    rules.importLevels(
      [
        file("src/gateway/a.ts", 'import "./b.ts";'),
        file("src/gateway/b.ts", 'import { c } from "./c.ts";'),
        file("src/gateway/c.ts", 'import type { A } from "./a.ts";'),
      ],
      "src/gateway/",
      2,
    ),
  "a second attempt loop": () => rules.onePlaceEach([file("src/gateway/a.ts", "log.begin(candidate);")]),
  "an attempt loop in another layer": () => rules.onePlaceEach([file("src/admin/a.ts", "log.begin(candidate);")]),
  "a second settlement": () =>
    rules.onePlaceEach([file("src/gateway/tasks/a.ts", "const settlement: LedgerSettlement = { ...rest };")]),
  "a function that builds a settlement": () =>
    rules.onePlaceEach([file("src/gateway/a.ts", "function ended(): LedgerSettlement {\n  return rest;\n}")]),
  "a settlement without its builder": () =>
    rules.onePlaceEach([file("src/http/a.ts", "f({ priceNanoDollars: null });")]),
  "a second rule for strictness": () =>
    rules.onePlaceEach([file("src/gateway/a.ts", "const loss = warnings.find(isLoss);")]),
  "a long file": () => rules.fileLengths([file("src/lib/a.ts", many(301))]),
  "a long function": () => rules.functionLengths([file("src/lib/a.ts", `const f = () => {\n${many(60)}};`)]),
  "long files on the whole": () => rules.medians([file("src/lib/a.ts", many(151))]),
  "long functions on the whole": () => rules.medians([file("src/lib/a.ts", `function f() {\n${many(15)}}`)]),
  any: () => rules.bannedHabits([file("src/lib/a.ts", "let a: any;")]),
  "the console": () => rules.bannedHabits([file("src/lib/a.ts", "console.log(1);")]),
  "a process": () => rules.bannedHabits([file("src/lib/a.ts", 'Bun.spawn(["ls"]);')]),
  eval: () => rules.bannedHabits([file("src/lib/a.ts", 'eval("1");')]),
  "new Function": () => rules.bannedHabits([file("src/lib/a.ts", 'new Function("1");')]),
  "a dynamic import": () => rules.bannedHabits([file("src/lib/a.ts", 'await import("./b.ts");')]),
  "SQL of a filled template": () => rules.bannedHabits([file("src/store/a.ts", "sql.unsafe(`SELECT ${a}`);")]),
  "a vendor in a text": () => rules.namesAtHome([file("src/gateway/a.ts", 'if (name === "openai-chat") f();')]),
  "a vendor in an identifier": () => rules.namesAtHome([file("src/gateway/a.ts", "anthropicOnly();")]),
  "a provider kind": () => rules.namesAtHome([file("src/gateway/a.ts", 'if (kind === "compatible") f();')]),
  "a wire member": () =>
    rules.wireAtHome([file("src/gateway/a.ts", 'f({ param: "input[0].encrypted_content" });')], members, new Set()),
  "a member of a request's wire": () =>
    rules.wireAtHome([file("src/gateway/a.ts", "const { store } = incoming.wire;")], members, new Set(["store"])),
  "a member that is read of a wire": () =>
    rules.wireAtHome([file("src/http/a.ts", "if (wire.store) f();")], members, new Set(["store"])),
  "no opening sentence": () => rules.openingSentences([file("src/lib/a.ts", "export const a = 1;")]),
};

test.each(Object.entries(breaches))("finds %s, and says what to do", (_name, breach) => {
  expect(breach()).toEqual([expect.stringMatching(/: .+|\. \w+/)]);
});

test("a name that the gateway shares with a wire, and a wire of another kind, are no breach", () => {
  const own = file(
    "src/gateway/a.ts",
    'f({ param: "retry_after" }, wire.provider, store.query("encrypted_content = $1"));',
  );
  expect(rules.wireAtHome([own], members, new Set(["store"]))).toEqual([]);
  expect(rules.wireAtHome([file("src/http/text-endpoints.ts", "f(wire.store);")], members, new Set(["store"]))).toEqual(
    [],
  );
});

test("what exists once exists: its file is there and matches its pattern", () => {
  const missing = Object.entries(rules.single).filter(
    ([, { home, pattern }]) => !pattern.test(readFileSync(join(repository, home), "utf8")),
  );
  expect(missing.map(([what]) => what)).toEqual([]);
});

test("finds nothing in well-formed source", () => {
  const good = [
    file("src/lib/a.ts", "// Says one thing.\nexport function a(): number {\n  return 1;\n}\n"),
    file("src/http/b.ts", '// Says another.\nimport { a } from "../lib/a.ts";\nexport const b = a();\n'),
    file("src/cli.ts", '// Prints.\nconsole.log("compatibles");\n'),
    file("src/dialects/c.ts", '// Is at home.\nexport const name = "openai-chat";\n'),
  ];
  const all = [
    rules.layerOrder,
    rules.importCycles,
    rules.fileLengths,
    rules.functionLengths,
    rules.medians,
    rules.bannedHabits,
    rules.namesAtHome,
    rules.openingSentences,
  ];
  expect(all.flatMap((rule) => rule(good))).toEqual([]);
});
