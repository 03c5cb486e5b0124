// What all ranking dialects have in common, so that each says only how its own wire differs.
import type { RerankOption, RerankRequest, RerankResponse } from "../../canonical/rerank.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type {
  CompatibilityFlags,
  Dialect,
  ErrorCodec,
  Passthrough,
  RenderContext,
  RenderedRequest,
} from "../dialect.ts";
import { badValue } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { noClient } from "../shared/upstream-only.ts";
import { type Warnings, warn } from "../shared/warnings.ts";
import { type DocumentForm, documentIn } from "./documents.ts";
import { parseRequest, rerankSchema } from "./request.ts";
import { type ReadRanking, readAnswer, renderAnswer } from "./response.ts";

/** What a request says, each piece in the server's form. */
export interface RerankBody {
  readonly model: string;
  readonly query: Json;
  readonly documents: Json[];
  /** Absent: all. */
  readonly top: number | undefined;
  /** Under the server's own names. */
  readonly options: JsonObject;
}

export interface RerankCodec {
  readonly name: string;
  readonly path: string;
  form(model: string, options: CompatibilityFlags): DocumentForm;
  /** The options that the server knows, and its names for them; others are left out with a warning. */
  readonly knows: { readonly [option in RerankOption]?: string };
  /** The most documents that it ranks at once. */
  mostDocuments?(model: string): number;
  body(said: RerankBody): JsonObject;
  /** Throws `upstream_protocol_error` on what is no reply. */
  read(reply: Json): ReadRanking;
  readonly error?: ErrorCodec;
}

const fieldsOf = ({ options }: RerankRequest): string[] | null =>
  Array.isArray(options.rank_fields) ? options.rank_fields.map(String) : null;

/** Cutting a ranking up in silence would mix scores that do not compare. */
function refuseMany(request: RerankRequest, most: number | undefined): void {
  if (most === undefined || request.documents.length <= most) return;
  throw badValue("documents", `This model accepts at most ${most} documents per request.`);
}

function renderOptions(
  { knows }: RerankCodec,
  request: RerankRequest,
  form: DocumentForm,
  warnings: Warnings,
): JsonObject {
  const options: JsonObject = {};
  const isPicked = form !== "any" && request.documents.some((document) => typeof document !== "string");
  for (const [option, value] of Object.entries(request.options)) {
    const name = knows[option as RerankOption];
    if (option === "rank_fields" && form !== "any") {
      if (isPicked) warn(warnings, "emulated", option);
    } else if (name === undefined) warn(warnings, "dropped", option);
    else options[name] = value;
  }
  return options;
}

function render(ranker: RerankCodec, request: RerankRequest, context: RenderContext): RenderedRequest {
  refuseMany(request, ranker.mostDocuments?.(context.model));
  const form = ranker.form(context.model, context.options ?? {});
  const warnings: Warnings = { context, warnings: [] };
  const fields = fieldsOf(request);
  const said: RerankBody = {
    model: context.model,
    query: documentIn(form, { document: request.query, path: "query", fields: null }),
    documents: request.documents.map((document, index) =>
      documentIn(form, { document, path: `documents[${index}]`, fields }),
    ),
    top: request.top < request.documents.length ? request.top : undefined,
    options: renderOptions(ranker, request, form, warnings),
  };
  return { call: { path: ranker.path, body: omitUndefined(ranker.body(said)) }, warnings: warnings.warnings };
}

function dialectOf(
  ranker: RerankCodec,
  version: string,
  verbatim: Passthrough,
): Dialect<RerankRequest, RerankResponse> {
  return {
    name: ranker.name,
    operation: "rerank",
    request: {
      schema: rerankSchema,
      parse: parseRequest,
      render: (canonicalRequest, context) => render(ranker, canonicalRequest, context),
      fieldPath: (field) => field,
    },
    response: {
      parse: (wire, { request }) =>
        readAnswer(ranker.read(wire as Json), request?.operation === "rerank" ? request : undefined),
      render: (response, context) => renderAnswer(response, context, version),
    },
    passthrough: verbatim,
    error: ranker.error ?? openaiErrors,
  };
}

/** A dialect that only servers speak. */
export function upstreamRerank(ranker: RerankCodec): Dialect<RerankRequest, RerankResponse> {
  return dialectOf(ranker, "1", noClient);
}

/** What the rendering says anew of a wire, or says for nobody. */
const rewritten: ReadonlySet<string> = new Set(["top_n", "return_documents", "rank_fields"]);

/** A dialect that clients speak too. The normal form is made of every reply; what else it tells travels on. */
export function clientRerank(ranker: RerankCodec, version: string): Dialect<RerankRequest, RerankResponse> {
  return dialectOf(ranker, version, {
    render(wire, context) {
      const { path, body } = render(ranker, parseRequest(wire), context).call;
      const kept = Object.entries(wire).filter(([name, value]) => !rewritten.has(name) && !isAbsent(value));
      return { path, body: { ...Object.fromEntries(kept), ...body } };
    },
    normalize(reply, _wire, context) {
      if (context === undefined) return reply;
      const response = readAnswer(ranker.read(reply), context.request as RerankRequest);
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
  });
}
