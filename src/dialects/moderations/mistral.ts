// Mistral's moderations: only texts, with other categories and no overall result.
import type {
  CategoryScore,
  ModerationCategory,
  ModerationRequest,
  ModerationResponse,
  ModerationResult,
} from "../../canonical/moderation.ts";
import { tokenCount, zeroUsage } from "../../canonical/usage.ts";
import type { Loss } from "../../canonical/warning.ts";
import { isObject, type Json } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { rejected } from "../field-table.ts";
import { openaiErrors } from "../openai-error.ts";
import { upstreamsOf } from "../upstream-format.ts";
import type { ModerationTable } from "./fields.ts";
import { clamped, knownFlagged, verdictOf } from "./moderation-result.ts";
import { moderateAsk, readHead, readVerdicts } from "./openai.ts";

/** The canonical names of its categories. Categories without a counterpart keep their name and are never flagged. */
const counterparts: ReadonlyMap<string, ModerationCategory> = new Map([
  ["sexual", "sexual"],
  ["hate_and_discrimination", "hate"],
  ["violence_and_threats", "violence"],
  ["dangerous_and_criminal_content", "illicit"],
  ["dangerous", "illicit"],
  ["criminal", "illicit"],
  ["selfharm", "self-harm"],
]);
/** A category that only partly covers another one gives a score for it, but does not flag it. */
const copies: ReadonlyMap<string, ModerationCategory> = new Map([["violence_and_threats", "harassment/threatening"]]);

/** Two of its categories may map to one: the higher score is used. */
function worse(left: CategoryScore | undefined, right: CategoryScore): CategoryScore {
  if (left === undefined) return right;
  return { ...right, flagged: left.flagged || right.flagged, score: Math.max(left.score, right.score) };
}

function readVerdict(result: Json): ModerationResult {
  const { categories, category_scores: scores } = isObject(result) ? result : {};
  if (!isObject(categories)) throw invalidUpstreamResponse("a result has no categories");
  const findings = new Map<string, CategoryScore>();
  for (const [category, flagged] of Object.entries(categories)) {
    if (typeof flagged !== "boolean") throw invalidUpstreamResponse("a category value is not a boolean");
    const known = isObject(scores) ? scores[category] : undefined;
    const score: CategoryScore = {
      flagged,
      score: typeof known === "number" ? clamped(known) : Number(flagged),
      inputs: ["text"],
    };
    const name = counterparts.get(category) ?? category;
    findings.set(name, worse(findings.get(name), score));
    const copy = copies.get(category);
    if (copy !== undefined) findings.set(copy, { ...score, flagged: false });
  }
  if (findings.size === 0) throw invalidUpstreamResponse("a result has no categories");
  return verdictOf(findings, knownFlagged(findings));
}

/** Refuses the first image. */
function imageLoss(items: ModerationRequest["items"]): Loss | undefined {
  const image = items.flat().find((part) => part.type === "image");
  return image && { ...rejected("this model moderates text only"), path: image.path };
}

function wireInput({ items, mixed }: ModerationRequest): Json {
  const texts = items.map((item) => item.map((part) => (part.type === "text" ? part.text : "")).join("\n\n"));
  return mixed ? (texts[0] ?? "") : texts;
}

const fields: ModerationTable = {
  items: {
    path: "input",
    limit: (_setting, items) => imageLoss(items),
    renderMembers: ({ request }) => ({ input: wireInput(request) }),
  },
  mixed: { path: "input", carriedBy: "items" },
};

export const mistralModerations = upstreamsOf<ModerationRequest, ModerationResponse>("moderate")({
  name: "mistral-moderations",
  fields,
  path: () => "moderations",
  members: ({ model }) => ({ model }),
  parse(wire, context) {
    if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
    const request = moderateAsk(context.request);
    const tokens = tokenCount(isObject(wire.usage) ? wire.usage.prompt_tokens : undefined);
    return {
      operation: "moderate",
      ...readHead(wire, request),
      verdicts: readVerdicts(wire.results, request, readVerdict),
      ...(tokens > 0 ? { usage: { ...zeroUsage, inputTokens: tokens } } : {}),
    };
  },
  error: openaiErrors,
});
