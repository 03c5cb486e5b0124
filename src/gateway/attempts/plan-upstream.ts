// Chooses once how a request reaches a candidate: passthrough, translation, or a canonical request in the process.
import { GatewayError } from "../../canonical/error.ts";
import type { RenderContext, UpstreamDialect } from "../../dialects/dialect.ts";
import { findRow } from "../../dialects/shared/model-table.ts";
import { originOf } from "../../providers/provider.ts";
import { overasks } from "../operations/chat.ts";
import { inMadeFormat } from "../operations/speech-format.ts";
import { voiceFor } from "../operations/voice-mapping.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Candidate } from "../routing/catalog.ts";
import { passthrough } from "./passthrough.ts";
import { refuseWhenStrict } from "./strictness.ts";
import { inProcess, translate } from "./translate.ts";
import type { PlanCodec, PlanMeans, UpstreamPlan } from "./upstream-plan.ts";

/** State that only one provider can read is not sent to others. */
function refuseElsewhere({ pinnedTo }: GatewayRequest, { provider, model }: Candidate): void {
  if (pinnedTo === undefined || pinnedTo.origin === originOf(provider, model)) return;
  const message = `'${pinnedTo.path}' was created by another provider, and only that provider can read it.`;
  throw new GatewayError("unsupported_parameter", message, { param: pinnedTo.path });
}

/** The same request, with a warning for each field that the candidate ignores. */
function withLosses(gatewayRequest: GatewayRequest, { provider }: Candidate, context: RenderContext): GatewayRequest {
  const { dispatch } = provider;
  const losses = dispatch.form === "http" ? [] : (dispatch.warningsFor?.(gatewayRequest.request, context) ?? []);
  return losses.length === 0
    ? gatewayRequest
    : gatewayRequest.with({ adjustments: [...(gatewayRequest.adjustments ?? []), ...losses] });
}

/** What the operator declared about this provider's models, and about this model's maximum output. */
function capabilitiesOf({
  provider: {
    entry: { declared },
  },
  model,
}: Candidate): Pick<RenderContext, "declared" | "maxOutputTokens"> {
  if (declared === undefined) return {};
  const maxOutputTokens = findRow(declared, model)?.capabilities.maxOutputTokens;
  return { declared, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) };
}

/** The only place that decides how a request reaches a candidate. */
function codecFor(
  gatewayRequest: GatewayRequest,
  { provider }: Candidate,
  upstream: UpstreamDialect,
  { options }: RenderContext,
): PlanCodec {
  if (provider.dispatch.form === "canonical") return inProcess;
  return upstream === gatewayRequest.dialect && !overasks(gatewayRequest, options) ? passthrough : translate;
}

/** Throws `unsupported_parameter` if the candidate's dialect cannot express the request. */
export function planUpstream(
  given: GatewayRequest,
  candidate: Candidate,
  upstream: UpstreamDialect,
  { listedVoices, transcodes = false, limits }: PlanMeans,
): UpstreamPlan {
  refuseElsewhere(given, candidate);
  const isSpeech = given.outline.operation === "speak";
  const voice = isSpeech ? voiceFor(given.request, candidate, listedVoices) : undefined;
  const context: RenderContext = {
    model: candidate.model,
    origin: originOf(candidate.provider, candidate.model),
    options: candidate.provider.entry.options,
    fieldPath: (field) => given.dialect.request.fieldPath(field),
    ...(voice === undefined ? {} : { voice }),
    ...(listedVoices === undefined ? {} : { listedVoices }),
    ...capabilitiesOf(candidate),
  };
  const codec = codecFor(given, candidate, upstream, context);
  const able = isSpeech && transcodes && codec !== inProcess ? inMadeFormat(given, upstream) : given;
  const gatewayRequest = withLosses(able, candidate, context);
  const encoded = codec.encodeRequest(gatewayRequest, upstream, context, limits);
  refuseWhenStrict(gatewayRequest, encoded.warnings);
  const { model, declared } = context;
  const plan = { codec, upstream, model, declared, ...encoded };
  return able === given || codec === passthrough ? plan : { ...plan, spoken: able.request };
}
