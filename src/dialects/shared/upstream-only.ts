// Formats that only upstreams use.
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Passthrough, RenderContext, RenderedRequest, UpstreamDialect } from "../dialect.ts";
import type { FieldTable, RenderSetting, UntypedTable } from "../field-table.ts";
import { fieldRenderer } from "../render-fields.ts";
import { newWarnings } from "./warnings.ts";

/** For formats that are not yet told apart into halves. */
export const noClient: Passthrough = {
  render() {
    throw new GatewayError("internal_error", "Clients cannot use this format.");
  },
};

/** The parts of a format that only upstreams use. */
export interface UpstreamFormat<A extends OperationRequest, R extends OperationResponse>
  extends Omit<UpstreamDialect<A, R>, "request"> {
  /** A row for every field of the operation. */
  readonly fields: UntypedTable;
  readonly request: Omit<UpstreamDialect<A, R>["request"], "fields">;
}

/** A dialect without a client half. */
export function upstreamOnly<A extends OperationRequest, R extends OperationResponse>({
  fields,
  request,
  ...rest
}: UpstreamFormat<A, R>): UpstreamDialect<A, R> {
  return { ...rest, request: { ...request, fields } };
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
