// A ranking request as clients write it, whatever version they speak: its schema, and what it means.
import { Type } from "typebox";
import type { RankedDocument, RerankOption, RerankRequest } from "../../canonical/rerank.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";
import { optional } from "../schema-helpers.ts";
import { isAbsent } from "../shared/is-empty.ts";

const counted = (least: number, description: string) => optional("integer", { minimum: least, description });

export const rerankSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: "Model id." }),
    query: Type.Unsafe<RankedDocument>({
      type: ["string", "object"],
      minLength: 1,
      description: "What is looked for; `{text}` or `{image}` where the model takes them.",
    }),
    documents: Type.Array(Type.Unsafe<RankedDocument>({ type: ["string", "object"] }), {
      minItems: 1,
      description: "What is ranked: texts, or objects such as `{text}`.",
    }),
    top_n: counted(0, "How many results to give. 0 or left out: all."),
    return_documents: optional("boolean", { default: false, description: "Each result brings its document." }),
    rank_fields: Type.Optional(
      Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.Null()], {
        description: "The fields of object documents that count, in this order.",
      }),
    ),
    max_chunks_per_doc: counted(1, "Into how many chunks a document may be cut."),
    max_tokens_per_doc: counted(1, "Where a document is cut off."),
    overlap_tokens: counted(0, "By how much chunks overlap."),
    instruction: optional("string", { description: "What counts as an answer to the query." }),
    truncation: optional("boolean", { description: "Whether what is too long is cut off, or refused." }),
    priority: counted(0, "How urgent it is; 0 is most urgent."),
  },
  { additionalProperties: true },
);

const options: readonly RerankOption[] = [
  "rank_fields",
  "max_chunks_per_doc",
  "max_tokens_per_doc",
  "overlap_tokens",
  "instruction",
  "truncation",
  "priority",
];
const known: ReadonlySet<string> = new Set([
  ...["model", "query", "documents", "top_n", "return_documents"],
  ...options,
]);

function parseQuery(query: Json | undefined): RankedDocument {
  if (typeof query === "string") return query;
  const said = isObject(query) ? [query.text, query.image] : [];
  if (isObject(query) && said.some((member) => typeof member === "string" && member !== "")) return query;
  throw badValue("query", "'query' must contain text or an image.");
}

function parseDocument(document: Json, index: number): RankedDocument {
  if (typeof document === "string") return document;
  if (isObject(document) && Object.keys(document).length > 0) return document;
  throw badValue(`documents[${index}]`, `'documents[${index}]' must not be an empty object.`);
}

/** From a wire that has passed the schema. */
export function parseRequest(wire: JsonObject): RerankRequest {
  const documents = (Array.isArray(wire.documents) ? wire.documents : []).map(parseDocument);
  const asked = typeof wire.top_n === "number" && wire.top_n > 0 ? wire.top_n : documents.length;
  const given = options.filter((option) => !isAbsent(wire[option]));
  return {
    operation: "rerank",
    model: String(wire.model),
    stream: false,
    query: parseQuery(wire.query),
    documents,
    top: Math.min(asked, documents.length),
    returnDocuments: wire.return_documents === true,
    options: Object.fromEntries(given.map((option) => [option, wire[option]])),
    unmappedFields: Object.keys(wire)
      .filter((name) => !known.has(name) && !isAbsent(wire[name]))
      .map((path) => ({ path, rule: "warn" })),
  };
}
