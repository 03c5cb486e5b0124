// The setting of the moderation suites: one upstream behind providers of every kind, and routes whose models moderator.
import { afterAll, beforeEach, expect } from "bun:test";
import type OpenAI from "openai";
import { moderationCategories } from "../../src/canonical/moderation.ts";
import { openaiClient } from "../support/clients.ts";
import { gateway } from "../support/gateway.ts";
import { type Upstream, upstream } from "../support/upstream.ts";

type Input = OpenAI.ModerationCreateParams["input"];
type Answer = OpenAI.ModerationCreateResponse;

export interface Moderation {
  up: Upstream;
  openai: OpenAI;
  moderate(input: Input, model?: string): Promise<Answer>;
  /** The body of this upstream request. */
  sent(index?: number): Record<string, unknown>;
}

const configuration = (url: string) => `providers:
  openai: { kind: openai, base_url: "${url}/v1", credential: canary-a, models: [omni-moderation-latest, gpt-x] }
  mistral: { kind: mistral, base_url: "${url}/v1", credential: canary-b, models: [mistral-moderation-latest] }
  local: { kind: compatible, base_url: "${url}/v1", credential: canary-c, models: [mod, guard-x, moderator-x] }
  unhurt: { kind: compatible, base_url: "${url}/v1", credential: canary-e, models: [moderator-x] }
  claude: { kind: anthropic, base_url: "${url}", credential: canary-d, models: [claude-x] }
  google: { kind: gemini, base_url: "${url}", credential: canary-e, models: [gemini-x] }
models:
  moderator: { moderate: chat, candidates: [ { provider: local, model: moderator-x } ] }
  claude-moderator: { moderate: chat, candidates: [ { provider: claude, model: claude-x } ] }
  gemini-moderator: { moderate: chat, candidates: [ { provider: google, model: gemini-x } ] }
  gpt-moderator: { moderate: chat, candidates: [ { provider: openai, model: gpt-x } ] }
  guard: { moderate: llama-guard, candidates: [ { provider: local, model: guard-x } ] }
  double: { moderate: chat, candidates: [ { provider: unhurt, model: moderator-x }, { provider: claude, model: claude-x } ] }
`;

/** Starts it for a test file, clears the upstream before each test, and stops all of it behind the last one. */
export async function moderation(): Promise<Moderation> {
  const up = await upstream();
  const running = await gateway({ yaml: configuration(up.url) });
  const openai = openaiClient(running.url, running.key);
  beforeEach(() => up.clear());
  afterAll(async () => {
    await running.stop();
    await up.stop();
  });
  return {
    up,
    openai,
    moderate: (input, model) => openai.moderations.create(model ? { input, model } : { input }),
    sent: (index = 0) => up.requests[index]?.json as Record<string, unknown>,
  };
}

export const png = "data:image/png;base64,iVBORw0KGgo=";
export const mixed: Input = [
  { type: "text", text: "what is this?" },
  { type: "image_url", image_url: { url: png } },
];

/** Every result names every category, in all three tables. */
export function checkWhole({ results }: Answer): void {
  for (const result of results)
    for (const table of [result.categories, result.category_scores, result.category_applied_input_types])
      expect(Object.keys(table)).toEqual(expect.arrayContaining([...moderationCategories]));
}

export const flags = ({ results }: Answer) => results.map(({ flagged }) => flagged);
