// An ask of more items than an upstream takes in one call: cut into consecutive parts, and their answers as one.
import { type EmbedAnswer, type EmbedAsk, type EmbedInput, itemsOf } from "../../canonical/embedding.ts";
import { imagesWanted } from "../../canonical/image.ts";
import type { Ask } from "../../canonical/operation.ts";
import type { Dialect, RenderContext } from "../../dialects/dialect.ts";
import { badReply } from "../../dialects/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import { sumUsage } from "../streaming/stop-sequences.ts";
import { drawnApart } from "./image-transfer.ts";
import { judgedApart } from "./moderation-batches.ts";

function part(input: EmbedInput, from: number, to: number): EmbedInput {
  return input.kind === "texts"
    ? { kind: "texts", texts: input.texts.slice(from, to) }
    : { kind: "tokens", tokens: input.tokens.slice(from, to) };
}

const most = (upstream: Dialect, context: RenderContext): number =>
  upstream.request.mostItems?.(context) ?? Number.POSITIVE_INFINITY;

/** The asks that this upstream is asked for one ask, in the order of their items. */
export function batchesOf(ask: Ask, upstream: Dialect, context: RenderContext): readonly Ask[] {
  const size = most(upstream, context);
  if (ask.operation === "moderate") return judgedApart(ask, size);
  if (ask.operation === "image") return drawnApart(ask, size);
  if (ask.operation !== "embed" || itemsOf(ask) <= size) return [ask];
  const starts = Array.from({ length: Math.ceil(itemsOf(ask) / size) }, (_, index) => index * size);
  return starts.map((from): EmbedAsk => ({ ...ask, input: part(ask.input, from, from + size) }));
}

/** How many items an ask wants that can be asked for in parts. A stream is not cut. */
function wanted(ask: Ask): number {
  if (ask.operation === "image") return ask.stream ? 1 : imagesWanted(ask);
  return ask.operation === "embed" ? itemsOf(ask) : 1;
}

/** The client's own wires for an upstream that takes fewer items than the client sent. */
export function wiresOf({ wire, ask }: Inquiry, upstream: Dialect, context: RenderContext): readonly JsonObject[] {
  const size = most(upstream, context);
  if (wanted(ask) <= size) return [wire];
  return upstream.verbatim.divide?.(wire, size) ?? [wire];
}

/** Consecutive answers as one; what was not told of one part is not known of the whole. */
export function joinVectors(answers: readonly EmbedAnswer[]): EmbedAnswer {
  const usage = sumUsage(answers.map((answer) => answer.usage));
  return {
    operation: "embed",
    model: answers[0]?.model ?? "",
    vectors: answers.flatMap((answer) => answer.vectors),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** A vector too few, and all that follow would stand beside the wrong text. Throws `upstream_protocol_error`. */
export function checkCount(answer: EmbedAnswer, ask: EmbedAsk): void {
  const [given, asked] = [answer.vectors.length, itemsOf(ask)];
  if (given !== asked) throw badReply(`it holds ${given} embeddings where ${asked} were asked for`);
}
