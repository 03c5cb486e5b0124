// Writes the documents that are made from the code: docs/configuration.md and the schema for editors. `--check` only compares.
import { writeFileSync } from "node:fs";
import { errorKinds } from "../src/canonical/error.ts";
import { variables } from "../src/config/environment.ts";
import { configJsonSchema, schemaComment } from "../src/config/json-schema.ts";
import { fieldOf, limitRows } from "../src/config/limits.ts";
import { configSchema } from "../src/config/schema.ts";
import { defaultTimeouts, reasoningTimeouts, type Timeouts, timeoutRows } from "../src/providers/timeouts.ts";
import { metricFamilies } from "../src/telemetry/metric-families.ts";
import { fixedLimits, fixedValue } from "./fixed-limits.ts";

interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly required?: readonly string[];
}

function fieldRows(shape: Shape, path: string): string[] {
  const named = Object.entries(shape.properties ?? {}).map(([name, inner]) => [name, inner] as const);
  const free = Object.values(shape.patternProperties ?? {}).map((inner) => ["<name>", inner] as const);
  return [...named, ...free].flatMap(([name, inner]) => {
    const here = path === "" ? name : `${path}.${name}`;
    const required = shape.required?.includes(name) ? "yes" : "";
    const row = `| \`${here}\` | ${inner.type ?? ""} | ${required} | ${inner.description ?? ""} |`;
    const below = inner.items === undefined ? fieldRows(inner, here) : fieldRows(inner.items, `${here}[]`);
    return [...(inner.description === undefined ? [] : [row]), ...below];
  });
}

/** The table of limits: what each bounds, and what happens beyond it. */
function limitLines(): string[] {
  const rows = limitRows.map(({ name, default: usual, least, most, unit, error, meaning }) => {
    const status = error === null ? "none" : `${errorKinds[error].status} \`${error}\``;
    return `| \`limits.${fieldOf(name)}\` | ${usual} ${unit} | ${least} to ${most} | ${status} | ${meaning} |`;
  });
  const head = ["| Field | Default | Range | Error | Meaning |", "|---|---|---|---|---|"];
  return [
    "## Limits",
    "",
    "Every bound that can be set, with the error that a client gets beyond it.",
    "",
    ...head,
    ...rows,
    "",
    "### Fixed limits",
    "",
    "Limits of formats and providers, and sizes of buffers, which cannot be set.",
    "",
    "| Limit | Value | Error |",
    "|---|---|---|",
    ...fixedLimits.map(
      ({ constant, unit, error, meaning }) => `| ${meaning} | ${fixedValue(constant)} ${unit} | ${error ?? "none"} |`,
    ),
    "",
  ];
}

const milliseconds = (ms: number): string => `${ms / 1_000} s`;

/** The table of timeouts: what each waits for, where it is set, and its defaults. */
function timeoutLines(): string[] {
  const names = Object.keys(timeoutRows) as (keyof Timeouts)[];
  const total = limitRows.find(({ name }) => name === "requestMs")?.default ?? 0;
  return [
    "## Timeouts",
    "",
    "Each can be set for a provider, a route, and an operation of a route (`models.<name>.operations.chat.timeout_ms`); the most specific one applies.",
    "From 1 to 86400000 milliseconds. The second default is for requests that ask for reasoning, and for models that reason without being asked, by their",
    "names; `reasoning: none` in `model_capabilities` gives a model the first one.",
    "",
    "| Timeout | Field | Default | Models that reason | Operations |",
    "|---|---|---|---|---|",
    ...names.map((name) => {
      const { meaning, field, operations } = timeoutRows[name];
      const [usual, longer] = [defaultTimeouts[name], reasoningTimeouts[name]].map(milliseconds);
      return `| ${meaning} | \`${field}\` | ${usual} | ${longer} | ${operations} |`;
    }),
    `| Time for all attempts together. | \`total_timeout_ms\`, not of a provider; else \`limits.request_ms\` | ${milliseconds(total)} | ${milliseconds(total)} | all but \`video\` |`,
    "",
    "The connection counts as failed when the provider has sent nothing for `connect_timeout_ms` and accepts no other connection in the second half of that",
    "time. Nothing has been sent then, and the next candidate is tried; where the provider had responded within five minutes before, the request may have",
    "arrived on an open connection, and it counts as a timeout.",
    "",
  ];
}

const example = `${schemaComment("./docs/turnpike.schema.json")}
providers:
  local:  { kind: compatible, base_url: "http://127.0.0.1:9000/v1", credential: "\${LOCAL_KEY:-none}", models: [fast] }
  claude: { kind: anthropic, credential: "\${CLAUDE_KEY}", models: [claude-x] }
models:
  smart:
    candidates:
      - { provider: claude, model: claude-x }
      - { provider: local, model: fast }
keys:
  ci: { secret: "\${CI_KEY}" }`;

const capabilitiesExample = `providers:
  fal:
    kind: fal
    credential: "\${FAL_KEY}"
    model_capabilities:
      - models: ["fal-ai/kling-video/v4/*/image-to-video"]
        like: fal-ai/kling-video/v3/pro/image-to-video
        duration_range: { min: 3, max: 30 }
        resolutions: [720p, 1080p]
        source: https://fal.ai/models/fal-ai/kling-video/v4/pro/image-to-video/api
        checked_on: "2026-11-22"
  local:
    kind: compatible
    base_url: http://10.0.0.8:8000/v1
    model_capabilities:
      - models: ["our-reasoner-*"]
        efforts: [low, medium, high]
        max_output_tokens: 16384`;

/** What tables of models are, and how the file adds to them. */
const capabilities = [
  "## What models accept",
  "",
  "The gateway has tables of what video and image models accept: sizes, aspect ratios, resolutions, lengths, sound, images. It fits a request to",
  "the row of its model and warns about what it changed (`x-turnpike-warnings: approximated;field=…`). A model that no row lists is sent",
  "what the client requested, with the warning `unverified;field=model`, which strict mode does not refuse. Other tables have what families of text",
  "models accept: reasoning, sampling, structured output, forced tool calls. They apply where a request is translated, and a text model that",
  "no row lists is sent what the client requested. `model_capabilities` of a provider adds rows, or replaces fields of built-in ones:",
  "",
  "```yaml",
  capabilitiesExample,
  "```",
  "",
];

function configuration(): string {
  return [
    "# Configuration",
    "",
    "Made by `npm run docs` from the code that reads it.",
    "",
    "## Variables",
    "",
    "Empty counts as unset. Secrets (`TURNPIKE_SECRET`, `TURNPIKE_KEY`, `TURNPIKE_ADMIN_KEY`, `TURNPIKE_WEBHOOK_SECRET`, `DATABASE_URL` and the API keys of providers) can be in a file whose path is in the variable with `_FILE` at its end. Proxy variables (`HTTP_PROXY` and the like), `NODE_TLS_REJECT_UNAUTHORIZED` and `BUN_CONFIG_VERBOSE_FETCH` are removed from the environment at the start, and the log reports it: a proxy is set per provider, in the file, and certificates are always checked. `NODE_EXTRA_CA_CERTS` (a file of certificate authorities to trust as well) is obeyed.",
    "",
    "| Variable | Default | Meaning |",
    "|---|---|---|",
    ...variables.map((variable) => `| \`${variable.name}\` | ${variable.default} | ${variable.meaning} |`),
    "",
    "## The file",
    "",
    "`turnpike.yaml` in the working folder, or the file that `TURNPIKE_CONFIG` names.",
    "`${VARIABLE}` in a value is replaced from the environment, `${VARIABLE:-default}` has a default.",
    "`$$` is a dollar sign. A variable that is not set, a value such as `$NAME` without braces, an unknown field or a wrong type",
    "stops the start; all faults are reported at once, each with its line and field. What is allowed but doubtful is a warning in the log.",
    "`turnpike config check` reports the same without a start, and `turnpike config print` what is in effect, with secrets hidden. Editors complete",
    "and check the file by `docs/turnpike.schema.json`, which `turnpike config schema` prints: name it in the first line, as here.",
    "",
    "The value of a variable that the file names can be in a file, too: `${CLAUDE_KEY}` is replaced by the contents of the file whose path is in",
    "`CLAUDE_KEY_FILE`. A running gateway reads turnpike.yaml and these files again when they change: see [Operating](operating.md#reloading).",
    "",
    "```yaml",
    example,
    "```",
    "",
    "| Field | Type | Required | Meaning |",
    "|---|---|---|---|",
    ...fieldRows(JSON.parse(JSON.stringify(configSchema)) as Shape, ""),
    "",
    ...capabilities,
    ...timeoutLines(),
    ...limitLines(),
  ].join("\n");
}

/** The table of metrics. */
function metrics(): string {
  const rows = Object.values(metricFamilies).map(({ name, type, labels, help }) => {
    const named = [...labels, ...(type === "summary" ? ["quantile"] : [])].map((label) => `\`${label}\``);
    return `| \`${name}\` | ${type} | ${named.join(", ")} | ${help} |`;
  });
  return [
    "# Metrics",
    "",
    "Generated by `npm run docs` from the code. [observability.md](observability.md) describes the permissions and the labels.",
    "",
    "| Metric | Type | Labels | Meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const documents: Readonly<Record<string, () => string>> = {
  "docs/configuration.md": configuration,
  "docs/metrics.md": metrics,
  "docs/turnpike.schema.json": () => `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
};

const checking = process.argv.includes("--check");
for (const [file, make] of Object.entries(documents)) {
  const text = make();
  if (!checking) writeFileSync(file, text);
  else if (
    (await Bun.file(file)
      .text()
      .catch(() => "")) !== text
  ) {
    console.error(`${file} is not current: run 'npm run docs' and commit it.`);
    process.exitCode = 1;
  }
}
