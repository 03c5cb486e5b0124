// Translation: the canonical request is rendered for an upstream of another dialect, or passed to an in-process
// provider; replies are rendered for the client.
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { Warning } from "../../canonical/warning.ts";
import { divideStops, fanOut } from "../operations/chat.ts";
import { maxItems, split } from "../operations/index.ts";
import { rendered } from "../streaming/buffered-response.ts";
import { translatedStream } from "../streaming/translated-stream.ts";
import type { PlanCodec } from "./upstream-plan.ts";

/** The client's fields without a canonical form, by the rules of its own dialect: warnings, or a refusal. */
function foreignFields(request: OperationRequest): Warning[] {
  const refused = request.unmappedFields.find((extra) => extra.rule === "reject");
  if (refused !== undefined)
    throw new GatewayError(
      "unsupported_parameter",
      `'${refused.path}' is not supported${refused.reason === undefined ? "" : `: ${refused.reason}`}.`,
      { param: refused.path },
    );
  return request.unmappedFields.filter((extra) => extra.rule === "warn").map(({ path }) => ({ code: "dropped", path }));
}

/** The requested model if the upstream returns none. */
function named(response: OperationResponse, model: string): OperationResponse {
  return response.operation === "chat" && response.model === "" ? { ...response, model } : response;
}

export const translate: PlanCodec = {
  encodeRequest(gatewayRequest, upstream, context, limits) {
    const { request, adjustments = [] } = gatewayRequest;
    const unmapped = foreignFields(request);
    const parts = fanOut(gatewayRequest, upstream, context.options, limits);
    const divided = parts.map((part) => divideStops(part.ask, upstream));
    const requests: readonly OperationRequest[] =
      divided.length === 0 ? split(request, maxItems(upstream, context), limits) : divided.map(({ ask }) => ask);
    const [first, ...others] = requests.map((each) => upstream.request.render(each, context));
    if (first === undefined) throw new GatewayError("internal_error", "There is no input to send.");
    const watched = divided[0]?.watched ?? [];
    const emulated: readonly Warning[] =
      watched.length === 0 ? [] : [{ code: "emulated", path: context.fieldPath("stopSequences") }];
    return {
      calls: [first.call, ...others.map(({ call }) => call)],
      parts,
      watched,
      warnings: [...adjustments, ...unmapped, ...first.warnings, ...emulated],
    };
  },
  needsExactNumbers: ({ outline }) => outline.operation === "chat",
  decodeResponse({ bytes, json }, plan, { request }, origin) {
    const response = named(plan.upstream.response.parse(json, { origin, request }), plan.model);
    return { bytes, body: Array.isArray(json) ? {} : json, usage: response.usage, answer: response };
  },
  decodeDocument: (bytes, type, response) => ({ bytes, body: {}, usage: response.usage, answer: response, type }),
  withUsage: (read, usage, _request, response) => ({ ...read, usage, answer: { ...response, usage } }),
  encodeResponse: ({ bytes, answer, type, usage }, plan, gatewayRequest) =>
    answer === null
      ? { body: bytes, usage, ...(type === undefined ? {} : { type }) }
      : rendered(answer, plan, gatewayRequest),
  transcodeStream: translatedStream,
  keepsSpeechEvents: false,
};

/** For an in-process provider: it receives canonical requests, and its replies are rendered in the client's dialect. */
export const inProcess: PlanCodec = {
  ...translate,
  encodeRequest(gatewayRequest, upstream, context, limits) {
    const { dialect, request, adjustments = [] } = gatewayRequest;
    const unmapped = dialect.request.split === undefined ? [] : foreignFields(request);
    const parts = fanOut(gatewayRequest, null, undefined, limits);
    const requests =
      parts.length === 0 ? split(request, maxItems(upstream, context), limits) : parts.map(({ ask }) => ask);
    const [first = { request }, ...others] = requests.map((one) => ({ request: { ...one, model: context.model } }));
    return { calls: [first, ...others], parts, watched: [], warnings: [...adjustments, ...unmapped] };
  },
};
