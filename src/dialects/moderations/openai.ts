// The dialect of OpenAI's moderations.
import {
  type CategoryScore,
  type InputType,
  type ModerationItem,
  type ModerationPart,
  type ModerationRequest,
  type ModerationResponse,
  type ModerationResult,
  moderationCategories,
} from "../../canonical/moderation.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { fieldPaths } from "../field-table.ts";
import { openaiErrors } from "../openai-error.ts";
import { renderer } from "../render-fields.ts";
import { clientInput, clientRequest, type ModerationDialect, type ModerationTable } from "./fields.ts";
import { clamped, lookedAt, renderVerdict, verdictOf } from "./moderation-result.ts";

const path = "moderations";

const wirePart = (part: ModerationPart): JsonObject =>
  part.type === "text" ? { type: "text", text: part.text } : { type: "image_url", image_url: { url: part.url } };

const wireItem = ([first]: ModerationItem): Json => (first?.type === "text" ? first.text : "");

function wireInput({ items, mixed }: ModerationRequest): Json {
  if (mixed) return items.flat().map(wirePart);
  return items.length === 1 && items[0] !== undefined ? wireItem(items[0]) : items.map(wireItem);
}

const fields: ModerationTable = {
  items: { ...clientInput, renderMembers: ({ request }) => ({ input: wireInput(request) }) },
  mixed: { path: "input", carriedBy: "items" },
};

const inputType = (value: Json): value is InputType => value === "text" || value === "image";

/** Categories that were not classified are null or missing. */
function readFindings(result: JsonObject, item: ModerationItem | undefined): Map<string, CategoryScore> {
  const { categories, category_scores: scores, category_applied_input_types: applied } = result;
  if (!isObject(categories)) throw invalidUpstreamResponse("a result has no categories");
  const findings = new Map<string, CategoryScore>();
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

function readVerdict(result: Json, item: ModerationItem | undefined): ModerationResult {
  if (!isObject(result)) throw invalidUpstreamResponse("a result is not an object");
  const findings = readFindings(result, item);
  if (findings.size === 0 && result.flagged !== true) throw invalidUpstreamResponse("a result has no categories");
  const isFlagged = [...findings.values()].some((score) => score.flagged);
  return verdictOf(findings, typeof result.flagged === "boolean" ? result.flagged : isFlagged);
}

/** Every item must have a result. */
export function readVerdicts(
  results: Json | undefined,
  request: ModerationRequest | undefined,
  read: (result: Json, item: ModerationItem | undefined) => ModerationResult,
): ModerationResult[] {
  if (!Array.isArray(results) || results.length === 0)
    throw invalidUpstreamResponse("the response has no list of results");
  if (request !== undefined && results.length !== request.items.length)
    throw invalidUpstreamResponse("the number of results does not match the number of inputs");
  return results.map((result, index) => read(result, request?.items[index]));
}

/** Id and model of a reply. */
export function readHead(
  wire: JsonObject,
  request: ModerationRequest | undefined,
): Pick<ModerationResponse, "id" | "model"> {
  return {
    id: typeof wire.id === "string" ? wire.id : "",
    model: typeof wire.model === "string" && wire.model !== "" ? wire.model : (request?.model ?? ""),
  };
}

function parseResponse(wire: unknown, request: ModerationRequest | undefined): ModerationResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("expected a JSON object");
  const verdicts = readVerdicts(wire.results, request, readVerdict);
  return { operation: "moderate", ...readHead(wire, request), verdicts };
}

function renderResponse(response: ModerationResponse, { id }: Pick<WriteContext, "id">): JsonObject {
  return {
    id: response.id || `modr-${id}`,
    model: response.model,
    results: response.verdicts.map(renderVerdict),
  };
}

/** Whether a result has every member that clients read. */
function isWhole(result: Json): boolean {
  if (!isObject(result) || typeof result.flagged !== "boolean") return false;
  const tables = [result.categories, result.category_scores, result.category_applied_input_types];
  return tables.every((table) => isObject(table) && moderationCategories.every((category) => category in table));
}

/** The request, if it is a moderation. */
export const moderateAsk = (ask: { readonly operation: string } | undefined): ModerationRequest | undefined =>
  ask?.operation === "moderate" ? (ask as ModerationRequest) : undefined;

export const openaiModerations: ModerationDialect = {
  name: "openai-moderations",
  operation: "moderate",
  request: {
    fields,
    ...clientRequest(fields),
    render: renderer(fields, { path: () => path, members: ({ model }) => ({ model }) }),
    fieldPath: fieldPaths(fields),
  },
  response: {
    parse: (wire, context) => parseResponse(wire, moderateAsk(context.request)),
    render: renderResponse,
  },
  passthrough: {
    render: (wire, context) => ({ path, body: { ...wire, model: context.model } }),
    normalize(reply, _wire, context) {
      const { results } = reply;
      const isComplete = typeof reply.id === "string" && Array.isArray(results) && results.every(isWhole);
      if (isComplete || context === undefined) return reply;
      return { ...reply, ...renderResponse(parseResponse(reply, moderateAsk(context.request)), context) };
    },
  },
  error: openaiErrors,
};
