// What embedding dialects of upstreams have in common: an ask without what the wire cannot say, and notes of that.
import type { EmbedAsk } from "../../canonical/embedding.ts";
import type { FieldName } from "../../canonical/warning.ts";
import { compact, type JsonObject } from "../../lib/json.ts";
import type { Call, RenderContext, Rendered, VerbatimSide } from "../dialect.ts";
import { type Notes, noteField } from "../shared/warnings.ts";

type Unsaid = "dimensions" | "purpose" | "title" | "endUser";

/** A call made of what `body` says; the fields that it cannot say are noted where the ask has them. */
export function renderedAs(
  path: string,
  ask: EmbedAsk,
  context: RenderContext,
  unsaid: readonly Unsaid[],
  body: (notes: Notes) => JsonObject,
): Rendered {
  const notes: Notes = { context, warnings: [] };
  for (const field of unsaid) if (ask[field] !== undefined) noteField(notes, "dropped", field);
  return { call: { path, body: compact(body(notes)) }, warnings: notes.warnings };
}

/** The members of every ask that say nothing of the input. */
export const bare = { operation: "embed", stream: false } as const;

/** A number on the wire as the ask's dimensions. */
export function readDimensions(value: unknown): { dimensions?: number } {
  return typeof value === "number" ? { dimensions: value } : {};
}

/** The verbatim lane of a wire that names the model in its body. */
export function bodyLane(path: string): VerbatimSide {
  return { call: (wire, context): Call => ({ path, body: { ...wire, model: context.model } }) };
}

/** Where canon's fields stand, for wires that call a few of them otherwise. */
export function pathsWith(paths: { readonly [field in FieldName]?: string }): (field: FieldName) => string {
  return (field) => paths[field] ?? field;
}
