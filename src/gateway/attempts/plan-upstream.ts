// How a request reaches a candidate: in which dialects, in which order, and how: original bytes, a translation, or a canonical request.
import type { ChatRequest } from "../../canonical/chat.ts";
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { RenderContext, UpstreamDialect } from "../../dialects/dialect.ts";
import { remedyOf } from "../../dialects/remedies.ts";
import { findRow } from "../../dialects/shared/model-table.ts";
import { dialectsOf, originOf, type Provider } from "../../providers/provider.ts";
import { overasks } from "../operations/chat.ts";
import { inMadeFormat } from "../operations/speech-format.ts";
import { voiceFor } from "../operations/voice-mapping.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { PreferredDialects } from "../routing/preferred-dialects.ts";
import { passthrough } from "./passthrough.ts";
import { refuseWhenStrict } from "./strictness.ts";
import { inProcess, translate } from "./translate.ts";
import type { PlanCodec, PlanMeans, UpstreamPlan, Way } from "./upstream-plan.ts";

function dialectsIn(gatewayRequest: GatewayRequest, spoken: readonly UpstreamDialect[]): readonly UpstreamDialect[] {
  const able = spoken.filter((dialect) => dialect.operation === gatewayRequest.outline.operation);
  return able.includes(gatewayRequest.dialect.variantOf ?? gatewayRequest.dialect)
    ? [gatewayRequest.dialect, ...able.filter((dialect) => dialect !== gatewayRequest.dialect)]
    : able;
}

/**
 * A pure memo for every request to a provider that serves all models in all its dialects. The key is the provider, which
 * is never changed and belongs to one catalog: another gateway has providers of its own.
 */
const dialectsByProvider = new WeakMap<Provider, Map<UpstreamDialect, readonly UpstreamDialect[]>>();

/** The dialects for a candidate: the client's own first, then the others that serve the operation. */
function dialectsFor(gatewayRequest: GatewayRequest, { provider, model }: Candidate): readonly UpstreamDialect[] {
  if (provider.dispatch.form === "canonical") return [gatewayRequest.dialect];
  if (provider.kind.supports !== undefined) return dialectsIn(gatewayRequest, dialectsOf(provider, model));
  const mine = dialectsByProvider.get(provider) ?? new Map<UpstreamDialect, readonly UpstreamDialect[]>();
  const dialects = mine.get(gatewayRequest.dialect);
  if (dialects !== undefined) return dialects;
  const found = dialectsIn(gatewayRequest, provider.kind.dialects);
  dialectsByProvider.set(provider, mine.set(gatewayRequest.dialect, found));
  return found;
}

/** The client's own dialect first, unless another one is known to serve the model better. */
export function waysTo(gatewayRequest: GatewayRequest, candidate: Candidate, preferred: PreferredDialects): Way[] {
  const { provider, model } = candidate;
  const dialects = dialectsFor(gatewayRequest, candidate);
  const best =
    preferred.of(candidate, gatewayRequest.outline) ??
    provider.kind.prefers?.(
      gatewayRequest.outline,
      { model, declared: provider.entry.declared },
      gatewayRequest.dialect,
    );
  const ordered =
    best === undefined || best === dialects[0] || !dialects.includes(best)
      ? dialects
      : [best, ...dialects.filter((dialect) => dialect !== best)];
  return ordered.map((upstream) => ({ upstream, gatewayRequest }));
}

/** The same request with reasoning off; null if that cannot be expressed, or was tried before. */
function withoutReasoning({ upstream, gatewayRequest }: Way): Way | null {
  const { request, dialect } = gatewayRequest;
  if (request.operation !== "chat" || gatewayRequest.adjustments !== undefined) return null;
  const wire = upstream === dialect ? dialect.passthrough.withoutReasoning?.(gatewayRequest.wire) : gatewayRequest.wire;
  if (wire === undefined) return null;
  const quiet: ChatRequest = { ...request, reasoning: { effort: "none", hint: true } };
  const changes = [{ code: "approximated", path: dialect.request.fieldPath("reasoning") }] as const;
  return { upstream, gatewayRequest: gatewayRequest.with({ wire, request: quiet, adjustments: changes }) };
}

/** What is left to try after a refusal, best first; null where the refusal names no remedy. */
export function waysAfter(failure: GatewayError, way: Way, others: readonly Way[]): Way[] | null {
  const remedy = remedyOf(failure);
  if (remedy === undefined) return null;
  if (remedy === "another-dialect") return [...others];
  const again = withoutReasoning(way);
  return again === null ? null : [again, ...others];
}

/** State that only one provider can read is sent to no other. */
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
function planUpstream(
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
  const { calls, parts, watched, warnings } = encoded;
  const plan = { codec, upstream, model, declared, calls, parts, watched, warnings };
  return able === given || codec === passthrough ? plan : { ...plan, spoken: able.request };
}

/** The plan for one candidate in one dialect, or the reason why there is none. */
export function planFor(
  gatewayRequest: GatewayRequest,
  candidate: Candidate,
  upstream: UpstreamDialect,
  means: PlanMeans,
): UpstreamPlan | GatewayError {
  try {
    return planUpstream(gatewayRequest, candidate, upstream, means);
  } catch (thrown) {
    return toGatewayError(thrown);
  }
}
