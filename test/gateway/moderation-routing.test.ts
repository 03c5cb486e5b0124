// Who moderates: a model by its name, and when none is named, whoever is meant to.
import { expect, test } from "bun:test";
import { readSettings } from "../../src/config/environment.ts";
import { readConfigFile } from "../../src/config/file.ts";
import { buildCatalog } from "../../src/config/providers.ts";
import type { ModelListState } from "../../src/gateway/routing/model-lists.ts";
import { resolve, resolveUnnamed } from "../../src/gateway/routing/resolve.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { faultOf, load } from "../config/load.ts";
import { thrown } from "../support/sample-requests.ts";

const usual = "omni-moderation-latest";
const openai = (models = "") => `  openai: { kind: openai, credential: x${models} }\n`;
const mistral = (models = "") => `  mistral: { kind: mistral, credential: x${models} }\n`;
const local = (models: string) => `  local: { kind: compatible, base_url: "http://127.0.0.1:1/v1"${models} }\n`;
const route = (name: string, provider: string, model: string, moderate = "") =>
  `  ${name}: { ${moderate}candidates: [ { provider: ${provider}, model: ${model} } ] }\n`;

/** The catalog of this file, and lists as they stand: what is declared, and what `known` says that others list. */
function setUp(providers: string, routes = "", known: Record<string, string[]> = {}) {
  const { catalog } = load(`providers:\n${providers}${routes ? `models:\n${routes}` : ""}`);
  const listingOf = (provider: Provider): ModelListState => {
    const ids = provider.entry.models ?? known[provider.entry.name];
    return { provider, models: ids?.map((id) => ({ id })) ?? null, ids: new Set(ids) };
  };
  return { catalog, listingOf };
}

const unnamed = (...setting: Parameters<typeof setUp>) => {
  const { catalog, listingOf } = setUp(...setting);
  const [first] = resolveUnnamed(catalog, listingOf, usual, "moderate").candidates;
  return `${first?.provider.entry.name}/${first?.model}`;
};

const omni = ", models: [omni-moderation-latest]";
const moderator = route("moderator", "local", "chatty", "moderate: chat, ");

const rows: [string, Parameters<typeof setUp>, string][] = [
  ["a route of that name", [openai(omni), route(usual, "openai", "other")], "openai/other"],
  ["whoever lists that name", [local(omni) + openai()], `local/${usual}`],
  [
    "the first that lists a model for it",
    [openai(", models: [gpt]") + mistral(", models: [mistral-moderation-latest]")],
    "mistral/mistral-moderation-latest",
  ],
  [
    "a list that was read counts as one that is declared",
    [mistral() + openai(), "", { openai: [usual] }],
    `openai/${usual}`,
  ],
  [
    "a declared moderator, before anybody who only may know one",
    [local(", models: [chatty]") + openai(", models: [gpt]"), moderator],
    "local/chatty",
  ],
  [
    "not a moderator where somebody surely moderates",
    [local(", models: [chatty]") + mistral(", models: [mistral-moderation-latest]"), moderator],
    "mistral/mistral-moderation-latest",
  ],
  ["whoever's list is not known", [local(", models: [chatty]") + mistral()], "mistral/mistral-moderation-latest"],
  ["whoever is there at all", [local(", models: [chatty]")], `local/${usual}`],
];

test.each(rows)("no model: %s", (_name, setting, expected) => {
  expect(unnamed(...setting)).toBe(expected);
});

test("no other provider than the sandbox: it answers", () => {
  const { listingOf } = setUp(openai());
  const none = buildCatalog(readConfigFile(readSettings({}, "/nowhere")));
  const [first] = resolveUnnamed(none, listingOf, usual, "moderate").candidates;
  expect(`${first?.provider.entry.name}/${first?.model}`).toBe("sandbox/moderate");
});

test("a provider that does not moderate: a model must be named", () => {
  const { catalog, listingOf } = setUp(local(", models: [chatty]").replace("compatible", "anthropic"));
  const fault = thrown(() => resolveUnnamed(catalog, listingOf, usual, "moderate"));
  expect(fault).toMatchObject({ status: 400, code: "missing_required_parameter", param: "model" });
});

test("a moderator moderates by chat alone, though its provider moderates too", () => {
  const { catalog, listingOf } = setUp(
    openai(", models: [gpt]"),
    route("moderator", "openai", "gpt", "moderate: llama-guard, "),
  );
  const [first] = resolve(catalog, listingOf, "moderator", "moderate").candidates;
  const names = (first?.provider.kind.dialects ?? []).filter(({ operation }) => operation === "moderate");
  expect(names.map(({ name }) => name)).toEqual([
    "openai-chat-moderator",
    "openai-responses-moderator",
    "openai-completions-moderator",
  ]);
  const spoken = names.filter((dialect) => first?.provider.kind.supports?.(dialect, "gpt"));
  expect(spoken.map(({ name }) => name)).toEqual(["openai-chat-moderator", "openai-responses-moderator"]);
});

test("a chat model that nobody declared does not moderate", () => {
  const { catalog, listingOf } = setUp("  claude: { kind: anthropic, credential: x, models: [c] }\n");
  expect(thrown(() => resolve(catalog, listingOf, "c", "moderate"))).toMatchObject({ code: "unsupported_parameter" });
});

test("the file takes two words for it", () => {
  const yaml = (word: string) => `providers:\n${local("")}models:\n${route("j", "local", "m", `moderate: ${word}, `)}`;
  expect(faultOf(yaml("yes"))).toMatch(/line 4.*moderate/);
  for (const word of ["chat", "llama-guard"]) expect(load(yaml(word)).catalog.routes.get("j")?.moderates).toBe(true);
});
