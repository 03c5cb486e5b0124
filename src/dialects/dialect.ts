// The contract of a dialect: pure, synchronous functions between one wire format and the canonical model.
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
 * The upstream half of a wire format for one operation: renders requests and reads replies. Methods, not function
 * members, so that formats of different operations fit one table; an endpoint and its candidates share the operation.
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

/** How requests for upstreams are rendered. */
interface UpstreamRequestCodec<A extends OperationRequest> {
  /** A row for each canonical field of the operation. */
  readonly fields?: UntypedTable;
  render(ask: A, context: RenderContext): RenderedRequest;
  /** True where upstreams accept several choices in one request. Elsewhere the gateway sends several requests. */
  readonly supportsChoices?: boolean;
  /** Maximum items per call; for more, the gateway sends several requests. Absent: any number. */
  maxItems?(context: RenderContext): number;
  /** True where upstreams do not accept image URLs: the gateway downloads them and sends the bytes. */
  readonly needsInlineImages?: boolean;
  /** The stop sequences that upstreams accept. The gateway applies the others itself. Absent: all. */
  readonly stops?: { readonly most: number; takes(sequence: string): boolean };
}

/** How requests of clients are parsed. */
interface ClientRequestCodec<A extends OperationRequest> {
  /** Strict in types and bounds, open to unknown fields. */
  readonly schema: TSchema;
  parse(wire: JsonObject, envelope: RequestMeta): A;
  /**
   * The fields that every request needs, for bodies that are simple enough to be read without parsing; null or absent:
   * the body is parsed.
   */
  outline?(wire: JsonObject, envelope: RequestMeta): RequestOutline | null;
  /**
   * Splits a wire for several independent replies into wires for one each; absent where that is impossible. The
   * gateway sends all of them and numbers the choices in this order.
   */
  split?(wire: JsonObject): readonly JsonObject[];
  /** The path of a canonical field on this wire. */
  fieldPath(field: FieldName): string;
}

/** A wire format that clients use as well: both halves, and passthrough between them. */
export interface Dialect<A extends OperationRequest = OperationRequest, R extends OperationResponse = OperationResponse>
  extends UpstreamDialect<A, R> {
  /**
   * The dialect of which this is a second endpoint: upstreams that have it are called there first, and the bytes are
   * passed through.
   */
  readonly variantOf?: Dialect;
  readonly request: UpstreamRequestCodec<A> & ClientRequestCodec<A>;
  readonly response: UpstreamDialect<A, R>["response"] & { render(answer: R, context: WriteContext): JsonObject };
  readonly textFormats?: TextFormatCodec<R>;
  readonly stream?: StreamCodec;
  readonly audio?: AudioCodec;
  readonly passthrough: Passthrough;
  readonly error: ErrorCodec;
}
