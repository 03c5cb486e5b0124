// What embedding dialects of upstreams have in common: an ask without what the wire cannot say, and notes of that.
import type { EmbeddingRequest } from "../../canonical/embedding.ts";
import type { FieldName } from "../../canonical/request-field.ts";
import { type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Passthrough, RenderContext, RenderedRequest, UpstreamRequest } from "../dialect.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";

type Unsaid = "dimensions" | "purpose" | "title" | "endUser";

/** A call made of what `body` says; the fields that it cannot say are noted where the ask has them. */
export function renderedAs(
  path: string,
  request: EmbeddingRequest,
  context: RenderContext,
  unsaid: readonly Unsaid[],
  body: (warnings: Warnings) => JsonObject,
): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  for (const field of unsaid) if (request[field] !== undefined) warnField(warnings, "dropped", field);
  return { call: { path, body: omitUndefined(body(warnings)) }, warnings: warnings.warnings };
}

/** The members of every ask that say nothing of the input. */
export const bare = { operation: "embed", stream: false } as const;

/** A number on the wire as the ask's dimensions. */
export function readDimensions(value: unknown): { dimensions?: number } {
  return typeof value === "number" ? { dimensions: value } : {};
}

/** The verbatim lane of a wire that names the model in its body. */
export function bodyLane(path: string): Passthrough {
  return { render: (wire, context): UpstreamRequest => ({ path, body: { ...wire, model: context.model } }) };
}

/** Where canon's fields stand, for wires that call a few of them otherwise. */
export function pathsWith(paths: { readonly [field in FieldName]?: string }): (field: FieldName) => string {
  return (field) => paths[field] ?? field;
}
