// The contract of a plan: the calls of one request to one candidate, and the codec for them and their replies.
import type { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { ListedVoice } from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { RenderContext, UpstreamDialect, UpstreamRequest } from "../../dialects/dialect.ts";
import type { DeclaredModel } from "../../dialects/shared/model-table.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { FanOutLimits, FanPart } from "../operations/chat.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Meter } from "../streaming/meter.ts";
import type { Transcoder } from "../streaming/transcoder.ts";

/** A call to an in-process provider. */
export interface CanonicalCall {
  readonly request: OperationRequest;
}

/** A call to a provider, over HTTP or in-process. */
export type PlannedCall = UpstreamRequest | CanonicalCall;

export const isCanonical = (call: PlannedCall): call is CanonicalCall => "request" in call;

/** One request for one candidate. */
interface EncodedRequest {
  /** One call, or several if the request needs several replies, or has more items than one call allows. */
  readonly calls: readonly [PlannedCall, ...PlannedCall[]];
  /** The part of the request in each call; empty for passthrough. */
  readonly parts: readonly FanPart[];
  /** Stop sequences that the gateway applies itself. */
  readonly watched: readonly string[];
  readonly warnings: readonly Warning[];
}

/** How one candidate answers one request. */
export interface UpstreamPlan extends EncodedRequest {
  readonly codec: PlanCodec;
  /** The upstream's dialect. */
  readonly upstream: UpstreamDialect;
  /** The upstream's own name for the model. */
  readonly model: string;
  /** What the operator declared about the provider's models. */
  readonly declared?: readonly DeclaredModel[] | undefined;
  /** For speech: the request in a format that the upstream supports, if its reply is transcoded. */
  readonly spoken?: OperationRequest;
}

/** What a plan depends on in addition to the request. */
export interface PlanMeans {
  readonly limits: FanOutLimits;
  /** The voices of the candidate's account, if it lists them. */
  readonly listedVoices?: readonly ListedVoice[] | undefined;
  /** Whether the gateway can transcode. */
  readonly transcodes?: boolean;
}

/** One way to a candidate: a dialect, and the request for it. */
export interface Way {
  readonly upstream: UpstreamDialect;
  readonly gatewayRequest: GatewayRequest;
}

/** The plan for one candidate in one dialect, or the reason why there is none. */
export type MakePlan = (
  gatewayRequest: GatewayRequest,
  candidate: Candidate,
  upstream: UpstreamDialect,
  means: PlanMeans,
) => UpstreamPlan | GatewayError;

/** A reply as bytes and in canonical form. `answer` is null if the bytes are forwarded unchanged. */
export interface ReadResponse {
  readonly bytes: Uint8Array;
  readonly body: JsonObject;
  readonly usage: Usage | undefined;
  readonly answer: OperationResponse | null;
  /** Content-Type of bytes other than JSON. */
  readonly type?: string;
  /** The canonical reply differs from the bytes, and is rendered in their place. */
  readonly changed?: true;
}

/** What is sent to the client, and what the meter needs. */
export interface BufferedResponse {
  readonly body: Uint8Array | string;
  /** In place of a body if the request is for a value. */
  readonly json?: JsonObject;
  /** Content-Type, if it is not JSON. */
  readonly type?: string;
  readonly usage: Usage | undefined;
}

/** A reply with JSON bytes and without an error. */
interface JsonReply {
  readonly bytes: Uint8Array;
  /** Parsed, with exact numbers if the codec needs them. */
  readonly json: JsonObject | Json[];
}

/**
 * The three ways between a client and a candidate: `passthrough`, `translate` and `inProcess`. The choice is made
 * once, for the plan.
 */
export interface PlanCodec {
  /** Throws `unsupported_parameter` for what the candidate does not support. */
  encodeRequest(
    gatewayRequest: GatewayRequest,
    upstream: UpstreamDialect,
    context: RenderContext,
    limits: FanOutLimits,
  ): EncodedRequest;
  /** A long reply of which nothing but its usage has to be read; null where it has to be parsed. */
  peekResponse?(bytes: Uint8Array, gatewayRequest: GatewayRequest): ReadResponse | null;
  /** Whether numbers of a reply are written again, and must keep their source text. */
  needsExactNumbers(gatewayRequest: GatewayRequest): boolean;
  /** Throws `upstream_protocol_error` for an invalid reply. */
  decodeResponse(reply: JsonReply, plan: UpstreamPlan, gatewayRequest: GatewayRequest, origin: string): ReadResponse;
  /** A reply that is not JSON, parsed as `response`. */
  decodeDocument(bytes: Uint8Array, type: string, response: OperationResponse): ReadResponse;
  /** The reply with usage that the provider did not report; `response` is its canonical form. */
  withUsage(
    read: ReadResponse,
    usage: Usage,
    gatewayRequest: GatewayRequest,
    response: OperationResponse,
  ): ReadResponse;
  /** The reply to the only call of a plan, for the client. */
  encodeResponse(
    read: ReadResponse,
    plan: UpstreamPlan,
    gatewayRequest: GatewayRequest,
  ): BufferedResponse | Promise<BufferedResponse>;
  /** Throws `internal_error` for an operation that does not stream. */
  transcodeStream(plan: UpstreamPlan, gatewayRequest: GatewayRequest, meter: Meter, origin: string): Transcoder;
  /** Speech events are forwarded to the client as they came. */
  readonly keepsSpeechEvents: boolean;
}
