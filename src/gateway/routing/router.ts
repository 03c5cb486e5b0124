// The router: orders the candidates of one request by its route, the state of its upstreams, and the upstream of its
// conversation.
import { GatewayError } from "../../canonical/error.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Prices } from "../prices/prices.ts";
import { type CandidateOrder, type OrderInput, orderCandidates } from "./candidate-order.ts";
import type { Candidate, RequestNeeds, Route } from "./catalog.ts";
import { type CompiledRoute, compileRoute } from "./compiled-route.ts";
import { type ConversationRequest, conversationOf } from "./conversation.ts";
import { createHealth, type Health, type HealthEvents } from "./health.ts";
import type { ModelLists } from "./model-lists.ts";
import { allAtLimits, isLimited, type ProviderLimitsState } from "./provider-limits.ts";
import { type HealthLimits, UpstreamModel } from "./upstream.ts";

/** What the router needs from a request. Content and needs are computed when a route first needs them. */
export interface RoutedRequest extends ConversationRequest {
  readonly size: { readonly isStream: boolean; needs?(): RequestNeeds };
}

export interface RoutedCandidates extends CandidateOrder {
  /** Where the upstream of the conversation is stored; null if it is not. */
  readonly affinity: Affinity | null;
}

/** The order of a request that is not sent. */
export interface RoutePreview extends CandidateOrder {
  readonly refusal: GatewayError | null;
}

/** Which conversation stays with its upstream, and for how long. */
export interface Affinity {
  readonly key: string;
  readonly forMs: number;
}

export interface Router {
  readonly health: Health;
  /** `candidates` are the permitted ones of the route. Throws if none of them can serve the request. */
  choose(candidates: readonly Candidate[], route: Route | undefined, request: RoutedRequest): RoutedCandidates;
  /** The order that `choose` is most likely to give now, and the error that it would throw. Begins nothing. */
  preview(candidates: readonly Candidate[], route: Route | undefined, size: RoutedRequest["size"]): RoutePreview;
  random(): number;
  /** The conversation was answered by this candidate. */
  answered(affinity: Affinity, candidate: Candidate): void;
}

interface RouterDependencies {
  readonly clock: Clock;
  readonly limits: HealthLimits & { readonly maxAffinities: number };
  readonly events: HealthEvents;
  readonly prices: () => Prices;
  readonly providerLimits: Pick<ProviderLimitsState, "overLimit" | "waitMs">;
  /** Absent: what providers list is not used. */
  readonly lists?: Pick<ModelLists, "supports" | "version">;
  random(): number;
}

/** Input tokens per output token, for the comparison of costs. */
const inputPerOutput = 3;
const million = 1_000_000;
/** Of several weights the highest comes first. */
const meanRandom = 0.5;
const none: CandidateOrder["passedOver"] = [];

interface Compiled {
  readonly route: CompiledRoute;
  readonly costVersion: string;
  readonly listVersion: number;
}

interface Stay {
  readonly model: UpstreamModel;
  readonly untilMs: number;
}

class RouteRouter implements Router {
  readonly health: Health;
  private readonly given: RouterDependencies;
  private readonly compiled = new WeakMap<readonly Candidate[], Compiled>();
  /** The least recently used first. */
  private readonly stays = new Map<string, Stay>();

  constructor(given: RouterDependencies) {
    this.given = given;
    this.health = createHealth(given.clock, given.limits, given.events);
  }

  choose(candidates: readonly Candidate[], route: Route | undefined, request: RoutedRequest): RoutedCandidates {
    const { health } = this;
    if (route === undefined) {
      // Built for one request: there is nothing to prepare.
      const isPlain = candidates.length === 1 || (health.isQuiet && !hasOthers(candidates));
      if (isPlain && !candidates.some(isLimited)) return asTheyAre(candidates);
      return this.ordered(compileRoute(candidates, route, this.looseParts()), undefined, request);
    }
    const compiled = this.compile(candidates, route);
    if (compiled.isFixed && (health.isQuiet || candidates.length === 1)) return asTheyAre(candidates);
    return this.ordered(compiled, route, request);
  }

  random(): number {
    return this.given.random();
  }

  answered({ key, forMs }: Affinity, candidate: Candidate): void {
    const model = this.health.modelOf(candidate);
    if (model === null) return;
    this.stays.delete(key);
    this.stays.set(key, { model, untilMs: this.health.nowMs() + forMs });
    const [oldest] = this.stays.keys();
    if (this.stays.size > this.given.limits.maxAffinities && oldest !== undefined) this.stays.delete(oldest);
  }

  private ordered(compiled: CompiledRoute, route: Route | undefined, request: RoutedRequest): RoutedCandidates {
    const { health } = this;
    const nowMs = health.nowMs();
    if (!health.isQuiet) health.sweep(nowMs);
    const affinity = this.affinityOf(route, request);
    const stay = affinity === null ? null : this.stayOf(affinity.key, nowMs);
    const order = orderCandidates(compiled, { ...this.inputOf(compiled, request.size, nowMs), stay });
    const [first] = order.candidates;
    if (first === undefined || first.after !== undefined) {
      const byList = compiled.supports !== compiled.declared;
      return byList && !isPossible(order)
        ? this.ordered(withoutLists(compiled), route, request)
        : this.inPlaceOf(compiled, order, affinity);
    }
    if (!health.isQuiet) health.claim(first, nowMs);
    return { ...order, affinity };
  }

  preview(candidates: readonly Candidate[], route: Route | undefined, size: RoutedRequest["size"]): RoutePreview {
    const compiled =
      route === undefined ? compileRoute(candidates, route, this.looseParts()) : this.compile(candidates, route);
    const tied = compiled.strategy === "least_busy" ? 0 : meanRandom;
    const input = { ...this.inputOf(compiled, size, this.health.nowMs()), random: () => tied };
    const order = orderCandidates(compiled, input);
    const [first] = order.candidates;
    if (first !== undefined && first.after === undefined) return { ...order, refusal: null };
    if (compiled.supports !== compiled.declared && !isPossible(order)) {
      const relaxed = withoutLists(compiled);
      const all = orderCandidates(relaxed, { ...input, needs: this.inputOf(relaxed, size, input.nowMs).needs });
      if (all.candidates.length > 0) return { ...all, refusal: null };
    }
    try {
      return { ...this.inPlaceOf(compiled, order, null), refusal: null };
    } catch (thrown) {
      if (thrown instanceof GatewayError) return { ...order, refusal: thrown };
      throw thrown;
    }
  }

  private inputOf(compiled: CompiledRoute, size: RoutedRequest["size"], nowMs: number): OrderInput {
    const { health, given } = this;
    return {
      nowMs,
      isStream: size.isStream,
      isQuiet: health.isQuiet,
      overLimit: compiled.isLimited ? (candidate) => given.providerLimits.overLimit(candidate, size) : null,
      needs: compiled.supports === null ? null : (size.needs?.() ?? null),
      stay: null,
      random: given.random,
    };
  }

  /**
   * None of the candidates can have the request. Where limits keep it out it goes to the fallbacks after errors, where it
   * is too long to those for that. Throws where there are none.
   */
  private inPlaceOf(compiled: CompiledRoute, order: CandidateOrder, affinity: Affinity | null): RoutedCandidates {
    const { candidates, reason, passedOver } = order;
    if (passedOver.some(isOverLimit)) {
      if (candidates.some(({ after }) => after === "error")) return { ...order, affinity };
      throw this.allOverLimit(compiled, passedOver);
    }
    const isTooLong = passedOver.every((each) => each.reason === "context_too_short");
    const longer = isTooLong ? candidates.filter(({ after }) => after === "context_length") : [];
    if (longer.length === 0) throw noneFits(passedOver);
    const inTurn = longer.map(({ after: _, ...each }) => each);
    for (const each of inTurn) this.health.watch(each);
    return { candidates: inTurn, reason, passedOver, affinity };
  }

  private allOverLimit({ candidates }: CompiledRoute, passedOver: CandidateOrder["passedOver"]): GatewayError {
    const isOver = ({ provider, model }: Candidate): boolean =>
      passedOver.some(
        (each) => isOverLimit(each) && each.provider === provider.entry.name && each.upstreamModel === model,
      );
    const waits = candidates.filter(isOver).map((each) => this.given.providerLimits.waitMs(each));
    return allAtLimits(Math.min(...waits));
  }

  private affinityOf(route: Route | undefined, request: RoutedRequest): Affinity | null {
    if (route?.affinityMs === undefined) return null;
    const conversation = conversationOf(request);
    return conversation === null ? null : { key: `${route.name}\n${conversation}`, forMs: route.affinityMs };
  }

  private stayOf(key: string, nowMs: number): UpstreamModel | null {
    const stay = this.stays.get(key);
    if (stay === undefined || stay.untilMs > nowMs) return stay?.model ?? null;
    this.stays.delete(key);
    return null;
  }

  private compile(candidates: readonly Candidate[], route: Route): CompiledRoute {
    const known = this.compiled.get(candidates);
    const isCurrent = known?.listVersion === this.listVersion();
    if (known !== undefined && isCurrent && this.hasCosts(known)) return known.route;
    const prices = this.given.prices();
    // On a route with a pattern a client may name any model, so their state is not stored.
    const watch = route.isOpen ? loose(this.health) : (candidate: Candidate) => this.health.watch(candidate);
    const costOf = (candidate: Candidate) => meanCost(prices, candidate, this.given.clock.nowMs());
    const made = compileRoute(candidates, route, { watch, costOf, listed: this.listed });
    this.compiled.set(candidates, { route: made, costVersion: prices.costVersion, listVersion: this.listVersion() });
    return made;
  }

  private hasCosts({ route, costVersion }: Compiled): boolean {
    return route.costs === null || costVersion === this.given.prices().costVersion;
  }

  private readonly listed = ({ provider, model }: Candidate) => this.given.lists?.supports(provider, model);
  private readonly listVersion = (): number => this.given.lists?.version() ?? 0;
  private readonly looseParts = () => ({ watch: loose(this.health), costOf: () => 0, listed: this.listed });
}

const asTheyAre = (candidates: readonly Candidate[]): RoutedCandidates => ({
  candidates,
  reason: "ordered",
  passedOver: none,
  affinity: null,
});

const hasOthers = (candidates: readonly Candidate[]): boolean =>
  candidates.some(({ provider }) => provider.entry.credentialName !== undefined);

/** For candidates that a client named itself, only the state of the credential is stored. */
const loose = (health: Health) => (candidate: Candidate) =>
  new UpstreamModel(health.upstreamOf(candidate), candidate.model);

/** The cost of a mean request; an unknown cost is above all others. */
function meanCost(prices: Prices, { provider, model }: Candidate, atMs: number): number {
  const query = { provider: provider.entry.name, kind: provider.kind.name, model, operation: "chat", atMs } as const;
  const usage = { ...zeroUsage, inputTokens: inputPerOutput * million, outputTokens: million };
  const { costNanoDollars } = prices.of(query, model, usage);
  return costNanoDollars === null ? Number.MAX_VALUE : Number(costNanoDollars);
}

/** Lists may be wrong or old: where no candidate is left because of them, they do not count. */
const withoutLists = (compiled: CompiledRoute): CompiledRoute => ({ ...compiled, supports: compiled.declared });

/** Whether another candidate takes the place of those that cannot have the request. */
const isPossible = ({ candidates, passedOver }: CandidateOrder): boolean =>
  passedOver.some(isOverLimit) ||
  (passedOver.every((each) => each.reason === "context_too_short") &&
    candidates.some(({ after }) => after === "context_length"));

const isOverLimit = ({ reason }: CandidateOrder["passedOver"][number]): boolean => reason.startsWith("over_");

const words = {
  lacks_images: "images",
  lacks_tools: "tools",
  lacks_json_schema: "a JSON Schema for the output",
} as const;

function noneFits(passedOver: CandidateOrder["passedOver"]): GatewayError {
  const reasons = new Set(passedOver.map(({ reason }) => reason));
  if (reasons.size === 0 || reasons.has("context_too_short"))
    return new GatewayError(
      "context_length_exceeded",
      "The request is longer than the context of every model of this route.",
    );
  if (reasons.has("output_too_short"))
    return new GatewayError(
      "unsupported_parameter",
      "The output that the request allows is more than any model of this route can produce.",
    );
  const [first] = Object.entries(words).filter(([reason]) => reasons.has(reason));
  return new GatewayError("unsupported_parameter", `No model of this route supports ${first?.[1] ?? "this request"}.`);
}

export const createRouter = (given: RouterDependencies): Router => new RouteRouter(given);
