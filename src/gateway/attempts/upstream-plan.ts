// What a plan is: the calls that one request becomes for one candidate, and the codec through which they and their replies go.
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { ListedVoice } from "../../canonical/speech.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { RenderContext, UpstreamDialect, UpstreamRequest } from "../../dialects/dialect.ts";
import type { DeclaredModel } from "../../dialects/shared/model-table.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { FanOutLimits, FanPart } from "../operations/chat.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Meter } from "../streaming/meter.ts";
import type { Transcoder } from "../streaming/transcoder.ts";

/** A call to a provider inside the process. */
export interface CanonicalCall {
  readonly request: OperationRequest;
}

/** A call as it goes to a provider: over HTTP, or inside the process. */
export type PlannedCall = UpstreamRequest | CanonicalCall;

export const isCanonical = (call: PlannedCall): call is CanonicalCall => "request" in call;

/** What one request becomes for one candidate. */
export interface EncodedRequest {
  /** One call, or several where one request asks for several replies, or for more items than one call takes. */
  readonly calls: readonly [PlannedCall, ...PlannedCall[]];
  /** What each call asks; empty where the request passes through. */
  readonly parts: readonly FanPart[];
  /** Stop texts that the gateway watches for itself. */
  readonly watched: readonly string[];
  readonly warnings: readonly Warning[];
}

/** How one request is answered by one candidate. */
export interface UpstreamPlan extends EncodedRequest {
  readonly codec: PlanCodec;
  /** What the upstream speaks. */
  readonly upstream: UpstreamDialect;
  /** The upstream's own name for the model. */
  readonly model: string;
  /** What the operator declared of the provider's models. */
  readonly declared?: readonly DeclaredModel[] | undefined;
  /** To speak: the request in a format that the upstream makes, where its reply is transcoded. */
  readonly spoken?: OperationRequest;
}

/** What a plan needs beyond the request. */
export interface PlanMeans {
  readonly limits: FanOutLimits;
  /** The voices of the candidate's account, where it lists them. */
  readonly listedVoices?: readonly ListedVoice[] | undefined;
  /** The gateway can transcode. */
  readonly transcodes?: boolean;
}

/** A reply as it came and as it was understood. `answer` is null where the bytes go on as they are. */
export interface ReadResponse {
  readonly bytes: Uint8Array;
  readonly body: JsonObject;
  readonly usage: Usage | undefined;
  readonly answer: OperationResponse | null;
  /** Content-Type of bytes that are no JSON. */
  readonly type?: string;
  /** The answer says more than the bytes, and is rendered in their place. */
  readonly changed?: true;
}

/** What goes to the client, and what the meter must know. */
export interface BufferedResponse {
  readonly body: Uint8Array | string;
  /** In place of a body where the request is for a value. */
  readonly json?: JsonObject;
  /** Content-Type, where it is no JSON. */
  readonly type?: string;
  readonly usage: Usage | undefined;
}

/** A reply whose bytes are JSON without an error. */
export interface JsonReply {
  readonly bytes: Uint8Array;
  /** Parsed; with exact numbers where the codec needs them. */
  readonly json: JsonObject | Json[];
}

/** Between a client and a candidate there are three ways: `passthrough`, `translate` and `inProcess`. Which one it is, is asked once, for the plan. */
export interface PlanCodec {
  /** Throws `unsupported_parameter` for what the candidate cannot be asked. */
  encodeRequest(
    gatewayRequest: GatewayRequest,
    upstream: UpstreamDialect,
    context: RenderContext,
    limits: FanOutLimits,
  ): EncodedRequest;
  /** A long reply of which nothing but its usage has to be read; null where it has to be parsed. */
  peekResponse?(bytes: Uint8Array, gatewayRequest: GatewayRequest): ReadResponse | null;
  /** Whether numbers of a reply are written anew, and have to keep their text. */
  needsExactNumbers(gatewayRequest: GatewayRequest): boolean;
  /** Throws `upstream_protocol_error` for a reply that is none. */
  decodeResponse(reply: JsonReply, plan: UpstreamPlan, gatewayRequest: GatewayRequest, origin: string): ReadResponse;
  /** A reply that is not JSON, understood as `response`. */
  decodeDocument(bytes: Uint8Array, type: string, response: OperationResponse): ReadResponse;
  /** The reply with usage that no provider reported; `response` is what it says. */
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
  /** Events of speech go to the client as they came. */
  readonly keepsSpeechEvents: boolean;
}
