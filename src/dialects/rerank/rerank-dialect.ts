// What all ranking dialects have in common, so that each says only how its own wire differs.
import type { RerankAnswer, RerankAsk, RerankOption } from "../../canonical/rerank.ts";
import { compact, isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Dialect, DialectOptions, ErrorSide, RenderContext, Rendered, VerbatimSide } from "../dialect.ts";
import { badValue } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { noClient } from "../shared/upstream-only.ts";
import { type Notes, note } from "../shared/warnings.ts";
import { type DocumentForm, documentIn } from "./documents.ts";
import { parseRequest, rerankSchema } from "./request.ts";
import { type ReadRanking, readAnswer, renderAnswer } from "./response.ts";

/** What a request says, each piece in the server's form. */
export interface Said {
  readonly model: string;
  readonly query: Json;
  readonly documents: Json[];
  /** Absent: all. */
  readonly top: number | undefined;
  /** Under the server's own names. */
  readonly options: JsonObject;
}

export interface Ranker {
  readonly name: string;
  readonly path: string;
  form(model: string, options: DialectOptions): DocumentForm;
  /** The options that the server knows, and its names for them; others are left out with a warning. */
  readonly knows: { readonly [option in RerankOption]?: string };
  /** The most documents that it ranks at once. */
  mostDocuments?(model: string): number;
  body(said: Said): JsonObject;
  /** Throws `upstream_protocol_error` on what is no reply. */
  read(reply: Json): ReadRanking;
  readonly error?: ErrorSide;
}

const fieldsOf = ({ options }: RerankAsk): string[] | null =>
  Array.isArray(options.rank_fields) ? options.rank_fields.map(String) : null;

/** Cutting a ranking up in silence would mix scores that do not compare. */
function refuseMany(ask: RerankAsk, most: number | undefined): void {
  if (most === undefined || ask.documents.length <= most) return;
  throw badValue("documents", `This model ranks at most ${most} documents at once.`);
}

function renderOptions({ knows }: Ranker, ask: RerankAsk, form: DocumentForm, notes: Notes): JsonObject {
  const options: JsonObject = {};
  const isPicked = form !== "any" && ask.documents.some((document) => typeof document !== "string");
  for (const [option, value] of Object.entries(ask.options)) {
    const name = knows[option as RerankOption];
    if (option === "rank_fields" && form !== "any") {
      if (isPicked) note(notes, "emulated", option);
    } else if (name === undefined) note(notes, "dropped", option);
    else options[name] = value;
  }
  return options;
}

function render(ranker: Ranker, ask: RerankAsk, context: RenderContext): Rendered {
  refuseMany(ask, ranker.mostDocuments?.(context.model));
  const form = ranker.form(context.model, context.options ?? {});
  const notes: Notes = { context, warnings: [] };
  const fields = fieldsOf(ask);
  const said: Said = {
    model: context.model,
    query: documentIn(form, { document: ask.query, path: "query", fields: null }),
    documents: ask.documents.map((document, index) =>
      documentIn(form, { document, path: `documents[${index}]`, fields }),
    ),
    top: ask.top < ask.documents.length ? ask.top : undefined,
    options: renderOptions(ranker, ask, form, notes),
  };
  return { call: { path: ranker.path, body: compact(ranker.body(said)) }, warnings: notes.warnings };
}

function dialectOf(ranker: Ranker, version: string, verbatim: VerbatimSide): Dialect<RerankAsk, RerankAnswer> {
  return {
    name: ranker.name,
    operation: "rerank",
    request: {
      schema: rerankSchema,
      parse: parseRequest,
      render: (ask, context) => render(ranker, ask, context),
      fieldPath: (field) => field,
    },
    response: {
      parse: (wire, { ask }) => readAnswer(ranker.read(wire as Json), ask?.operation === "rerank" ? ask : undefined),
      render: (answer, context) => renderAnswer(answer, context, version),
    },
    verbatim,
    error: ranker.error ?? openaiErrors,
  };
}

/** A dialect that only servers speak. */
export function serverRanker(ranker: Ranker): Dialect<RerankAsk, RerankAnswer> {
  return dialectOf(ranker, "1", noClient);
}

/** What the rendering says anew of a wire, or says for nobody. */
const rewritten: ReadonlySet<string> = new Set(["top_n", "return_documents", "rank_fields"]);

/** A dialect that clients speak too. The normal form is made of every reply; what else it tells travels on. */
export function clientRanker(ranker: Ranker, version: string): Dialect<RerankAsk, RerankAnswer> {
  return dialectOf(ranker, version, {
    call(wire, context) {
      const { path, body } = render(ranker, parseRequest(wire), context).call;
      const kept = Object.entries(wire).filter(([name, value]) => !rewritten.has(name) && !isAbsent(value));
      return { path, body: { ...Object.fromEntries(kept), ...body } };
    },
    mend(reply, _wire, context) {
      if (context === undefined) return reply;
      const answer = readAnswer(ranker.read(reply), context.ask as RerankAsk);
      const normal = renderAnswer(answer, context, version);
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
