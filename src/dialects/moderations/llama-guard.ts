// Llama Guard as a judge: the template of the model holds the policy, its answer is a word and a list of hazards.
import type { TokenLogprob, TopLogprob } from "../../canonical/chat.ts";
import type { CategoryScore, ModerationItem, ModerationResult } from "../../canonical/moderation.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import type { ModerationReading, ModeratorForm } from "./chat-moderation.ts";
import { lookedAt, verdictOf } from "./moderation-result.ts";

/** The hazards by their codes; those that no category stands for are told under names of their own. */
const hazards: { readonly [code: string]: readonly string[] } = {
  S1: ["violence", "illicit/violent"],
  S2: ["illicit"],
  S3: ["sexual", "illicit"],
  S4: ["sexual/minors", "sexual"],
  S5: ["harassment"],
  S6: ["specialised-advice"],
  S7: ["privacy"],
  S8: ["intellectual-property"],
  S9: ["illicit/violent"],
  S10: ["hate"],
  S11: ["self-harm"],
  S12: ["sexual"],
  S13: ["elections"],
  S14: ["illicit"],
};

const word = ({ token }: TopLogprob): string => token.trim().toLowerCase();

/** How likely the verdict was to be `unsafe`; 1 where nobody tells. */
function likelihood(tokens: readonly TokenLogprob[]): number {
  const verdict = tokens.find((token) => word(token) !== "");
  if (verdict === undefined) return 1;
  const all: readonly TopLogprob[] = [verdict, ...verdict.top];
  const unsafe = all.find((each) => word(each) === "unsafe");
  if (unsafe !== undefined) return Math.min(Math.exp(unsafe.logprob), 1);
  const safe = all.find((each) => word(each) === "safe");
  return safe === undefined ? 1 : Math.max(1 - Math.exp(safe.logprob), 0);
}

function read({ text, logprobs }: ModerationReading, item: ModerationItem | undefined): ModerationResult {
  const [verdict = "", ...rest] = text.trim().split(/\s+/);
  const isUnsafe = verdict.toLowerCase() === "unsafe";
  if (!isUnsafe && verdict.toLowerCase() !== "safe")
    throw invalidUpstreamResponse("the moderation model returned no verdict");
  const codes = isUnsafe ? (rest.join(" ").match(/\bS\d{1,2}\b/g) ?? []) : [];
  const score = likelihood(logprobs);
  const found = new Map<string, CategoryScore>();
  for (const code of codes)
    for (const category of hazards[code] ?? [code])
      found.set(category, { flagged: true, score, inputs: lookedAt(category, item) });
  return verdictOf(everywhere(found, item), isUnsafe);
}

/** What is not listed was looked for and not found. */
function everywhere(
  found: ReadonlyMap<string, CategoryScore>,
  item: ModerationItem | undefined,
): Map<string, CategoryScore> {
  const named = Object.values(hazards).flat();
  const none = named.map((category): [string, CategoryScore] => [
    category,
    { flagged: false, score: 0, inputs: lookedAt(category, item) },
  ]);
  return new Map([...none, ...found]);
}

const short = { maxOutputTokens: 100, sampling: { temperature: 0 } } as const;
const alternatives = 5;

export const llamaGuard: ModeratorForm = {
  asks: [{ ...short, logprobs: alternatives }, short],
  text: (text) => text,
  read,
};
