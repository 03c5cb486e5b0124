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
 * The upstream half of a wire format for one operation: requests are rendered in it, and replies are read. Methods, not
 * function members, so that formats of different operations fit one table; an endpoint and its candidates share the
 * operation.
 */
export interface UpstreamDialect<
  A extends OperationRequest = OperationRequest,
  R extends OperationResponse = OperationResponse,
> {
  readonly name: string;
  readonly operation: Operation;
  readonly request: UpstreamRequestCodec<A>;
  readonly response: {
    /** Throws `upstream_protocol_error` on anything that is not a response. */
    parse(wire: unknown, context: ReadContext): R;
  };
  readonly textFormats?: Pick<TextFormatCodec<R>, "parse">;
  readonly stream?: Pick<StreamCodec, "reader">;
  readonly audio?: Pick<AudioCodec, "formats" | "reader">;
  readonly error: Pick<ErrorCodec, "parse">;
}

/** How upstreams are asked. */
interface UpstreamRequestCodec<A extends OperationRequest> {
  /** A row for each canonical field of the operation. */
  readonly fields?: UntypedTable;
  render(ask: A, context: RenderContext): RenderedRequest;
  /** True where an upstream takes several choices in one request; elsewhere the gateway asks several times. */
  readonly supportsChoices?: boolean;
  /** How many items an upstream takes in one call; for more, the gateway asks several times. Absent: any number. */
  maxItems?(context: RenderContext): number;
  /** True where an upstream takes no addresses of images: the gateway sends what they lead to. */
  readonly needsInlineImages?: boolean;
  /** Which stop sequences an upstream takes; the gateway watches for the others by itself. Absent: all. */
  readonly stops?: { readonly most: number; takes(sequence: string): boolean };
}

/** How clients ask. */
interface ClientRequestCodec<A extends OperationRequest> {
  /** Strict in types and bounds, open to unknown fields. */
  readonly schema: TSchema;
  parse(wire: JsonObject, envelope: RequestMeta): A;
  /** What every request is asked for, where it is plain enough to be read without a parse; null or absent: it is parsed. */
  outline?(wire: JsonObject, envelope: RequestMeta): RequestOutline | null;
  /**
   * One wire that asks for several independent replies, as wires that each ask for one; absent where that cannot be.
   * The gateway asks for all of them and numbers the choices in this order.
   */
  split?(wire: JsonObject): readonly JsonObject[];
  /** Where a canonical field is on this wire. */
  fieldPath(field: FieldName): string;
}

/** A wire format that clients use as well: both halves, and what goes through unchanged from one to the other. */
export interface Dialect<A extends OperationRequest = OperationRequest, R extends OperationResponse = OperationResponse>
  extends UpstreamDialect<A, R> {
  /** A further endpoint of that dialect: an upstream that has it is asked there first, and its bytes are passed on. */
  readonly variantOf?: Dialect;
  readonly request: UpstreamRequestCodec<A> & ClientRequestCodec<A>;
  readonly response: UpstreamDialect<A, R>["response"] & { render(answer: R, context: WriteContext): JsonObject };
  readonly textFormats?: TextFormatCodec<R>;
  readonly stream?: StreamCodec;
  readonly audio?: AudioCodec;
  readonly passthrough: Passthrough;
  readonly error: ErrorCodec;
}
