// The possible attempts of one candidate: its dialects in order, and changes of the request after a refusal.

import type { ChatRequest } from "../../canonical/chat.ts";
import type { GatewayError } from "../../canonical/error.ts";
import type { UpstreamDialect } from "../../dialects/dialect.ts";
import { remedyOf } from "../../dialects/remedies.ts";
import { dialectsOf, type Provider } from "../../providers/provider.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { PreferredDialects } from "../routing/preferred-dialects.ts";

function dialectsIn(gatewayRequest: GatewayRequest, spoken: readonly UpstreamDialect[]): readonly UpstreamDialect[] {
  const able = spoken.filter((dialect) => dialect.operation === gatewayRequest.outline.operation);
  return able.includes(gatewayRequest.dialect.variantOf ?? gatewayRequest.dialect)
    ? [gatewayRequest.dialect, ...able.filter((dialect) => dialect !== gatewayRequest.dialect)]
    : able;
}

/**
 * A pure cache for providers that serve all models in all of their dialects. The key is the provider, which never
 * changes and belongs to one catalog.
 */
const dialectsByProvider = new WeakMap<Provider, Map<UpstreamDialect, readonly UpstreamDialect[]>>();

/** The dialects of a candidate for an operation: the client's own first, then the others. */
export function dialectsFor(
  gatewayRequest: GatewayRequest,
  { provider, model }: Candidate,
): readonly UpstreamDialect[] {
  if (provider.dispatch.form === "canonical") return [gatewayRequest.dialect];
  if (provider.kind.supports !== undefined) return dialectsIn(gatewayRequest, dialectsOf(provider, model));
  const mine = dialectsByProvider.get(provider) ?? new Map<UpstreamDialect, readonly UpstreamDialect[]>();
  const dialects = mine.get(gatewayRequest.dialect);
  if (dialects !== undefined) return dialects;
  const found = dialectsIn(gatewayRequest, provider.kind.dialects);
  dialectsByProvider.set(provider, mine.set(gatewayRequest.dialect, found));
  return found;
}

/** A possible attempt: a dialect, and the request for it. */
export interface Way {
  readonly upstream: UpstreamDialect;
  readonly gatewayRequest: GatewayRequest;
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

/** The same request with reasoning off; null if that is impossible or was already done. */
function withoutReasoning({ upstream, gatewayRequest }: Way): Way | null {
  const { request, dialect } = gatewayRequest;
  if (request.operation !== "chat" || gatewayRequest.adjustments !== undefined) return null;
  const wire = upstream === dialect ? dialect.passthrough.withoutReasoning?.(gatewayRequest.wire) : gatewayRequest.wire;
  if (wire === undefined) return null;
  const quiet: ChatRequest = { ...request, reasoning: { effort: "none", hint: true } };
  const changes = [{ code: "approximated", path: dialect.request.fieldPath("reasoning") }] as const;
  return { upstream, gatewayRequest: gatewayRequest.with({ wire, request: quiet, adjustments: changes }) };
}

/** The remaining attempts after a refusal, best first; null if the refusal suggests no remedy. */
export function waysAfter(failure: GatewayError, way: Way, others: readonly Way[]): Way[] | null {
  const remedy = remedyOf(failure);
  if (remedy === undefined) return null;
  if (remedy === "another-dialect") return [...others];
  const again = withoutReasoning(way);
  return again === null ? null : [again, ...others];
}
