// Mistral's moderations: texts alone, categories of its own, and no verdict over all of them.
import type { Finding, ModerateAnswer, ModerateAsk, ModerationCategory, Verdict } from "../../canonical/moderation.ts";
import { noUsage, tokenCount } from "../../canonical/usage.ts";
import { isObject, type Json } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { badReply, unsupported } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { noClient } from "../shared/upstream-only.ts";
import { clamped, knownFlagged, verdictOf } from "./moderation-result.ts";
import { moderateAsk, readHead, readVerdicts, renderResponse } from "./openai.ts";
import { moderationSchema, parseRequest } from "./request.ts";

/** Its categories by ours. Those that have no counterpart are told under their own names, and flag nothing. */
const counterparts: ReadonlyMap<string, ModerationCategory> = new Map([
  ["sexual", "sexual"],
  ["hate_and_discrimination", "hate"],
  ["violence_and_threats", "violence"],
  ["dangerous_and_criminal_content", "illicit"],
  ["dangerous", "illicit"],
  ["criminal", "illicit"],
  ["selfharm", "self-harm"],
]);
/** A category that also holds threats is half a sign of those: the score is told, nothing is flagged by it. */
const copies: ReadonlyMap<string, ModerationCategory> = new Map([["violence_and_threats", "harassment/threatening"]]);

/** Two categories of theirs may be one of ours: the worse one counts. */
function worse(left: Finding | undefined, right: Finding): Finding {
  if (left === undefined) return right;
  return { ...right, flagged: left.flagged || right.flagged, score: Math.max(left.score, right.score) };
}

function readVerdict(result: Json): Verdict {
  const { categories, category_scores: scores } = isObject(result) ? result : {};
  if (!isObject(categories)) throw badReply("a result has no categories");
  const findings = new Map<string, Finding>();
  for (const [category, flagged] of Object.entries(categories)) {
    if (typeof flagged !== "boolean") throw badReply("a category is neither true nor false");
    const told = isObject(scores) ? scores[category] : undefined;
    const finding: Finding = {
      flagged,
      score: typeof told === "number" ? clamped(told) : Number(flagged),
      inputs: ["text"],
    };
    const name = counterparts.get(category) ?? category;
    findings.set(name, worse(findings.get(name), finding));
    const copy = copies.get(category);
    if (copy !== undefined) findings.set(copy, { ...finding, flagged: false });
  }
  if (findings.size === 0) throw badReply("a result judges nothing");
  return verdictOf(findings, knownFlagged(findings));
}

function wireInput({ items, mixed }: ModerateAsk): Json {
  const texts = items.map((item) =>
    item
      .map((part) => {
        if (part.type === "text") return part.text;
        throw unsupported(part.path, "it judges texts only");
      })
      .join("\n\n"),
  );
  return mixed ? (texts[0] ?? "") : texts;
}

export const mistralModerations: Dialect<ModerateAsk, ModerateAnswer> = {
  name: "mistral-moderations",
  operation: "moderate",
  request: {
    schema: moderationSchema,
    parse: parseRequest,
    render: (ask, context) => ({
      call: { path: "moderations", body: { model: context.model, input: wireInput(ask) } },
      warnings: [],
    }),
    fieldPath: (field) => field,
  },
  response: {
    parse(wire, context) {
      if (!isObject(wire)) throw badReply("it is not an object");
      const ask = moderateAsk(context.ask);
      const tokens = tokenCount(isObject(wire.usage) ? wire.usage.prompt_tokens : undefined);
      return {
        operation: "moderate",
        ...readHead(wire, ask),
        verdicts: readVerdicts(wire.results, ask, readVerdict),
        ...(tokens > 0 ? { usage: { ...noUsage, inputTokens: tokens } } : {}),
      };
    },
    render: renderResponse,
  },
  verbatim: noClient,
  error: openaiErrors,
};
