// Every field of moderation on every format: what its table says is what is sent.
import { afterAll } from "bun:test";
import { moderationCategories } from "../../src/canonical/moderation.ts";
import { mistralModerations, openaiModerations } from "../../src/dialects/index.ts";
import { type FieldClient, type FieldUpstream, provesFields } from "../support/field-conformance.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const entry = (kind: string) =>
  `  ${kind}: { kind: ${kind}, base_url: "${up.url}/v1", credential: canary, models: [m] }`;
const running = await gateway({ yaml: `providers:\n${["openai", "mistral"].map(entry).join("\n")}\n` });
afterAll(async () => {
  await running.stop();
  await up.stop();
});

const client: FieldClient = {
  dialect: openaiModerations,
  path: () => "/v1/moderations",
  body: (model) => ({ model, input: "a" }),
  says: {
    items: { param: "input", body: {} },
    mixed: { param: "input", body: { input: [{ type: "text", text: "a" }] } },
  },
};

const each = <T>(value: T) => Object.fromEntries(moderationCategories.map((category) => [category, value]));
const result = { flagged: false, categories: each(false), category_scores: each(0) };
const upstreamOf = (dialect: FieldUpstream["dialect"], model: string): FieldUpstream => ({
  dialect,
  model,
  ready: () => up.on("*", { json: { id: "modr-1", model: "m", results: [result] } }),
});

provesFields({
  title: "moderations",
  ...{ up, gateway: running },
  clients: [client],
  upstreams: [upstreamOf(openaiModerations, "openai/m"), upstreamOf(mistralModerations, "mistral/m")],
});
