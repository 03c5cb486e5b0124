// Command line options for the rules of a key or a project.
import { checkSchema } from "../config/check-schema.ts";
import type { ProjectRules, Rules } from "../gateway/policy/rules.ts";
import { UsageError } from "./options.ts";

const many = { type: "string", multiple: true } as const;
const one = { type: "string" } as const;

/** In the format of `parseArgs`. */
export const ruleOptions = {
  "allow-model": many,
  "refuse-model": many,
  "allow-operation": many,
  "allow-provider": many,
  "refuse-provider": many,
  "require-tag": many,
  "allow-address": many,
  "requests-per-minute": one,
  "tokens-per-minute": one,
  "images-per-minute": one,
  "audio-seconds-per-minute": one,
  "polls-per-minute": one,
  "concurrent-requests": one,
  budget: many,
  rules: one,
} as const;

export const ruleHelp = {
  "--allow-model PATTERN": "a model that may be named; repeat it for more",
  "--refuse-model PATTERN": "a model that may not be used",
  "--allow-operation NAME": "an operation that may be used, such as chat",
  "--allow-provider NAME": "a provider that may be asked",
  "--refuse-provider NAME": "a provider that may not be asked",
  "--require-tag NAME=VALUE": "a tag that providers must have",
  "--allow-address RANGE": "addresses that may call",
  "--requests-per-minute N": "limit on requests; also --tokens-, --images-, --audio-seconds-, --polls-per-minute",
  "--concurrent-requests N": "limit on requests in progress",
  "--budget AMOUNT/PERIOD": "dollars per day, week, month or total, such as 25/month",
  "--rules JSON": "all rules as JSON, as in docs/configuration.md",
};

type Values = { readonly [name in keyof typeof ruleOptions]?: string | string[] | undefined };

const lists = {
  "allow-model": "allowed_models",
  "refuse-model": "refused_models",
  "allow-operation": "allowed_operations",
  "allow-provider": "allowed_providers",
  "refuse-provider": "refused_providers",
  "allow-address": "allowed_addresses",
} as const;

const limits = {
  "requests-per-minute": "requests_per_minute",
  "tokens-per-minute": "tokens_per_minute",
  "images-per-minute": "images_per_minute",
  "audio-seconds-per-minute": "audio_seconds_per_minute",
  "polls-per-minute": "polls_per_minute",
  "concurrent-requests": "concurrent_requests",
} as const;

function pairOf(option: string, text: string, separator: string): [string, string] {
  const at = text.lastIndexOf(separator);
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(`--${option} must have the form NAME${separator}VALUE, not '${text}'.`);
}

const textsOf = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** `NAME=VALUE` options as an object; undefined if there are none. */
export function pairsOf(option: string, value: string[] | undefined): Record<string, string> | undefined {
  return value === undefined ? undefined : Object.fromEntries(value.map((text) => pairOf(option, text, "=")));
}

function integerOf(option: string, text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number, not '${text}'.`);
}

function given(values: Values): Record<string, unknown> {
  const rules: Record<string, unknown> = {};
  for (const [option, field] of Object.entries(lists)) {
    const texts = textsOf(values[option as keyof typeof lists]);
    if (texts.length > 0) rules[field] = texts;
  }
  const tags = pairsOf("require-tag", textsOf(values["require-tag"]));
  if (tags !== undefined && Object.keys(tags).length > 0) rules["required_tags"] = tags;
  const rates = Object.entries(limits).flatMap(([option, field]) =>
    textsOf(values[option as keyof typeof limits]).map((text) => [field, integerOf(option, text)] as const),
  );
  if (rates.length > 0) rules["limits"] = Object.fromEntries(rates);
  const budgets = textsOf(values.budget).map((text) => pairOf("budget", text, "/"));
  if (budgets.length > 0) rules["budgets"] = budgets.map(([amount, period]) => ({ amount, period }));
  return rules;
}

/** The JSON of `--rules` merged with the other options; undefined if there are none. */
function merged(values: Values): Record<string, unknown> | undefined {
  const [json] = textsOf(values.rules);
  const own = given(values);
  if (json === undefined) return Object.keys(own).length === 0 ? undefined : own;
  try {
    return { ...JSON.parse(json), ...own };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UsageError("--rules is not valid JSON.");
  }
}

/** Checks rules like an entry of the file, so that both report the same faults. */
function check(section: "keys" | "projects", rules: Record<string, unknown>): void {
  const entry = section === "keys" ? { secret: "not-the-secret", ...rules } : { ...rules };
  const [fault] = checkSchema({ [section]: { entry } }).faults;
  if (fault !== undefined) throw new UsageError(`Rule '${fault.path.slice(2).join(".")}': ${fault.problem}.`);
}

/** The rules of the options; undefined if there are none. Throws UsageError. */
export function rulesOf(values: Values): Rules | undefined {
  const rules = merged(values);
  if (rules !== undefined) check("keys", rules);
  return rules;
}

/** As `rulesOf`, for a project: `--rules` may have additional members. */
export function projectRulesOf(values: Values): ProjectRules | undefined {
  const rules = merged(values);
  if (rules !== undefined) check("projects", rules);
  return rules;
}
