// Remembers the dialect in which a model succeeded after another one was refused, so that the next request starts with
// it.
import type { UpstreamDialect } from "../../dialects/dialect.ts";
import type { RequestOutline } from "../../dialects/request-outline.ts";
import type { Clock } from "../../lib/clock.ts";
import type { GatewayLimits } from "../policy/limits.ts";
import type { Candidate } from "./catalog.ts";

export interface PreferredDialects {
  of(candidate: Candidate, request: RequestShape): UpstreamDialect | undefined;
  remember(candidate: Candidate, request: RequestShape, dialect: UpstreamDialect): void;
}

type Bounds = Pick<GatewayLimits, "maxPreferredDialects" | "preferredDialectMs">;

/** The parts of a request that determine its dialect. */
type RequestShape = Pick<RequestOutline, "operation" | "tools">;

/** Some models are refused in a dialect only for requests with tools. */
function keyOf({ provider, model }: Candidate, { operation, tools }: RequestShape): string {
  const hasTools = operation === "chat" && tools.length > 0;
  return JSON.stringify([provider.entry.name, model, operation, hasTools]);
}

/** The oldest entries are dropped first. An entry expires, because providers change. */
export function createPreferredDialects(clock: Clock, bounds: Bounds): PreferredDialects {
  const entries = new Map<string, { readonly dialect: UpstreamDialect; readonly untilMs: number }>();
  return {
    of(candidate, request) {
      if (entries.size === 0) return undefined;
      const key = keyOf(candidate, request);
      const entry = entries.get(key);
      if (entry === undefined || entry.untilMs > clock.monotonicMs()) return entry?.dialect;
      entries.delete(key);
      return undefined;
    },
    remember(candidate, request, dialect) {
      const key = keyOf(candidate, request);
      entries.delete(key);
      entries.set(key, { dialect, untilMs: clock.monotonicMs() + bounds.preferredDialectMs });
      const [oldest] = entries.keys();
      if (entries.size > bounds.maxPreferredDialects && oldest !== undefined) entries.delete(oldest);
    },
  };
}
