// Settings in files of other programs: what is added, what stays, and what an undo restores.
import { describe, expect, test } from "bun:test";
import { changeSettings, parseSettings, type SettingPath } from "../../src/cli/settings-file.ts";
import type { Json } from "../../src/lib/json.ts";

type Change = readonly [path: SettingPath, value: Json | undefined];

const codex: Change[] = [
  [["model"], "m"],
  [["model_provider"], "turnpike"],
  [["model_providers", "turnpike"], { name: "Turnpike", base_url: "http://x/v1" }],
];

test("JSON: members are added next to others, and the indentation stays", () => {
  const before = '{\n    "permissions": {\n        "allow": ["a"]\n    },\n    "env": {\n        "A": "1"\n    }\n}\n';
  const after = changeSettings("json", before, [[["env", "B"], "2"]]);
  expect(JSON.parse(after)).toEqual({ permissions: { allow: ["a"] }, env: { A: "1", B: "2" } });
  expect(after).toContain('\n    "permissions"');
  expect(JSON.parse(changeSettings("json", after, [[["env", "B"], undefined]]))).toEqual(JSON.parse(before));
});

test("JSON with comments is not changed, because they would be lost", () => {
  expect(() => changeSettings("json", '{ // mine\n "a": 1 }', [[["b"], "2"]])).toThrow();
});

test("TOML: comments, order and other tables stay; a table of ours is replaced as a whole", () => {
  const before =
    '# mine\nmodel = "old" # why\napproval = true\n\n[model_providers.other]\nname = "O"\n\n[projects."/a b"]\ntrust = "yes"\n';
  const after = changeSettings("toml", before, codex);
  expect(after).toContain("# mine\n");
  expect(parseSettings("toml", after)).toEqual({
    model_provider: "turnpike",
    model: "m",
    approval: true,
    model_providers: { other: { name: "O" }, turnpike: { name: "Turnpike", base_url: "http://x/v1" } },
    projects: { "/a b": { trust: "yes" } },
  });
  const again = changeSettings("toml", after, [[["model_providers", "turnpike"], { name: "T" }]]);
  expect(Object(parseSettings("toml", again)).model_providers).toEqual({
    other: { name: "O" },
    turnpike: { name: "T" },
  });
  const undone = changeSettings("toml", again, [
    [["model"], "old"],
    [["model_provider"], undefined],
    [["model_providers", "turnpike"], undefined],
  ]);
  expect(parseSettings("toml", undone)).toEqual(parseSettings("toml", before));
});

test("TOML that spells the same table in another way is refused, not doubled", () => {
  const before = '[model_providers]\nturnpike = { name = "mine", query_params = { a = "b" } }\n';
  expect(() => changeSettings("toml", before, codex)).toThrow();
});

describe("YAML", () => {
  const path: SettingPath = ["models", { name: "Turnpike" }];

  test("an element is added to a list, replaced by its name, and removed; comments stay", () => {
    const before = "# mine\nname: Local\nmodels:\n  - name: Other # good\n    model: o\n";
    const added = changeSettings("yaml", before, [[path, { model: "m" }]]);
    expect(added).toStartWith(before);
    expect(Object(parseSettings("yaml", added)).models).toEqual([
      { name: "Other", model: "o" },
      { name: "Turnpike", model: "m" },
    ]);
    const replaced = changeSettings("yaml", added, [[path, { model: "n" }]]);
    expect(Object(parseSettings("yaml", replaced)).models[1]).toEqual({ name: "Turnpike", model: "n" });
    expect(changeSettings("yaml", replaced, [[path, undefined]])).toBe(before);
  });

  test("what a removal leaves empty goes as well", () => {
    const deep: SettingPath = ["endpoints", "custom", { name: "Turnpike" }];
    const before = "version: 1.2.1\n";
    const added = changeSettings("yaml", before, [[deep, { baseURL: "http://x/v1" }]]);
    expect(parseSettings("yaml", added)).toEqual({
      version: "1.2.1",
      endpoints: { custom: [{ name: "Turnpike", baseURL: "http://x/v1" }] },
    });
    expect(changeSettings("yaml", added, [[deep, undefined]])).toBe(before);
  });
});

test("variables: a row is replaced, also an exported or quoted one, and others stay", () => {
  const before = "# mine\nexport A='1'\nB=2\n";
  const after = changeSettings("env", before, [
    [["A"], "3"],
    [["C"], "4"],
  ]);
  expect(after).toBe("# mine\nA=3\nB=2\nC=4\n");
  expect(parseSettings("env", after)).toEqual({ A: "3", B: "2", C: "4" });
});
