// Routes of the file: candidates of other routes, patterns, aliases, fallbacks, several credentials, and what is refused.
import { describe, expect, test } from "bun:test";
import { resolve } from "../../src/gateway/routing/resolve.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { faultOf, load } from "./load.ts";

const providers = `providers:
  alpha: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [a1, a2] }
  beta: { kind: compatible, base_url: "http://127.0.0.1:9/v1", credentials: [{ name: one, credential: k-1, weight: 3 }, { name: two, credential: k-2 }] }
models:
`;
const found = (routes: string, model: string) => {
  const unlisted = (provider: Provider) => ({ provider, models: null, ids: new Set<string>() });
  const { candidates, route } = resolve(load(`${providers}${routes}`).catalog, unlisted, model, "chat");
  const names = candidates.map(({ provider: { entry }, model: own, weight, after }) =>
    [`${entry.name}/${own}`, entry.credentialName, weight, after].filter((part) => part !== undefined).join(" "),
  );
  return { names, route: route?.name };
};
const alpha = "{ provider: alpha, model: a1 }";

describe("candidates", () => {
  test("of a provider with several credentials are one for each", () => {
    expect(found("  m: { candidates: [{ provider: beta, model: b }] }", "m").names).toEqual([
      "beta/b one",
      "beta/b two",
    ]);
    expect(found("  m: { candidates: [{ provider: beta, model: b }] }", "beta/c").names).toEqual([
      "beta/c one",
      "beta/c two",
    ]);
  });

  test("of another route share the weight of the entry that names it", () => {
    const routes = `  inner: { candidates: [{ provider: alpha, model: a1, weight: 3 }, { provider: alpha, model: a2 }] }
  outer: { strategy: weighted, candidates: [{ route: inner, weight: 8 }, { provider: alpha, model: a3, weight: 2 }] }`;
    expect(found(routes, "outer").names).toEqual(["alpha/a1 6", "alpha/a2 2", "alpha/a3 2"]);
  });

  test("of fallbacks come last, once for each failure that they follow", () => {
    const routes = `  long: { candidates: [{ provider: alpha, model: a2 }] }
  m: { candidates: [${alpha}], fallbacks: [{ route: long, after: [context_length, content_refusal] }] }`;
    expect(found(routes, "m").names).toEqual(["alpha/a1", "alpha/a2 context_length", "alpha/a2 content_refusal"]);
  });

  test("have the timeouts of the route, and of the operation", () => {
    const text = `${providers}  m: { candidates: [${alpha}], timeout_ms: 5000, idle_timeout_ms: 70, operations: { chat: { timeout_ms: 9000 } } }`;
    const unlisted = (provider: Provider) => ({ provider, models: null, ids: new Set<string>() });
    const timeoutsFor = (operation: "chat" | "embed") =>
      resolve(load(text).catalog, unlisted, "m", operation).candidates[0]?.timeouts;
    expect(timeoutsFor("chat")).toEqual({ wholeMs: 9_000, idleMs: 70 });
    expect(timeoutsFor("embed")).toEqual({ wholeMs: 5_000, idleMs: 70 });
  });
});

describe("names", () => {
  const routes = `  gpt-4: { candidates: [${alpha}], aliases: [gpt-four] }
  "gpt-*": { candidates: [{ provider: alpha, model: "*" }] }
  "*": { candidates: [{ provider: beta, model: any }] }`;
  test.each([
    ["gpt-4", ["alpha/a1"]],
    ["gpt-four", ["alpha/a1"]],
    ["gpt-5-mini", ["alpha/gpt-5-mini"]],
    ["claude", ["beta/any one", "beta/any two"]],
  ])("%s", (model, names) => {
    expect(found(routes, model).names).toEqual(names);
  });
});

describe("faults", () => {
  test.each([
    [
      "a circle",
      `  a: { candidates: [{ route: b }] }\n  b: { candidates: [{ route: a }] }`,
      "routes refer to each other: a -> b -> a",
    ],
    [
      "a fallback to itself",
      `  a: { candidates: [${alpha}], fallbacks: [{ route: a }] }`,
      "routes refer to each other: a -> a",
    ],
    [
      "an unknown route",
      `  fast: { candidates: [${alpha}] }\n  b: { candidates: [{ route: fas }] }`,
      "unknown route 'fas'. Did you mean 'fast'?",
    ],
    [
      "a route and a model",
      `  a: { candidates: [${alpha}] }\n  b: { candidates: [{ route: a, model: x }] }`,
      "candidates[0].model: cannot be set together with 'route'",
    ],
    ["no model", "  a: { candidates: [{ provider: alpha }] }", "missing required field 'model'"],
    [
      "an alias that is a route",
      `  a: { candidates: [${alpha}] }\n  b: { candidates: [${alpha}], aliases: [a] }`,
      "'a' is the name of another route",
    ],
    [
      "a star without a pattern",
      `  a: { candidates: [{ provider: alpha, model: "*" }] }`,
      "requires a route whose name is a pattern",
    ],
  ])("%s", (_name, routes, problem) => {
    expect(faultOf(`${providers}${routes}`)).toContain(problem);
  });

  test("two credentials of one name, or one beside them", () => {
    const entry = (more: string) => `providers:\n  p: { kind: compatible, base_url: "http://127.0.0.1:9/v1", ${more} }`;
    expect(faultOf(entry("credentials: [{ name: a, credential: x }, { name: a, credential: y }]"))).toContain(
      "'a' is the name of another credential",
    );
    expect(faultOf(entry("credential: z, credentials: [{ name: a, credential: x }]"))).toContain(
      "cannot be set together with 'credentials'",
    );
  });
});
