// The one fork in the road: same dialect on both sides goes through verbatim, everything else is translated.
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import type { ListedVoice } from "../../canonical/speech.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { PassthroughRequest, RenderContext, UpstreamDialect, UpstreamRequest } from "../../dialects/dialect.ts";
import { type DeclaredModel, findRow } from "../../dialects/shared/model-table.ts";
import type { JsonObject } from "../../lib/json.ts";
import { dialectsOf, originOf, type Provider } from "../../providers/provider.ts";
import { divideStops, type FanOutLimits, type FanPart, fanOut, overasks } from "../operations/chat.ts";
import { itemCount, split } from "../operations/index.ts";
import { inMadeFormat } from "../operations/speech-format.ts";
import { voiceFor } from "../operations/voice-mapping.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Candidate } from "../routing/catalog.ts";
import { refuseWhenStrict } from "./strictness.ts";

/** A call to a provider inside the process. */
export interface CanonicalCall {
  readonly request: OperationRequest;
}

/** A call as it goes to a provider: over HTTP, or inside the process. */
export type PlannedCall = UpstreamRequest | CanonicalCall;

export const isCanonical = (call: PlannedCall): call is CanonicalCall => "request" in call;

/** The way of one inquiry to one candidate. */
export interface UpstreamPlan {
  readonly verbatim: boolean;
  /** What the upstream speaks. */
  readonly upstream: UpstreamDialect;
  /** The upstream's own name for the model. */
  readonly model: string;
  /** What the operator declared of the provider's models. */
  readonly declared?: readonly DeclaredModel[] | undefined;
  /** One call, or several where one request asks for several replies, or for more items than one call takes. */
  readonly calls: readonly [PlannedCall, ...PlannedCall[]];
  /** What each call asks; empty in the verbatim lane. */
  readonly parts: readonly FanPart[];
  /** Stop texts that the gateway watches for itself. */
  readonly watched: readonly string[];
  readonly warnings: readonly Warning[];
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

function dialectsIn(gatewayRequest: GatewayRequest, spoken: readonly UpstreamDialect[]): readonly UpstreamDialect[] {
  const able = spoken.filter((dialect) => dialect.operation === gatewayRequest.outline.operation);
  return able.includes(gatewayRequest.dialect.variantOf ?? gatewayRequest.dialect)
    ? [gatewayRequest.dialect, ...able.filter((dialect) => dialect !== gatewayRequest.dialect)]
    : able;
}

/** Asked for by every request, and always the same of a provider whose models all speak alike. */
const known = new WeakMap<Provider, Map<UpstreamDialect, readonly UpstreamDialect[]>>();

/** What a candidate may be asked in: the client's own dialect first, then the others that serve the operation. */
export function dialectsFor(
  gatewayRequest: GatewayRequest,
  { provider, model }: Candidate,
): readonly UpstreamDialect[] {
  if (provider.dispatch.form === "canonical") return [gatewayRequest.dialect];
  if (provider.kind.supports !== undefined) return dialectsIn(gatewayRequest, dialectsOf(provider, model));
  const mine = known.get(provider) ?? new Map<UpstreamDialect, readonly UpstreamDialect[]>();
  const dialects = mine.get(gatewayRequest.dialect);
  if (dialects !== undefined) return dialects;
  const found = dialectsIn(gatewayRequest, provider.kind.dialects);
  known.set(provider, mine.set(gatewayRequest.dialect, found));
  return found;
}

/** What the client said beyond canon, judged by its own dialect's rules: warnings, or a refusal. */
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

/** What only its maker can read is told to nobody else. */
function refuseElsewhere({ pinnedTo }: GatewayRequest, { provider, model }: Candidate): void {
  if (pinnedTo === undefined || pinnedTo.origin === originOf(provider, model)) return;
  const message = `'${pinnedTo.path}' was created by another provider, and only that provider can read it.`;
  throw new GatewayError("unsupported_parameter", message, { param: pinnedTo.path });
}

/** The same inquiry, with a warning for each field that the candidate ignores. */
function withLosses(gatewayRequest: GatewayRequest, { provider }: Candidate, context: RenderContext): GatewayRequest {
  const { dispatch } = provider;
  const losses = dispatch.form === "http" ? [] : (dispatch.warningsFor?.(gatewayRequest.request, context) ?? []);
  return losses.length === 0
    ? gatewayRequest
    : gatewayRequest.with({ adjustments: [...(gatewayRequest.adjustments ?? []), ...losses] });
}

/** What the operator declared of this provider's models, and of the bound on this model's output. */
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

const maxItems = (upstream: UpstreamDialect, context: RenderContext): number =>
  upstream.request.maxItems?.(context) ?? Number.POSITIVE_INFINITY;

/** The client's own wires for an upstream that accepts fewer items than the client sent. */
function wiresOf(asked: GatewayRequest, upstream: UpstreamDialect, context: RenderContext): readonly JsonObject[] {
  const { wire } = asked;
  if (asked.dialect.passthrough.splitBatch === undefined) return [wire];
  const most = maxItems(upstream, context);
  return itemCount(asked.request) <= most ? [wire] : asked.dialect.passthrough.splitBatch(wire, most);
}

/** Throws `unsupported_parameter` when the candidate's dialect cannot say what was asked. */
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
  if (candidate.provider.dispatch.form === "canonical")
    return canonicalPlan(withLosses(given, candidate, context), context, limits);
  const able = isSpeech && transcodes ? inMadeFormat(given, upstream) : given;
  const gatewayRequest = withLosses(able, candidate, context);
  if (upstream !== gatewayRequest.dialect || overasks(gatewayRequest, context.options)) {
    const plan = translatedLane(gatewayRequest, upstream, context, limits);
    return able === given ? plan : { ...plan, spoken: able.request };
  }
  const { source } = gatewayRequest;
  const call = (wire: JsonObject): PassthroughRequest => {
    const rendered = gatewayRequest.dialect.passthrough.render(wire, context, gatewayRequest.envelope);
    return source === undefined ? rendered : { ...rendered, source };
  };
  const [first = gatewayRequest.wire, ...others] = wiresOf(gatewayRequest, upstream, context);
  const calls = [call(first), ...others.map(call)] as const;
  const warnings = [...(gatewayRequest.adjustments ?? []), ...(calls[0].warnings ?? [])];
  refuseWhenStrict(gatewayRequest, warnings);
  return {
    verbatim: true,
    upstream,
    model: context.model,
    declared: context.declared,
    calls,
    parts: [],
    watched: [],
    warnings,
  };
}

/** For a provider inside the process: it gets canonical requests, and its replies are rendered in the client's dialect. */
function canonicalPlan(gatewayRequest: GatewayRequest, context: RenderContext, limits: FanOutLimits): UpstreamPlan {
  const { dialect, request } = gatewayRequest;
  const extras = dialect.request.split === undefined ? [] : foreignFields(request);
  const parts = fanOut(gatewayRequest, null, undefined, limits);
  const requests =
    parts.length === 0 ? split(request, maxItems(dialect, context), limits) : parts.map(({ ask }) => ask);
  const [first = { request }, ...others] = requests.map((one) => ({ request: { ...one, model: context.model } }));
  const warnings = [...(gatewayRequest.adjustments ?? []), ...extras];
  refuseWhenStrict(gatewayRequest, warnings);
  return {
    verbatim: false,
    upstream: dialect,
    model: context.model,
    calls: [first, ...others],
    parts,
    watched: [],
    warnings,
  };
}

function translatedLane(
  gatewayRequest: GatewayRequest,
  upstream: UpstreamDialect,
  context: RenderContext,
  limits: FanOutLimits,
): UpstreamPlan {
  const extras = foreignFields(gatewayRequest.request);
  const parts = fanOut(gatewayRequest, upstream, context.options, limits);
  const divided = parts.map((part) => divideStops(part.ask, upstream));
  const requests: readonly OperationRequest[] =
    divided.length === 0
      ? split(gatewayRequest.request, maxItems(upstream, context), limits)
      : divided.map(({ ask }) => ask);
  const [first, ...others] = requests.map((request) => upstream.request.render(request, context));
  if (first === undefined) throw new GatewayError("internal_error", "There is no input to send.");
  const watched = divided[0]?.watched ?? [];
  const warnings = [...(gatewayRequest.adjustments ?? []), ...extras, ...first.warnings];
  refuseWhenStrict(gatewayRequest, warnings);
  return {
    verbatim: false,
    upstream,
    model: context.model,
    declared: context.declared,
    calls: [first.call, ...others.map((rendered) => rendered.call)],
    parts,
    watched,
    warnings:
      watched.length === 0 ? warnings : [...warnings, { code: "emulated", path: context.fieldPath("stopSequences") }],
  };
}
