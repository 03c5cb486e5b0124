// Faults of a configuration are reported together; what is allowed but doubtful is a warning.
import { expect, test } from "bun:test";
import { faultOf, load } from "./load.ts";

test("every fault is reported at once, each once", () => {
  const yaml = `providers:
  one: { kind: compatible, credental: x }
  two: { kind: openia }
  three: { kind: compatible, base_url: "\${NOT_SET}/v1" }
  four: { kind: anthropic, credential: c, region: eu }
models:
  smart: { candidates: [{ provider: one, model: a }, { provider: none, model: b }, { provider: nil, model: c }] }
  fast: { candidates: [] }
keys:
  short: { secret: abc }
  a: { secret: the same secret }
  b: { secret: the same secret }
fetch: { allow: ["not an entry"] }
colour: red
`;
  const lines = faultOf(yaml)
    .split("\n")
    .map((line) => /line \d+, ([^:]+):/.exec(line)?.[1]);
  expect(lines.toSorted()).toEqual(
    [
      "colour",
      "fetch.allow[0]",
      "keys.b.secret",
      "keys.short.secret",
      "models.fast.candidates",
      "models.smart.candidates[1].provider",
      "models.smart.candidates[2].provider",
      "providers.four.region",
      "providers.one.credental",
      "providers.three.base_url",
      "providers.two.kind",
    ].toSorted(),
  );
});

test("more faults in one entry than the validator reports at a time are all found in the end", () => {
  const keys = Array.from({ length: 30 }, (_, index) => `  key${index}: { secret: abc }`);
  expect(faultOf(`keys:\n${keys.join("\n")}\n`).split("\n")).toHaveLength(30);
});

test("merge keys and anchors are read as YAML means them", () => {
  const yaml = `providers:
  one: &base { kind: compatible, base_url: "http://127.0.0.1:9/v1", credential: "\${KEY}", models: [a] }
  two: { <<: *base, models: [b] }
`;
  const { config } = load(yaml, { KEY: "k" }).file;
  expect(config.providers?.["two"]).toEqual({
    kind: "compatible",
    base_url: "http://127.0.0.1:9/v1",
    credential: "k",
    models: ["b"],
  });
});

test("what is doubtful is a warning, and starts", () => {
  const yaml = `providers:
  openai: { kind: openai }
  proxied: { kind: openai, base_url: "http://127.0.0.1:9/v1" }
  local: { kind: vllm, base_url: "http://127.0.0.1:9/v1", models: [a] }
  sure: { kind: anthropic, credential: c }
models:
  smart:
    candidates:
      - { provider: local, model: a }
      - { provider: local, model: b }
      - { provider: local, model: a }
      - { provider: sure, model: any }
projects:
  usual: { end_users: { default_rules: { limits: { requests_per_minute: 1 } } } }
  named: { end_users: { rules: { ann: { refused_models: [b] } } } }
  strict: { end_users: { required: true, default_rules: { limits: { requests_per_minute: 1 } } } }
  counted: { end_users: { max: 5 } }
`;
  const optional = (name: string) =>
    `projects.${name}.end_users has rules, which do not hold for requests that name no end user. Set 'required: true' to refuse these.`;
  expect(load(yaml).configuration.warnings).toEqual([
    optional("usual"),
    optional("named"),
    "providers.openai has no credential. Set 'credential', for example to ${OPENAI_API_KEY}.",
    "models.smart.candidates[1]: provider 'local' does not list the model 'b' in its 'models'.",
    "models.smart.candidates[2] is the same as candidates[0].",
  ]);
});

test("variables that almost have a name of ours are a warning", () => {
  const environment = {
    TURNPIKE_DATA_DIR: "/tmp/a",
    TURNPIKE_PORT: "80",
    TURNPIKE_ADMIN_KEYS: "long enough",
    TURNPIKE_USED: "b",
    TURNPIKE_SECRT: "for-turnpike-yaml",
    TURNPIKE_KEY_FILE: "",
    TURNPIKE_SOMETHING_ELSE: "1",
  };
  const yaml = "providers:\n  own: { kind: openai, credential: '${TURNPIKE_SECRT}' }\n";
  expect(load(yaml, environment).configuration.warnings).toEqual([
    "The variable TURNPIKE_DATA_DIR is not used. Did you mean TURNPIKE_DATA?",
    "The variable TURNPIKE_PORT is not used. Did you mean PORT?",
    "The variable TURNPIKE_ADMIN_KEYS is not used. Did you mean TURNPIKE_ADMIN_KEY?",
  ]);
});
