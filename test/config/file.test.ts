// turnpike.yaml: variables in it, and a sentence with line and field for everything that is wrong with it.
import { describe, expect, test } from "bun:test";
import { readSettings } from "../../src/config/environment.ts";
import { readConfigFile } from "../../src/config/file.ts";
import { faultOf, load } from "./load.ts";

const provider = (fields: string) => `providers:\n  local: { kind: compatible, ${fields} }\n`;
const address = 'base_url: "http://127.0.0.1:9/v1"';

describe("variables in values", () => {
  const secretOf = (text: string, environment: Record<string, string> = {}) =>
    load(`keys:\n  ci:\n    secret: ${text}\n`, environment).file.config.keys?.["ci"]?.secret;

  const rows: [string, Record<string, string>, string][] = [
    ['"${A}"', { A: "from the environment" }, "from the environment"],
    ['"before-${A}-after"', { A: "middle" }, "before-middle-after"],
    ['"${A}${B}"', { A: "12345", B: "67890" }, "1234567890"],
    ['"${A:-default value}"', {}, "default value"],
    ['"${A:-default value}"', { A: "" }, "default value"],
    ['"${A:-default value}"', { A: "set value" }, "set value"],
    ['"${A:-}12345678"', {}, "12345678"],
    ["${A}", { A: "unquoted too" }, "unquoted too"],
    ["'${A}'", { A: "in single quotes" }, "in single quotes"],
    ['"${A}"', { A: 'with "quotes": and\nlines # too' }, 'with "quotes": and\nlines # too'],
    ['"${A}"', { A: "${B} is not looked at again", B: "no" }, "${B} is not looked at again"],
    ['"$$A and $${A} stay, as $5 does"', { A: "no" }, "$A and ${A} stay, as $5 does"],
  ];

  test.each(rows)("%s with %j", (text, environment, expected) => {
    expect(secretOf(text, environment)).toBe(expected);
  });

  test("names are not looked at", () => {
    const { file } = load('keys:\n  "${A}": { secret: long enough }\n', { A: "b" });
    expect(Object.keys(file.config.keys ?? {})).toEqual(["${A}"]);
  });

  test("one that is not set stops the start, with its line and without a default of nobody's making", () => {
    const fault = faultOf(`${provider(address)}keys:\n  ci:\n    secret: "\${CI_KEY}"\n`);
    expect(fault).toBe(
      "turnpike.yaml line 5, keys.ci.secret: the variable CI_KEY is not set. Set it, or use ${CI_KEY:-default}.",
    );
  });

  test.each([
    ["$CI_KEY", "'$CI_KEY' is not replaced. Use ${CI_KEY} for the variable, or $$ for a dollar sign."],
    ["Bearer $CI_KEY", "'$CI_KEY' is not replaced. Use ${CI_KEY} for the variable, or $$ for a dollar sign."],
    ["${CI_KEY", "'${' is not closed. Use ${NAME}, or $$ for a dollar sign."],
    ["before ${CI_KEY and after", "'${' is not closed. Use ${NAME}, or $$ for a dollar sign."],
    ["${CI KEY}", "'${CI KEY}' is not a variable. Use ${NAME} or ${NAME:-default}."],
    ["${}", "'${}' is not a variable. Use ${NAME} or ${NAME:-default}."],
  ])("%s is not taken as it is, for a secret or a credential", (text, problem) => {
    const set = { CI_KEY: "a secret key" };
    expect(faultOf(`keys:\n  ci:\n    secret: "${text}"\n`, set)).toBe(
      `turnpike.yaml line 3, keys.ci.secret: ${problem}`,
    );
    expect(faultOf(provider(`${address}, credential: "${text}"`), set)).toBe(
      `turnpike.yaml line 2, providers.local.credential: ${problem}`,
    );
  });

  test("one that is set to nothing is nothing, and the field's own rule speaks", () => {
    expect(faultOf('keys:\n  ci: { secret: "${A}" }\n', { A: "" })).toMatch(/line 2, keys\.ci\.secret: /);
  });
});

describe("faults name the line and the field", () => {
  const rows: [string, string, RegExp][] = [
    [
      "an unknown field",
      provider(`${address}, colour: red`),
      /^turnpike\.yaml line 2, providers\.local\.colour: unknown field\.$/,
    ],
    [
      "an unknown field at the top",
      "provider: {}\n",
      /^turnpike\.yaml line 1, provider: unknown field\. Did you mean 'providers'\?$/,
    ],
    ["a wrong type", provider("base_url: 7"), /^turnpike\.yaml line 2, providers\.local\.base_url: must be string\.$/],
    ["a list that is none", provider(`${address}, models: fast`), /line 2, providers\.local\.models: must be array\.$/],
    [
      "an item of a wrong type",
      provider(`${address}, models: [fast, 7]`),
      /line 2, providers\.local\.models\[1\]: must be string\.$/,
    ],
    [
      "a time below its bound",
      provider(`${address}, timeout_ms: 0`),
      /line 2, providers\.local\.timeout_ms: must be >= 1\.$/,
    ],
    [
      "a time that is no whole number",
      provider(`${address}, timeout_ms: 1.5`),
      /line 2, providers\.local\.timeout_ms: must be integer\.$/,
    ],
    ["no kind", `providers:\n  local: { ${address} }\n`, /line 2, providers\.local: missing required field 'kind'\.$/],
    [
      "no base URL",
      "providers:\n  local: { kind: compatible }\n",
      /line 2, providers\.local: missing required field 'base_url'\.$/,
    ],
    [
      "an unknown kind",
      "providers:\n  local: { kind: openia }\n",
      /line 2, providers\.local\.kind: unknown provider kind 'openia'\. Did you mean 'openai'\?$/,
    ],
    [
      "a kind that resembles none",
      "providers:\n  local: { kind: something-else }\n",
      /line 2, providers\.local\.kind: unknown provider kind 'something-else'\. Use one of: .*openai.*\.$/,
    ],
    [
      "a misspelled field",
      provider(`${address}, credental: x`),
      /^turnpike\.yaml line 2, providers\.local\.credental: unknown field\. Did you mean 'credential'\?$/,
    ],
    [
      "a value that is not one of an enumeration",
      'models:\n  smart: { moderate: guard, candidates: [{ provider: sandbox, model: "sandbox/chat" }] }\n',
      /^turnpike\.yaml line 2, models\.smart\.moderate: must be one of 'chat', 'llama-guard'\.$/,
    ],
    [
      "two names with one secret",
      "keys:\n  a: { secret: the same secret }\n  b: { secret: the same secret }\n",
      /^turnpike\.yaml line 3, keys\.b\.secret: is the same as keys\.a\.secret\.$/,
    ],
    [
      "a misspelled provider in a route",
      `${provider(address)}models:\n  smart: { candidates: [{ provider: locale, model: a }] }\n`,
      /candidates\[0\]\.provider: unknown provider 'locale'\. Did you mean 'local'\?$/,
    ],
    [
      "an address that is none",
      provider("base_url: nonsense"),
      /line 2, providers\.local\.base_url: must be an http or https URL/,
    ],
    [
      "an address with a password",
      provider('base_url: "http://me:secret@host"'),
      /base_url: must be an http or https URL without a user name\.$/,
    ],
    [
      "a name that is taken",
      `providers:\n  sandbox: { kind: compatible, ${address} }\n`,
      /line 2, providers\.sandbox: the name 'sandbox' is reserved/,
    ],
    [
      "a name with a slash",
      `providers:\n  "a/b": { kind: compatible, ${address} }\n`,
      /line 2, providers\.a\/b: the name 'a\/b' is reserved/,
    ],
    [
      "a habit of servers that speak another dialect",
      "providers:\n  claude: { kind: anthropic, splits_thinking: true }\n",
      /line 2, providers\.claude\.splits_thinking: unknown field for provider kind 'anthropic'\.$/,
    ],
    [
      "a habit that is neither true nor false",
      provider(`${address}, replays_thinking: maybe`),
      /line 2, providers\.local\.replays_thinking: must be boolean\.$/,
    ],
    ["a route without candidates", "models:\n  smart:\n    candidates: []\n", /line 3, models\.smart\.candidates: /],
    [
      "a candidate without a model",
      `${provider(address)}models:\n  smart:\n    candidates:\n      - { provider: local }\n`,
      /line 6, models\.smart\.candidates\[0\]: missing required field 'model'\.$/,
    ],
    [
      "an unknown provider in a route",
      `${provider(address)}models:\n  smart:\n    candidates:\n      - { provider: local, model: a }\n      - { provider: claude, model: b }\n`,
      /^turnpike\.yaml line 7, models\.smart\.candidates\[1\]\.provider: unknown provider 'claude'\.$/,
    ],
    ["a key that is too short", "keys:\n  ci: { secret: short }\n", /line 2, keys\.ci\.secret: /],
    ["a list in place of the document", "- a\n- b\n", /line 1, the document: must be object\.$/],
    ["text that is no YAML", "providers:\n  local: { kind: compatible\n", /^turnpike\.yaml line \d+: .+\.$/],
    ["a key that stands twice", `${provider(address)}providers: {}\n`, /^turnpike\.yaml line 3: .*unique.*\.$/i],
    ["a tab", "providers:\n\tlocal: {}\n", /^turnpike\.yaml line 2: .+\.$/],
  ];

  test.each(rows)("%s", (_name, yaml, expected) => {
    const fault = faultOf(yaml);
    expect(fault).toMatch(expected);
    expect(fault).not.toContain("\n");
    expect(fault).not.toContain("secret@");
  });
});

describe("what the file gives", () => {
  test("habits of a server: as its kind is known to do, unless the file says otherwise", () => {
    const optionsOf = (fields: string) =>
      load(`providers:\n  local: { ${fields} }\n`).catalog.providers[0]?.entry.options;
    expect(optionsOf(`kind: compatible, ${address}`)).toEqual({ legacyMaxTokens: true });
    expect(optionsOf(`kind: compatible, ${address}, splits_thinking: true, replays_thinking: true`)).toEqual({
      legacyMaxTokens: true,
      splitsThinking: true,
      replaysThinking: true,
    });
    expect(optionsOf("kind: vllm")).toMatchObject({ splitsThinking: true });
    expect(optionsOf("kind: vllm, splits_thinking: false")).toMatchObject({ splitsThinking: false });
    expect(optionsOf("kind: deepseek, credential: x, replays_thinking: false")).toMatchObject({
      replaysThinking: false,
    });
  });

  test("the example of the documentation", () => {
    const yaml = `providers:
  local:  { kind: compatible, base_url: "http://127.0.0.1:9000/v1", credential: "\${LOCAL_KEY:-none}", models: [fast] }
  claude: { kind: anthropic, credential: "\${CLAUDE_KEY}", models: [claude-x] }
models:
  smart:
    candidates:
      - { provider: claude, model: claude-x }
      - { provider: local, model: fast }
keys:
  ci: { secret: "\${CI_KEY}" }
`;
    const { catalog, file } = load(yaml, { CLAUDE_KEY: "c", CI_KEY: "a secret key" });
    expect(catalog.providers.map(({ entry: { name, models } }) => [name, models?.[0]])).toEqual([
      ["local", "fast"],
      ["claude", "claude-x"],
      ["sandbox", "sandbox/chat"],
    ]);
    const route = catalog.routes.get("smart")?.candidates.map(({ provider: by, model }) => `${by.entry.name}/${model}`);
    expect(route).toEqual(["claude/claude-x", "local/fast"]);
    expect(file.config.keys?.["ci"]?.secret).toBe("a secret key");
  });

  test("times that are set", () => {
    const of = (fields: string) => load(provider(fields)).catalog.providers[0]?.entry.timeouts;
    expect(of(address)).toEqual({});
    const own = `${address}, timeout_ms: 1, first_byte_timeout_ms: 2, idle_timeout_ms: 3, connect_timeout_ms: 4`;
    expect(of(own)).toEqual({ wholeMs: 1, firstByteMs: 2, idleMs: 3, connectMs: 4 });
  });

  test("a name in the file wins over the same name from a variable", () => {
    const yaml = 'providers:\n  openai: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [mine] }\n';
    const { providers } = load(yaml, { OPENAI_API_KEY: "secret" }).catalog;
    expect(providers.filter(({ entry }) => entry.name === "openai").map(({ entry }) => entry.models)).toEqual([
      ["mine"],
    ]);
  });

  test("an empty file, and one of comments alone, are fine", () => {
    for (const yaml of ["", "\n\n", "# nothing yet\n", "{}\n", "---\n"])
      expect(load(yaml).catalog.providers.map(({ entry }) => entry.name)).toEqual(["sandbox"]);
  });

  test("a file that was named must be there, the usual one need not", () => {
    expect(readConfigFile(readSettings({}, "/nowhere")).config).toEqual({});
    const named = readSettings({ TURNPIKE_CONFIG: "mine.yaml" }, "/nowhere");
    expect(() => readConfigFile(named)).toThrow("The configuration file /nowhere/mine.yaml does not exist.");
  });
});
