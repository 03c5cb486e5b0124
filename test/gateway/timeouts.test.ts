// The table of timeouts: what is set wins over what is usual, at each place, and each is accepted between its bounds only.
import { describe, expect, test } from "bun:test";
import { ownTimeoutMs } from "../../src/gateway/attempts/retry.ts";
import { resolve } from "../../src/gateway/routing/resolve.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { defaultTimeouts, reasoningTimeouts, type Timeouts, timeoutRows } from "../../src/providers/timeouts.ts";
import { faultOf, load } from "../config/load.ts";

const unlisted = (provider: Provider) => ({ provider, models: null, ids: new Set<string>() });
const names = Object.keys(timeoutRows) as (keyof Timeouts)[];

interface Setting {
  readonly provider?: string;
  readonly route?: string;
  readonly model?: string;
  readonly reasoning?: { readonly effort?: "none" | "high"; readonly budgetTokens?: number };
}

function timeoutsOf({ provider = "", route = "", model = "plain", reasoning }: Setting, operation: "chat" | "embed") {
  const text = `providers:
  far: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: ["${model}"]${provider} }
models:
  m: { candidates: [{ provider: far, model: "${model}" }]${route} }
`;
  const [candidate] = resolve(load(text).catalog, unlisted, "m", operation).candidates;
  if (candidate === undefined) throw new Error("no candidate");
  const outline = reasoning === undefined ? {} : { reasoning };
  return Object.fromEntries(
    names.map((name) => [name, ownTimeoutMs({ gatewayRequest: { outline } }, candidate, name)]),
  );
}

describe.each(names)("%s", (name) => {
  const { field } = timeoutRows[name];
  const set = (ms: number) => `, ${field}: ${ms}`;

  test("the operation wins over the route, the route over the provider, and that over the default", () => {
    const of = (setting: Setting, operation: "chat" | "embed" = "chat") => timeoutsOf(setting, operation)[name];
    expect(of({})).toBe(defaultTimeouts[name]);
    expect(of({ provider: set(11) })).toBe(11);
    expect(of({ provider: set(11), route: set(22) })).toBe(22);
    const route = `${set(22)}, operations: { embed: { ${field}: 33 } }`;
    expect([of({ provider: set(11), route }), of({ provider: set(11), route }, "embed")]).toEqual([22, 33]);
  });

  test("models that reason have their own default, and what is set wins over it", () => {
    const model = "o3-mini";
    expect(timeoutsOf({ model }, "chat")[name]).toBe(reasoningTimeouts[name]);
    expect(timeoutsOf({ model, provider: set(11) }, "chat")[name]).toBe(11);
  });

  test.each([
    ["a provider", (ms: number | string) => `, ${field}: ${ms}`, () => ""],
    ["a route", () => "", (ms: number | string) => `, ${field}: ${ms}`],
    ["an operation", () => "", (ms: number | string) => `, operations: { speak: { ${field}: ${ms} } }`],
  ])("of %s is from 1 ms to a day", (_, provider, route) => {
    const yaml = (ms: number | string) => `providers:
  far: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [a]${provider(ms)} }
models:
  m: { candidates: [{ provider: far, model: a }]${route(ms)} }
`;
    for (const ms of [1, 86_400_000]) load(yaml(ms));
    for (const ms of [0, -1, 86_400_001, 1.5, '"5s"']) expect(faultOf(yaml(ms))).toContain(field);
  });
});

describe("a model reasons", () => {
  const isLong = (setting: Setting) => timeoutsOf(setting, "chat")["wholeMs"] === reasoningTimeouts.wholeMs;

  test.each([
    ...["o1", "openai/o4-mini", "gpt-5", "gpt-5.2-codex", "deepseek-reasoner", "DeepSeek-R1", "qwen3-235b-thinking"],
    ...["gemini-2.5-pro", "models/gemini-3-pro", "grok-4", "magistral-medium", "sonar-deep-research", "gpt-oss-120b"],
  ])("by its name: %s", (model) => expect(isLong({ model })).toBe(true));

  test.each([
    ...["gpt-4o", "gpt-5-chat-latest", "claude-3-5-haiku", "gemini-2.0-flash", "gemini-2.5-flash-image"],
    ...["foo1", "grok-4-fast-non-reasoning", "grok-2", "llama-3.1-70b", "rethinking"],
  ])("not: %s", (model) => expect(isLong({ model })).toBe(false));

  test("where the request asks for it, and not where it turns it off", () => {
    expect(isLong({ reasoning: { effort: "high" } })).toBe(true);
    expect(isLong({ reasoning: { budgetTokens: 1_024 } })).toBe(true);
    expect(isLong({ model: "o3", reasoning: { effort: "none" } })).toBe(false);
  });

  test("unless the operator declares otherwise", () => {
    const provider = ", model_capabilities: [{ models: [o3], reasoning: none }]";
    expect(isLong({ model: "o3", provider })).toBe(false);
  });
});
