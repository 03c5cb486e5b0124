// The contract of a dialect: pure, synchronous functions between one wire language and canon, facing both ways.
import type { TSchema } from "typebox";
import type { Operation, OperationRequest, OperationResponse } from "../canonical/operation.ts";
import type { FieldName } from "../canonical/request-field.ts";
import type { JsonObject } from "../lib/json.ts";
import type { AudioCodec, ErrorCodec, Passthrough, StreamCodec, TextFormatCodec } from "./codec-contracts.ts";
import type { ReadContext, RenderContext, RequestMeta, WriteContext } from "./context.ts";
import type { UntypedTable } from "./field-table.ts";
import type { RequestOutline } from "./request-outline.ts";
import type { RenderedRequest } from "./upstream-request.ts";

export type * from "./codec-contracts.ts";
export type * from "./compatibility-flags.ts";
export type * from "./context.ts";
export type * from "./upstream-request.ts";

/**
 * One wire language for one operation. Methods, not function members, so that dialects of different operations fit one
 * table; the corridor never mixes them because an endpoint and its candidates share the operation.
 */
export interface Dialect<
  A extends OperationRequest = OperationRequest,
  R extends OperationResponse = OperationResponse,
> {
  readonly name: string;
  readonly operation: Operation;
  /** A further endpoint of that dialect: whoever speaks it is asked there first, in the verbatim lane. */
  readonly variantOf?: Dialect;
  readonly request: {
    /** A row for each canonical field of the operation. */
    readonly fields?: UntypedTable;
    /** Strict in types and bounds, open to unknown fields. */
    readonly schema: TSchema;
    parse(wire: JsonObject, envelope: RequestMeta): A;
    /** What every request is asked for, where it is plain enough to be read without a parse; null or absent: it is parsed. */
    outline?(wire: JsonObject, envelope: RequestMeta): RequestOutline | null;
    /**
     * One wire that asks for several independent replies, as wires that each ask for one; absent where that cannot
     * be. The corridor asks them all and numbers the choices in this order.
     */
    split?(wire: JsonObject): readonly JsonObject[];
    render(ask: A, context: RenderContext): RenderedRequest;
    /** True where an upstream of this dialect takes several choices in one request; elsewhere the corridor asks several times. */
    readonly supportsChoices?: boolean;
    /** How many items an upstream of this dialect takes in one call; for more, the corridor asks several times. Absent: any number. */
    maxItems?(context: RenderContext): number;
    /** True where an upstream of this dialect takes no addresses of images: the corridor brings what lies behind them. */
    readonly needsInlineImages?: boolean;
    /** Which stop texts an upstream of this dialect takes; the corridor watches for the others by itself. Absent: all. */
    readonly stops?: { readonly most: number; takes(sequence: string): boolean };
    /** Where a canonical field stands on this wire. */
    fieldPath(field: FieldName): string;
  };
  readonly response: {
    /** Throws `upstream_protocol_error` on anything that is no reply. */
    parse(wire: unknown, context: ReadContext): R;
    render(answer: R, context: WriteContext): JsonObject;
  };
  readonly textFormats?: TextFormatCodec<R>;
  readonly stream?: StreamCodec;
  readonly audio?: AudioCodec;
  readonly passthrough: Passthrough;
  readonly error: ErrorCodec;
}
