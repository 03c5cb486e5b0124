// A rerank reply: one normalized form for all clients, whatever the upstream's shape.
import type { RankedResult, RerankRequest, RerankResponse } from "../../canonical/rerank.ts";
import { oneUnit, tokenCount, type Usage, unitAmount, zeroUsage } from "../../canonical/usage.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";

/** Maximum documents of one billed search. */
const documentsPerSearch = 100;

/** The list of results, the name of their score, and the other parts of a reply. */
export interface ReadRanking {
  readonly results: Json | undefined;
  readonly score?: string;
  readonly id?: Json | undefined;
  readonly model?: Json | undefined;
  readonly searchUnits?: Json | undefined;
  /** The first valid count is used. */
  readonly tokens: readonly (Json | undefined)[];
}

function readResult(item: Json, score: string, documents: number): RankedResult {
  const index = isObject(item) ? item.index : undefined;
  const value = isObject(item) ? item[score] : undefined;
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= documents)
    throw invalidUpstreamResponse("a result has an index that is not in the request");
  if (typeof value !== "number") throw invalidUpstreamResponse("a result has no relevance score");
  return { index, score: value };
}

/** Best first. A document that is ranked twice is an error. */
function readResults(
  { results, score = "relevance_score" }: ReadRanking,
  request: RerankRequest | undefined,
): RankedResult[] {
  if (!Array.isArray(results)) throw invalidUpstreamResponse("the response has no list of results");
  const read = results.map((item) => readResult(item, score, request?.documents.length ?? Number.POSITIVE_INFINITY));
  if (new Set(read.map(({ index }) => index)).size !== read.length)
    throw invalidUpstreamResponse("two results have the same index");
  return read.sort((left, right) => right.score - left.score || left.index - right.index).slice(0, request?.top);
}

function readUsage({ tokens, searchUnits }: ReadRanking): { usage?: Usage } {
  const inputTokens = tokens.map(tokenCount).find((count) => count > 0);
  const usage = inputTokens === undefined ? undefined : { ...zeroUsage, inputTokens };
  const searches = oneUnit("searches", searchUnits);
  if (searches.units === undefined) return usage === undefined ? {} : { usage };
  return { usage: { ...(usage ?? zeroUsage), ...searches } };
}

/** Where compatible servers put their token counts. */
export function tokensIn(reply: JsonObject): (Json | undefined)[] {
  const at = (place: Json | undefined, ...names: readonly string[]): (Json | undefined)[] =>
    isObject(place) ? names.map((name) => place[name]) : [];
  const { usage, tokens, meta } = reply;
  const inner: JsonObject = isObject(meta) ? meta : {};
  return [
    ...at(usage, "total_tokens", "prompt_tokens"),
    ...at(tokens, "input_tokens"),
    ...at(inner.tokens, "input_tokens"),
    ...at(inner.billed_units, "total_tokens", "input_tokens"),
  ];
}

/** The shape of Cohere's replies, which most servers adopted. */
export function readFlat(reply: Json): ReadRanking {
  if (!isObject(reply)) throw invalidUpstreamResponse("expected a JSON object");
  const { results, id, model, meta } = reply;
  const billed = isObject(meta) && isObject(meta.billed_units) ? meta.billed_units : {};
  return { results, id, model, searchUnits: billed.search_units, tokens: tokensIn(reply) };
}

/** Throws `upstream_protocol_error` for an invalid ranking. */
export function readAnswer(read: ReadRanking, request: RerankRequest | undefined): RerankResponse {
  const { id, model } = read;
  return {
    operation: "rerank",
    id: typeof id === "string" ? id : "",
    model: typeof model === "string" && model !== "" ? model : (request?.model ?? ""),
    results: readResults(read, request),
    ...readUsage(read),
  };
}

function billedUnits({ usage }: RerankResponse, documents: number): JsonObject {
  const searches = unitAmount(usage, "searches");
  if (searches > 0) return { search_units: searches };
  if (usage !== undefined && !usage.estimated) return { total_tokens: usage.inputTokens };
  return { search_units: Math.ceil(documents / documentsPerSearch) };
}

/** The normalized form. `version` is the client's version. */
export function renderAnswer(response: RerankResponse, context: WriteContext, version: string): JsonObject {
  const { documents, returnDocuments } = context.request as RerankRequest;
  const tokens = response.usage?.inputTokens ?? context.inputEstimate;
  const shown = (index: number): JsonObject | undefined => {
    const document = documents[index];
    return typeof document === "string" ? { text: document } : document;
  };
  return {
    id: response.id || context.id,
    model: response.model,
    results: response.results.map(({ index, score }) =>
      omitUndefined({ index, relevance_score: score, document: returnDocuments ? shown(index) : undefined }),
    ),
    meta: {
      api_version: { version },
      billed_units: billedUnits(response, documents.length),
      tokens: { input_tokens: tokens, output_tokens: 0 },
    },
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
