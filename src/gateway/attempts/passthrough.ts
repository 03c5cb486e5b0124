// Passthrough: client and upstream use one dialect; the client's own body is forwarded with another model, and the
// reply's bytes are returned.
import type { PassthroughRequest, RenderContext, UpstreamDialect } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../lib/json.ts";
import { itemCount, maxItems } from "../operations/index.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { checkedAnswer, exactBody, rendered } from "../streaming/buffered-response.ts";
import { passthroughStream } from "../streaming/passthrough-stream.ts";
import type { PlanCodec } from "./upstream-plan.ts";

const encoder = new TextEncoder();

/** The body of a reply that was not parsed. */
const unread: JsonObject = {};

/** The client's own wire, split for an upstream that accepts fewer items. */
function wiresOf(asked: GatewayRequest, upstream: UpstreamDialect, context: RenderContext): readonly JsonObject[] {
  const { wire } = asked;
  if (asked.dialect.passthrough.splitBatch === undefined) return [wire];
  const most = maxItems(upstream, context);
  return itemCount(asked.request) <= most ? [wire] : asked.dialect.passthrough.splitBatch(wire, most);
}

export const passthrough: PlanCodec = {
  encodeRequest(gatewayRequest, upstream, context) {
    const { source, adjustments = [], dialect, envelope } = gatewayRequest;
    const call = (wire: JsonObject): PassthroughRequest => {
      const rendered = dialect.passthrough.render(wire, context, envelope);
      return source === undefined ? rendered : { ...rendered, source };
    };
    const [first = gatewayRequest.wire, ...others] = wiresOf(gatewayRequest, upstream, context);
    const calls = [call(first), ...others.map(call)] as const;
    return { calls, parts: [], watched: [], warnings: [...adjustments, ...(calls[0].warnings ?? [])] };
  },
  peekResponse(bytes, { dialect, outline, asJson }) {
    const { usageInBytes, normalize } = dialect.passthrough;
    if (usageInBytes === undefined || normalize !== undefined || asJson || outline.choices !== 1) return null;
    const usage = usageInBytes(bytes);
    return usage === undefined ? null : { bytes, body: unread, usage, answer: null };
  },
  needsExactNumbers: ({ dialect }) => dialect.operation === "chat" && dialect.passthrough.usage === undefined,
  decodeResponse({ bytes, json }, { upstream }, gatewayRequest, origin) {
    const body = Array.isArray(json) ? {} : json;
    const { usage } = gatewayRequest.dialect.passthrough;
    if (usage !== undefined) return { bytes, body, usage: usage(body), answer: null };
    const answer = upstream.response.parse(json, { origin, request: gatewayRequest.request });
    return { bytes, body, usage: answer.usage, answer };
  },
  decodeDocument: (bytes, type, { usage }) => ({ bytes, body: {}, usage, answer: null, type }),
  withUsage(read, usage, { dialect }, response) {
    const { withUsage } = dialect.passthrough;
    const known = read.answer === null ? { ...read, usage } : { ...read, usage, answer: { ...response, usage } };
    if (read.type !== undefined || withUsage === undefined) return known;
    const body = withUsage(dialect.operation === "chat" ? exactBody(read.bytes) : read.body, usage);
    return { ...known, body, bytes: encoder.encode(JSON.stringify(body)) };
  },
  encodeResponse(read, plan, gatewayRequest) {
    const { bytes, body, usage, answer, type, changed } = read;
    if (changed && answer !== null) return rendered(answer, plan, gatewayRequest);
    checkedAnswer(answer, gatewayRequest);
    if (type !== undefined) return { body: bytes, type, usage };
    const { dialect, wire, write, asJson } = gatewayRequest;
    const json = dialect.passthrough.normalize?.(body, wire, write) ?? body;
    if (asJson) return { body: "", json, usage };
    return { body: json === body ? bytes : JSON.stringify(json), usage };
  },
  transcodeStream: passthroughStream,
  keepsSpeechEvents: true,
};
