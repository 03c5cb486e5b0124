// The one fork in the road: same dialect on both sides goes through verbatim, everything else is translated.
import { GatewayError } from "../../canonical/error.ts";
import type { Ask } from "../../canonical/operation.ts";
import type { ListedVoice } from "../../canonical/speech.ts";
import { isLoss, type Warning } from "../../canonical/warning.ts";
import type { Call, Dialect, RenderContext, VerbatimCall } from "../../dialects/dialect.ts";
import type { JsonObject } from "../../lib/json.ts";
import { dialectsOf, originOf, type Provider } from "../../providers/provider.ts";
import { batchesOf, wiresOf } from "../operations/batches.ts";
import { inMadeFormat } from "../operations/speech-format.ts";
import { voiceFor } from "../operations/voice-mapping.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import type { Candidate } from "../routing/catalog.ts";
import { divideStops } from "../streaming/stop-sequences.ts";
import { type FanPart, fanOut, overasks } from "./fan-out.ts";

/** The way of one inquiry to one candidate. */
export interface Lane {
  readonly verbatim: boolean;
  /** What the upstream speaks. */
  readonly upstream: Dialect;
  /** The upstream's own name for the model. */
  readonly model: string;
  /** One call, or several where one request asks for several replies, or for more items than one call takes. */
  readonly calls: readonly [Call, ...Call[]];
  /** What each call asks; empty in the verbatim lane. */
  readonly parts: readonly FanPart[];
  /** Stop texts that the gateway watches for itself. */
  readonly watched: readonly string[];
  readonly warnings: readonly Warning[];
  /** To speak: the request in a format that the upstream makes, where its reply is transcoded. */
  readonly spoken?: Ask;
}

/** What speech needs to know beside the request. */
export interface SpeechMeans {
  /** The voices of the candidate's account, where it lists them. */
  readonly listedVoices?: readonly ListedVoice[] | undefined;
  /** The gateway can transcode. */
  readonly transcodes?: boolean;
}

function dialectsIn(inquiry: Inquiry, spoken: readonly Dialect[]): readonly Dialect[] {
  const able = spoken.filter((dialect) => dialect.operation === inquiry.ask.operation);
  return able.includes(inquiry.dialect.within ?? inquiry.dialect)
    ? [inquiry.dialect, ...able.filter((dialect) => dialect !== inquiry.dialect)]
    : able;
}

/** Asked for by every request, and always the same of a provider whose models all speak alike. */
const known = new WeakMap<Provider, Map<Dialect, readonly Dialect[]>>();

/** What a candidate may be asked in: the client's own dialect first, then the others that serve the operation. */
export function dialectsFor(inquiry: Inquiry, { provider, model }: Candidate): readonly Dialect[] {
  if (provider.speaks !== undefined) return dialectsIn(inquiry, dialectsOf(provider, model));
  const mine = known.get(provider) ?? new Map<Dialect, readonly Dialect[]>();
  const dialects = mine.get(inquiry.dialect);
  if (dialects !== undefined) return dialects;
  const found = dialectsIn(inquiry, provider.dialects);
  known.set(provider, mine.set(inquiry.dialect, found));
  return found;
}

/** What the client said beyond canon, judged by its own dialect's rules: warnings, or a refusal. */
function foreignFields(ask: Ask): Warning[] {
  const refused = ask.extras.find((extra) => extra.rule === "reject");
  if (refused !== undefined)
    throw new GatewayError(
      "unsupported_parameter",
      `'${refused.path}' cannot be sent to this model${refused.reason === undefined ? "" : `: ${refused.reason}`}.`,
      { param: refused.path },
    );
  return ask.extras.filter((extra) => extra.rule === "drop").map(({ path }) => ({ code: "dropped", path }));
}

/** Throws `unsupported_parameter` for something lost. */
export function refuseWhenStrict(inquiry: Inquiry, warnings: readonly Warning[]): void {
  const lost = inquiry.strict ? warnings.find(isLoss) : undefined;
  if (lost !== undefined)
    throw new GatewayError(
      "unsupported_parameter",
      `'${lost.path}' would be ${lost.code} for this model, and strict mode is on.`,
      {
        param: lost.path,
      },
    );
}

/** What only its maker can read is told to nobody else. */
function refuseElsewhere({ bound }: Inquiry, { provider, model }: Candidate): void {
  if (bound === undefined || bound.origin === originOf(provider, model)) return;
  const message = `'${bound.path}' was made by another provider, and nobody else can read it.`;
  throw new GatewayError("unsupported_parameter", message, { param: bound.path });
}

/** The same inquiry, with a warning for each field that the candidate ignores. */
function withLosses(inquiry: Inquiry, { provider }: Candidate, context: RenderContext): Inquiry {
  const losses = provider.losses?.(inquiry.ask, context) ?? [];
  return losses.length === 0 ? inquiry : { ...inquiry, changes: [...(inquiry.changes ?? []), ...losses] };
}

/** Throws `unsupported_parameter` when the candidate's dialect cannot say what was asked. */
export function openLane(
  given: Inquiry,
  candidate: Candidate,
  upstream: Dialect,
  { listedVoices, transcodes = false }: SpeechMeans = {},
): Lane {
  refuseElsewhere(given, candidate);
  const voice = voiceFor(given.ask, candidate, listedVoices);
  const context: RenderContext = {
    model: candidate.model,
    origin: originOf(candidate.provider, candidate.model),
    options: candidate.provider.options,
    fieldPath: (field) => given.dialect.request.fieldPath(field),
    ...(voice === undefined ? {} : { voice }),
    ...(listedVoices === undefined ? {} : { listedVoices }),
    ...(candidate.provider.declared === undefined ? {} : { declared: candidate.provider.declared }),
  };
  const able = transcodes ? inMadeFormat(given, upstream) : given;
  const inquiry = withLosses(able, candidate, context);
  if (upstream !== inquiry.dialect || overasks(inquiry, context.options)) {
    const lane = translatedLane(inquiry, upstream, context);
    return able === given ? lane : { ...lane, spoken: able.ask };
  }
  const call = (wire: JsonObject): VerbatimCall => upstream.verbatim.call(wire, context, inquiry.envelope);
  const [first = inquiry.wire, ...others] = wiresOf(inquiry, upstream, context);
  const calls = [call(first), ...others.map(call)] as const;
  const warnings = [...(inquiry.changes ?? []), ...(calls[0].warnings ?? [])];
  refuseWhenStrict(inquiry, warnings);
  return { verbatim: true, upstream, model: context.model, calls, parts: [], watched: [], warnings };
}

function translatedLane(inquiry: Inquiry, upstream: Dialect, context: RenderContext): Lane {
  const extras = foreignFields(inquiry.ask);
  const parts = fanOut(inquiry, upstream, context.options);
  const divided = parts.map((part) => divideStops(part.ask, upstream));
  const asks: readonly Ask[] =
    divided.length === 0 ? batchesOf(inquiry.ask, upstream, context) : divided.map(({ ask }) => ask);
  const [first, ...others] = asks.map((ask) => upstream.request.render(ask, context));
  if (first === undefined) throw new GatewayError("internal_error", "There is nothing to ask.");
  const watched = divided[0]?.watched ?? [];
  const warnings = [...(inquiry.changes ?? []), ...extras, ...first.warnings];
  refuseWhenStrict(inquiry, warnings);
  return {
    verbatim: false,
    upstream,
    model: context.model,
    calls: [first.call, ...others.map((rendered) => rendered.call)],
    parts,
    watched,
    warnings: watched.length === 0 ? warnings : [...warnings, { code: "emulated", path: context.fieldPath("stop") }],
  };
}
