// The rerank formats of clients: Cohere's version 2, and its version 1 as Jina and compatible servers use it.
import type { RerankRequest } from "../../canonical/rerank.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { fieldPaths } from "../field-table.ts";
import { renderer } from "../render-fields.ts";
import { isAbsent } from "../shared/json-accessors.ts";
import { cohereErrors } from "../vendor-errors.ts";
import {
  clientHalves,
  clientRequest,
  documentRows,
  documentsReturnedHere,
  noOption,
  type RerankDialect,
  type RerankTable,
  topAt,
} from "./fields.ts";
import { readAnswer, readFlat, renderAnswer } from "./response.ts";

/** Members that the rendering replaces or leaves out. */
const rewritten: ReadonlySet<string> = new Set(["top_n", "return_documents", "rank_fields"]);

const top = { ...clientHalves.top, ...topAt("top_n") };
const returnDocuments = { ...clientHalves.returnDocuments, path: "return_documents" };
const lost = { limit: () => noOption };

const cohereRows = documentRows({ form: () => "text" });
const cohereFields: RerankTable = {
  documents: { ...clientHalves.documents, ...cohereRows.documents },
  query: { ...clientHalves.query, ...cohereRows.query },
  top,
  returnDocuments: { ...returnDocuments, limit: () => documentsReturnedHere },
  rank_fields: { ...clientHalves.rank_fields, ...cohereRows.rank_fields },
  max_chunks_per_doc: { ...clientHalves.max_chunks_per_doc, ...lost },
  max_tokens_per_doc: clientHalves.max_tokens_per_doc,
  overlap_tokens: { ...clientHalves.overlap_tokens, ...lost },
  instruction: { ...clientHalves.instruction, ...lost },
  truncation: { ...clientHalves.truncation, ...lost },
  priority: clientHalves.priority,
};

const plainRows = documentRows({ form: ({ options }) => options?.ranks ?? "text" });
const plainFields: RerankTable = {
  ...clientHalves,
  documents: { ...clientHalves.documents, ...plainRows.documents },
  query: { ...clientHalves.query, ...plainRows.query },
  top,
  // Some servers return the documents by default.
  returnDocuments: { ...returnDocuments, renderMembers: () => ({ return_documents: false }) },
  rank_fields: { ...clientHalves.rank_fields, ...plainRows.rank_fields },
};

interface Version {
  readonly name: string;
  readonly path: string;
  /** The version in replies. */
  readonly version: string;
}

/** Every reply gets the normalized form; its other members are passed on. */
function clientRerank({ name, path, version }: Version, fields: RerankTable): RerankDialect {
  const render = renderer(fields, { path: () => path, members: ({ model }) => ({ model }) });
  const { schema, parse } = clientRequest(fields);
  return {
    name,
    operation: "rerank",
    request: { fields, schema, parse, render, fieldPath: fieldPaths(fields) },
    response: {
      parse: (wire, { request }) =>
        readAnswer(readFlat(wire as Json), request?.operation === "rerank" ? request : undefined),
      render: (response, context) => renderAnswer(response, context, version),
    },
    passthrough: {
      render(wire, context) {
        const { body } = render(parse(wire), context).call;
        const passed = Object.entries(wire).filter(([member, value]) => !rewritten.has(member) && !isAbsent(value));
        return { path, body: { ...Object.fromEntries(passed), ...body } };
      },
      normalize(reply, _wire, context) {
        if (context === undefined) return reply;
        const response = readAnswer(readFlat(reply), context.request as RerankRequest);
        const normal = renderAnswer(response, context, version);
        const meta = isObject(reply.meta) ? reply.meta : {};
        const usage = isObject(reply.usage) ? reply.usage : {};
        return {
          ...reply,
          ...normal,
          meta: { ...meta, ...(normal.meta as JsonObject) },
          usage: { ...usage, ...(normal.usage as JsonObject) },
        };
      },
    },
    error: cohereErrors,
  };
}

export const cohereRerank = clientRerank({ name: "cohere-rerank", path: "v2/rerank", version: "2" }, cohereFields);
export const plainRerank = clientRerank({ name: "rerank", path: "rerank", version: "1" }, plainFields);
