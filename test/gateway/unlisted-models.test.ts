// Models that no provider lists: which providers are candidates, and which are known not to serve them.
import { expect, test } from "bun:test";
import type { ModelListState } from "../../src/gateway/routing/model-lists.ts";
import { resolve } from "../../src/gateway/routing/resolve.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { load } from "../config/load.ts";
import { thrown } from "../support/sample-requests.ts";

/** Nobody's list could be read but the built-in one's. */
const unread = (provider: Provider): ModelListState => ({
  provider,
  models: provider.entry.name === "sandbox" ? [] : null,
  ids: new Set(),
});
const { catalog } = load(`providers:
  vectors: { kind: jina, credential: x }
  talker: { kind: openai, credential: x }
`);
const named = (plan: ReturnType<typeof resolve>) => plan.candidates.map(({ provider }) => provider.entry.name);

test("a provider of vectors alone is not asked for a conversation", () => {
  expect(named(resolve(catalog, unread, "some-model", "chat"))).toEqual(["talker"]);
});

test("both are asked for vectors", () => {
  expect(named(resolve(catalog, unread, "some-model", "embed"))).toEqual(["vectors", "talker"]);
});

test("a model that nobody can know does not exist", () => {
  const { catalog: single } = load("providers:\n  vectors: { kind: jina, credential: x }\n");
  expect(thrown(() => resolve(single, unread, "some-model", "chat"))).toMatchObject({ code: "model_not_found" });
});
