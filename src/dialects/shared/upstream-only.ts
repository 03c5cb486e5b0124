// Formats that only servers speak: what a client would need of them is refused in one place.
import { Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Dialect, Passthrough, RenderContext, RenderedRequest } from "../dialect.ts";
import { type FieldTable, fieldPaths, type RenderSetting, type UntypedTable } from "../field-table.ts";
import { fieldRenderer } from "../render-fields.ts";
import { newWarnings } from "./warnings.ts";

function refuse(): never {
  throw new GatewayError("internal_error", "Clients cannot use this format.");
}

export const noClient: Passthrough = { render: refuse };

/** The halves of a format that concern servers. */
export interface UpstreamFormat<A extends OperationRequest, R extends OperationResponse>
  extends Omit<Dialect<A, R>, "request" | "response" | "passthrough"> {
  /** A row for every field of the operation. */
  readonly fields: UntypedTable;
  readonly request: Omit<Dialect<A, R>["request"], "schema" | "parse" | "fieldPath" | "fields">;
  readonly response: Pick<Dialect<A, R>["response"], "parse">;
}

/** A dialect without a client half. */
export function upstreamOnly<A extends OperationRequest, R extends OperationResponse>({
  fields,
  request,
  response,
  ...rest
}: UpstreamFormat<A, R>): Dialect<A, R> {
  return {
    ...rest,
    request: { ...request, fields, schema: Type.Never(), parse: refuse, fieldPath: fieldPaths(fields) },
    response: { ...response, render: refuse },
    passthrough: noClient,
  };
}

/** Where a request goes, and what of its body no field says. */
export interface RequestFrame<R> {
  path(context: RenderContext, request: R): string;
  members?(context: RenderContext, request: R): JsonObject;
}

/** Renders a request by a table of fields. */
export function renderer<R extends OperationRequest>(
  table: FieldTable<R>,
  { path, members }: RequestFrame<R>,
): (request: R, context: RenderContext) => RenderedRequest {
  const renderFields = fieldRenderer<R, RenderSetting<R>>(table);
  return (request, context) => {
    const warnings = newWarnings(context);
    const fields = renderFields({ request, warnings });
    const body = { ...members?.(context, request), ...fields };
    return { call: { path: path(context, request), body }, warnings: warnings.warnings };
  };
}
