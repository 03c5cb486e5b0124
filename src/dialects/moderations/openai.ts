// The dialect of OpenAI's moderations.
import {
  type Finding,
  type InputType,
  type ModerateAnswer,
  type ModerateAsk,
  type ModerationItem,
  type ModerationPart,
  moderationCategories,
  type Verdict,
} from "../../canonical/moderation.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Dialect, WriteContext } from "../dialect.ts";
import { badReply } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { clamped, lookedAt, renderVerdict, verdictOf } from "./moderation-result.ts";
import { moderationSchema, parseRequest } from "./request.ts";

const path = "moderations";

const wirePart = (part: ModerationPart): JsonObject =>
  part.type === "text" ? { type: "text", text: part.text } : { type: "image_url", image_url: { url: part.url } };

const wireItem = ([first]: ModerationItem): Json => (first?.type === "text" ? first.text : "");

function wireInput({ items, mixed }: ModerateAsk): Json {
  if (mixed) return items.flat().map(wirePart);
  return items.length === 1 && items[0] !== undefined ? wireItem(items[0]) : items.map(wireItem);
}

const inputType = (value: Json): value is InputType => value === "text" || value === "image";

/** Categories that were not judged are null, or are not there. */
function readFindings(result: JsonObject, item: ModerationItem | undefined): Map<string, Finding> {
  const { categories, category_scores: scores, category_applied_input_types: applied } = result;
  if (!isObject(categories)) throw badReply("a result has no categories");
  const findings = new Map<string, Finding>();
  for (const [category, flagged] of Object.entries(categories)) {
    if (typeof flagged !== "boolean") continue;
    const score = isObject(scores) ? scores[category] : undefined;
    const inputs = isObject(applied) ? applied[category] : undefined;
    findings.set(category, {
      flagged,
      score: typeof score === "number" ? clamped(score) : Number(flagged),
      inputs: Array.isArray(inputs) ? inputs.filter(inputType) : lookedAt(category, item),
    });
  }
  return findings;
}

function readVerdict(result: Json, item: ModerationItem | undefined): Verdict {
  if (!isObject(result)) throw badReply("a result is no object");
  const findings = readFindings(result, item);
  if (findings.size === 0 && result.flagged !== true) throw badReply("a result judges nothing");
  const isFlagged = [...findings.values()].some((finding) => finding.flagged);
  return verdictOf(findings, typeof result.flagged === "boolean" ? result.flagged : isFlagged);
}

/** Each item has its result, or nobody knows which is whose. */
export function readVerdicts(
  results: Json | undefined,
  ask: ModerateAsk | undefined,
  read: (result: Json, item: ModerationItem | undefined) => Verdict,
): Verdict[] {
  if (!Array.isArray(results) || results.length === 0) throw badReply("there is no list of results");
  if (ask !== undefined && results.length !== ask.items.length)
    throw badReply("there are not as many results as inputs");
  return results.map((result, index) => read(result, ask?.items[index]));
}

/** The members of an answer that replies of this kind tell. */
export function readHead(wire: JsonObject, ask: ModerateAsk | undefined): Pick<ModerateAnswer, "id" | "model"> {
  return {
    id: typeof wire.id === "string" ? wire.id : "",
    model: typeof wire.model === "string" && wire.model !== "" ? wire.model : (ask?.model ?? ""),
  };
}

function parseResponse(wire: unknown, ask: ModerateAsk | undefined): ModerateAnswer {
  if (!isObject(wire)) throw badReply("it is not an object");
  const verdicts = readVerdicts(wire.results, ask, readVerdict);
  return { operation: "moderate", ...readHead(wire, ask), verdicts };
}

export function renderResponse(answer: ModerateAnswer, { id }: Pick<WriteContext, "id">): JsonObject {
  return {
    id: answer.id || `modr-${id}`,
    model: answer.model,
    results: answer.verdicts.map(renderVerdict),
  };
}

/** True for a result that says everything that clients read. */
function isWhole(result: Json): boolean {
  if (!isObject(result) || typeof result.flagged !== "boolean") return false;
  const tables = [result.categories, result.category_scores, result.category_applied_input_types];
  return tables.every((table) => isObject(table) && moderationCategories.every((category) => category in table));
}

/** The ask behind a request, where it is one of this operation. */
export const moderateAsk = (ask: { readonly operation: string } | undefined): ModerateAsk | undefined =>
  ask?.operation === "moderate" ? (ask as ModerateAsk) : undefined;

export const openaiModerations: Dialect<ModerateAsk, ModerateAnswer> = {
  name: "openai-moderations",
  operation: "moderate",
  request: {
    schema: moderationSchema,
    parse: parseRequest,
    render: (ask, context) => ({
      call: { path, body: { model: context.model, input: wireInput(ask) } },
      warnings: [],
    }),
    fieldPath: (field) => field,
  },
  response: {
    parse: (wire, context) => parseResponse(wire, moderateAsk(context.ask)),
    render: renderResponse,
  },
  verbatim: {
    call: (wire, context) => ({ path, body: { ...wire, model: context.model } }),
    mend(reply, _wire, context) {
      const { results } = reply;
      const isComplete = typeof reply.id === "string" && Array.isArray(results) && results.every(isWhole);
      if (isComplete || context === undefined) return reply;
      return { ...reply, ...renderResponse(parseResponse(reply, moderateAsk(context.ask)), context) };
    },
  },
  error: openaiErrors,
};
