// Everything that the pipeline works with; built once at the start.
import type { Clock } from "../../lib/clock.ts";
import type { DeadlineClock } from "../../lib/deadline.ts";
import type { Provider } from "../../providers/provider.ts";
import type { DnsFor } from "../../providers/safe-fetch/resolver.ts";
import type { Events } from "../../telemetry/events.ts";
import type { Bodies } from "../bodies/bodies.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AudioTranscoder } from "../operations/audio-transcoder.ts";
import type { MissingCounters } from "../operations/token-count.ts";
import type { VoiceLists } from "../operations/voice-lists.ts";
import type { Budgets } from "../policy/budgets.ts";
import type { EndUsers } from "../policy/end-users.ts";
import type { GatewayLimits } from "../policy/limits.ts";
import type { Policy } from "../policy/policy.ts";
import type { Rates } from "../policy/rates.ts";
import type { PendingReservations } from "../policy/reservations.ts";
import type { Prices } from "../prices/prices.ts";
import type { CatalogHolder } from "../routing/catalog.ts";
import type { ModelLists } from "../routing/model-lists.ts";
import type { PreferredDialects } from "../routing/preferred-dialects.ts";
import type { Router } from "../routing/router.ts";
import type { StreamTimers } from "../streaming/client-stream.ts";
import type { Drains } from "../streaming/drains.ts";
import type { RunningWork } from "./running-work.ts";
import type { UsageEstimates } from "./usage-estimate.ts";

export interface GatewayDependencies {
  readonly catalog: CatalogHolder;
  readonly listings: ModelLists;
  /** In the order in which they are asked; every operation passes all of them. */
  readonly policies: readonly Policy[];
  /** One of them, for requests that ask no model, and for what is left. */
  readonly rates: Rates;
  readonly budgets: Budgets;
  readonly endUsers: EndUsers;
  /** Stores bodies where projects say so. */
  readonly bodies: Bodies;
  /** The exchanges in progress. */
  readonly running: RunningWork;
  /** How many exchanges are in progress. */
  inFlight(): number;
  /** Of exchanges that are settled after their request was answered. */
  readonly pending: PendingReservations;
  readonly limits: GatewayLimits;
  /** Answers what no provider of a model can: counts of tokens. */
  readonly fallbackProvider: Provider;
  /** Providers that are not asked to count for a while. */
  readonly missingCounters: MissingCounters;
  /** Puts candidates in order, and knows how their upstreams are. */
  readonly router: Router;
  readonly voiceLists: VoiceLists;
  readonly ledger: Ledger;
  readonly prices: Prices;
  readonly clock: Clock;
  readonly events: Events;
  /** Looks at deadlines. */
  readonly deadlines: DeadlineClock;
  readonly streamTimers: StreamTimers;
  readonly estimates: UsageEstimates;
  readonly drains: Drains;
  /** Null where there is no ffmpeg. */
  readonly transcoder: AudioTranscoder | null;
  /** What the operator opens to the safe fetcher. */
  readonly fetchAllow: readonly string[];
  /** Looks up the names in URLs for one key. */
  readonly dnsFor: DnsFor;
  readonly preferred: PreferredDialects;
  /** Makes record ids. */
  nextId(): string;
}
