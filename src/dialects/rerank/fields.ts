// The fields of a rerank request: the client halves, and the rows shared by the tables of rerank formats.
import { Type } from "typebox";
import type { RankedDocument, RerankOption, RerankRequest, RerankResponse } from "../../canonical/rerank.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext } from "../dialect.ts";
import { badValue } from "../errors.ts";
import {
  type ClientHalf,
  dropped,
  type FieldTable,
  ignored,
  type RenderSetting,
  type WireMembers,
} from "../field-table.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { optional } from "../schema-helpers.ts";
import { warn } from "../shared/warnings.ts";
import { type DocumentForm, documentIn, documentLoss, type Placed } from "./documents.ts";

export type RerankDialect = Dialect<RerankRequest, RerankResponse>;
export type RerankTable = FieldTable<RerankRequest>;
type Setting = RenderSetting<RerankRequest>;
type Client<Value> = ClientHalf<RerankRequest, Value>;

const counted = (least: number, description: string) => optional("integer", { minimum: least, description });

function parseQuery(query: Json | undefined): RankedDocument {
  if (typeof query === "string") return query;
  const queryParts = isObject(query) ? [query.text, query.image] : [];
  if (isObject(query) && queryParts.some((member) => typeof member === "string" && member !== "")) return query;
  throw badValue("query", "'query' must contain text or an image.");
}

function parseDocument(document: Json, index: number): RankedDocument {
  if (typeof document === "string") return document;
  if (isObject(document) && Object.keys(document).length > 0) return document;
  throw badValue(`documents[${index}]`, `'documents[${index}]' must not be an empty object.`);
}

const documentsIn = ({ documents }: JsonObject): readonly Json[] => (Array.isArray(documents) ? documents : []);

const option = (name: RerankOption, schema: Client<Json>["schema"]) => ({ path: name, schema }) as const;

/** How clients of both versions send each field. */
export const clientHalves = {
  documents: {
    schema: Type.Array(Type.Unsafe<RankedDocument>({ type: ["string", "object"] }), {
      minItems: 1,
      description: "Documents to rank: strings, or objects such as `{text}`.",
    }),
    parseMembers: ({ wire }) => ({ documents: documentsIn(wire).map(parseDocument) }),
  } satisfies Client<RerankRequest["documents"]>,
  query: {
    schema: Type.Unsafe<RankedDocument>({
      type: ["string", "object"],
      minLength: 1,
      description: "The search query, or `{text}` or `{image}` for models that support it.",
    }),
    parseMembers: ({ wire }) => ({ query: parseQuery(wire.query) }),
  } satisfies Client<RankedDocument>,
  top: {
    schema: counted(0, "Number of results to return. 0, the default, returns all."),
    parseMembers({ wire }) {
      const most = documentsIn(wire).length;
      return { top: typeof wire.top_n === "number" && wire.top_n > 0 ? Math.min(wire.top_n, most) : most };
    },
  } satisfies Client<number>,
  returnDocuments: {
    schema: optional("boolean", { default: false, description: "Whether to return the document with each result." }),
    parseMembers: ({ wire }) => ({ returnDocuments: wire.return_documents === true }),
  } satisfies Client<boolean>,
  rank_fields: option(
    "rank_fields",
    Type.Optional(
      Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.Null()], {
        description: "Fields of object documents to rank by, in this order.",
      }),
    ),
  ),
  max_chunks_per_doc: option("max_chunks_per_doc", counted(1, "The maximum number of chunks per document.")),
  max_tokens_per_doc: option(
    "max_tokens_per_doc",
    counted(1, "The maximum number of tokens per document; longer documents are truncated."),
  ),
  overlap_tokens: option("overlap_tokens", counted(0, "Number of tokens by which chunks overlap.")),
  instruction: option("instruction", optional("string", { description: "Task description for the ranking." })),
  truncation: option(
    "truncation",
    optional("boolean", { description: "Whether to truncate input that is too long; otherwise it is an error." }),
  ),
  priority: option("priority", counted(0, "Priority of the request; 0 is the highest.")),
} as const;

const members: WireMembers = {
  model: { schema: Type.String({ minLength: 1, description: "ID of the model to use." }), lost: null },
};

/** The request of a client whose format has this table; the body has passed its schema. */
export function clientRequest(table: RerankTable) {
  const readFields = fieldReader<RerankRequest, Setting>(table, members);
  return {
    schema: requestSchema(table, members),
    parse(wire: JsonObject): RerankRequest {
      const { fields, unmappedFields } = readFields(wire);
      const { query, documents, top, returnDocuments, ...options } = fields;
      const given = { query, documents, top, returnDocuments } as Pick<
        RerankRequest,
        "query" | "documents" | "top" | "returnDocuments"
      >;
      return { operation: "rerank", model: String(wire.model), stream: false, ...given, options, unmappedFields };
    },
  };
}

/** What the rows about documents depend on. */
export interface DocumentRules {
  form(context: RenderContext): DocumentForm;
  /** Maximum documents per request. */
  maxDocuments?(model: string): number;
}

/** Splitting a request is not possible, because scores of different requests do not compare. */
function refuseMany(count: number, most: number | undefined): void {
  if (most === undefined || count <= most) return;
  throw badValue("documents", `This model accepts at most ${most} documents per request.`);
}

const rankFields = ({ options }: RerankRequest): string[] | null =>
  Array.isArray(options.rank_fields) ? options.rank_fields.map(String) : null;

const placedDocuments = (documents: RerankRequest["documents"], request: RerankRequest): Placed[] => {
  const fields = rankFields(request);
  return documents.map((document, index) => ({ document, path: `documents[${index}]`, fields }));
};
const placedQuery = (document: RankedDocument): Placed => ({ document, path: "query", fields: null });

/** Query and documents in the form that the server accepts, under its member names. */
export function documentRows({ form, maxDocuments }: DocumentRules, queryPath = "query", documentsPath = "documents") {
  const formIn = ({ warnings }: Setting): DocumentForm => form(warnings.context);
  return {
    documents: {
      path: documentsPath,
      limit: (setting: Setting, documents: RerankRequest["documents"]) =>
        placedDocuments(documents, setting.request)
          .map((placed) => documentLoss(formIn(setting), placed))
          .find((loss) => loss !== undefined),
      render(documents: RerankRequest["documents"], setting: Setting): Json[] {
        refuseMany(documents.length, maxDocuments?.(setting.warnings.context.model));
        return placedDocuments(documents, setting.request).map((placed) => documentIn(formIn(setting), placed));
      },
    },
    query: {
      path: queryPath,
      limit: (setting: Setting, query: RankedDocument) => documentLoss(formIn(setting), placedQuery(query)),
      render: (query: RankedDocument, setting: Setting) => documentIn(formIn(setting), placedQuery(query)),
    },
    /** For servers that accept texts, the gateway selects the fields itself. */
    rank_fields: {
      path: "rank_fields",
      render(fields: Json, { request, warnings }: Setting): Json | undefined {
        if (form(warnings.context) === "any") return fields;
        if (request.documents.some((document) => typeof document !== "string"))
          warn(warnings, "emulated", "rank_fields");
        return undefined;
      },
    },
  };
}

/** The number of results, if it is not all of them. */
export const topAt = (path: string) => ({
  path,
  render: (top: number, { request }: Setting) => (top < request.documents.length ? top : undefined),
});

export const noOption = dropped("the format has no such option");
export const resultsCutHere = ignored("the gateway leaves the other results out itself");
export const documentsReturnedHere = ignored("the gateway returns the documents itself");

/** Options that a server does not have. */
export const noOptions = {
  max_chunks_per_doc: noOption,
  max_tokens_per_doc: noOption,
  overlap_tokens: noOption,
  instruction: noOption,
  truncation: noOption,
  priority: noOption,
} as const;
