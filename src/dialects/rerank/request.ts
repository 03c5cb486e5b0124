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
    model: Type.String({ minLength: 1, description: "ID of the model to use." }),
    query: Type.Unsafe<RankedDocument>({
      type: ["string", "object"],
      minLength: 1,
      description: "The search query, or `{text}` or `{image}` for models that support it.",
    }),
    documents: Type.Array(Type.Unsafe<RankedDocument>({ type: ["string", "object"] }), {
      minItems: 1,
      description: "Documents to rank: strings, or objects such as `{text}`.",
    }),
    top_n: counted(0, "Number of results to return. 0, the default, returns all."),
    return_documents: optional("boolean", {
      default: false,
      description: "Whether to return the document with each result.",
    }),
    rank_fields: Type.Optional(
      Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.Null()], {
        description: "Fields of object documents to rank by, in this order.",
      }),
    ),
    max_chunks_per_doc: counted(1, "The maximum number of chunks per document."),
    max_tokens_per_doc: counted(1, "The maximum number of tokens per document; longer documents are truncated."),
    overlap_tokens: counted(0, "Number of tokens by which chunks overlap."),
    instruction: optional("string", { description: "Task description for the ranking." }),
    truncation: optional("boolean", {
      description: "Whether to truncate input that is too long; otherwise it is an error.",
    }),
    priority: counted(0, "Priority of the request; 0 is the highest."),
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
