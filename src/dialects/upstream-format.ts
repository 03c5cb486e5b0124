// Formats of upstreams only: a field table, the path of a request, and how its reply is read.
import type { Operation, OperationRequest, OperationResponse } from "../canonical/operation.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ReadContext, RenderContext, UpstreamDialect, UpstreamRequest } from "./dialect.ts";
import type { FieldTable } from "./field-table.ts";
import { callRenderer, type RequestFrame, renderer } from "./render-fields.ts";

interface Codec<A, R> {
  readonly name: string;
  /** A row for every field of the operation. */
  readonly fields: FieldTable<A>;
  /** Maximum items per call; absent: any number. */
  readonly maxItems?: number | ((context: RenderContext) => number);
  /** Throws the error that a body contains instead of a reply, or `upstream_protocol_error`. */
  parse(wire: unknown, context: ReadContext): R;
  readonly error: UpstreamDialect["error"];
}

/** A request is a JSON body in a frame, or what `call` builds from the rendered members. */
export type UpstreamFormat<A, R> = Codec<A, R> &
  (RequestFrame<A> | { call(fields: JsonObject, request: A, context: RenderContext): UpstreamRequest });

/** Makes dialects for upstreams of one operation. */
export const upstreamsOf =
  <A extends OperationRequest, R extends OperationResponse>(operation: Operation) =>
  ({ name, fields, maxItems, parse, error, ...rest }: UpstreamFormat<A, R>): UpstreamDialect<A, R> => ({
    name,
    operation,
    request: {
      fields,
      render: "call" in rest ? callRenderer(fields, rest.call) : renderer(fields, rest),
      ...(maxItems === undefined ? {} : { maxItems: typeof maxItems === "number" ? () => maxItems : maxItems }),
    },
    response: { parse },
    error,
  });
