// The sandbox's moderation: a few plain words for each category. It does not read images, and is not a protection.
import {
  type CategoryScore,
  imageCategories,
  type ModerationCategory,
  type ModerationItem,
  type ModerationRequest,
  type ModerationResponse,
  type ModerationResult,
  moderationCategories,
} from "../../canonical/moderation.ts";
import { charsPerToken, refuseMany, refuseTokens, tokensIn } from "./limits.ts";

const mostItems = 2_048;

/** Word prefixes; each match raises the score of the category. */
const words: { readonly [category in ModerationCategory]: readonly string[] } = {
  harassment: ["idiot", "stupid", "loser", "moron"],
  "harassment/threatening": ["i will hurt you", "i will find you", "kill you"],
  hate: ["hate those people", "subhuman", "inferior race"],
  "hate/threatening": ["exterminate", "wipe them out"],
  illicit: ["shoplift", "steal a car", "launder money", "counterfeit"],
  "illicit/violent": ["build a bomb", "make a bomb", "buy a gun illegally"],
  "self-harm": ["suicide", "self-harm", "cut myself", "kill myself"],
  "self-harm/intent": ["want to die", "kill myself", "end my life"],
  "self-harm/instructions": ["how to kill myself", "painless way to die"],
  sexual: ["porn", "erotic", "explicit sex"],
  "sexual/minors": ["child porn", "sexual minor"],
  violence: ["kill", "murder", "stab", "shoot", "blood"],
  "violence/graphic": ["dismember", "gore", "blood everywhere", "torture"],
};

const stems: ReadonlyMap<ModerationCategory, readonly RegExp[]> = new Map(
  moderationCategories.map((category) => [category, words[category].map((stem) => new RegExp(`\\b${stem}`))]),
);

const firstScore = 0.8;
const calmScore = 0.01;

/** 0.8 for one match, and closer to 1 with each more. */
const scoreOf = (hits: number): number => (hits === 0 ? calmScore : 1 - (1 - firstScore) / hits);

/** The texts of an item. They may contain directives. */
export const textOf = (item: ModerationItem): string =>
  item.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");

function verdictOf(item: ModerationItem): ModerationResult {
  const text = textOf(item).toLowerCase();
  const hasImage = item.some((part) => part.type === "image");
  const findings = new Map<string, CategoryScore>();
  for (const category of moderationCategories) {
    const hits = (stems.get(category) ?? []).filter((stem) => stem.test(text)).length;
    const texts = text === "" ? [] : (["text"] as const);
    const images = hasImage && imageCategories.has(category) ? (["image"] as const) : [];
    findings.set(category, { flagged: hits > 0, score: scoreOf(hits), inputs: [...texts, ...images] });
  }
  return { flagged: [...findings.values()].some(({ flagged }) => flagged), findings };
}

/** Characters per step; an empty item costs as much as a short one. */
const stepChars = 16_384;
const itemChars = 256;

/** In steps of a few milliseconds. Throws `invalid_value` above the sandbox's limits. */
export function* moderateReply(request: ModerationRequest): Generator<void, ModerationResponse> {
  refuseMany(request.items.length, mostItems, "input", "inputs");
  const tokens = request.items.map((item) => tokensIn(textOf(item)));
  refuseTokens(tokens, "input");
  const verdicts: ModerationResult[] = [];
  let chars = 0;
  for (const [index, item] of request.items.entries()) {
    verdicts.push(verdictOf(item));
    chars += (tokens[index] ?? 0) * charsPerToken + itemChars;
    if (chars < stepChars) continue;
    chars = 0;
    yield;
  }
  return {
    operation: "moderate",
    id: "sandbox",
    model: `sandbox/${request.model}`,
    verdicts,
  };
}
