// The dependencies of the pipeline, built once at the start.
import type { Clock } from "../../lib/clock.ts";
import type { DeadlineClock } from "../../lib/deadline.ts";
import type { Provider } from "../../providers/provider.ts";
import type { DnsFor } from "../../providers/safe-fetch/resolver.ts";
import type { Events } from "../../telemetry/events.ts";
import type { Traces } from "../../telemetry/trace.ts";
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
import type { Waiting } from "../policy/waiting.ts";
import type { Prices } from "../prices/prices.ts";
import type { CatalogHolder } from "../routing/catalog.ts";
import type { ModelLists } from "../routing/model-lists.ts";
import type { PreferredDialects } from "../routing/preferred-dialects.ts";
import type { ProviderLimitsState } from "../routing/provider-limits.ts";
import type { Router } from "../routing/router.ts";
import type { StreamTimers } from "../streaming/client-stream.ts";
import type { Drains } from "../streaming/drains.ts";
import type { RunningWork } from "./running-work.ts";
import type { UsageEstimates } from "./usage-estimate.ts";

export interface GatewayDependencies {
  readonly catalog: CatalogHolder;
  readonly listings: ModelLists;
  /** In the order in which they are checked; every operation passes all of them. */
  readonly policies: readonly Policy[];
  /** One of the policies, also used for requests without a model, and for rate headers. */
  readonly rates: Rates;
  readonly budgets: Budgets;
  readonly endUsers: EndUsers;
  /** Stores bodies if projects configure it. */
  readonly bodies: Bodies;
  /** Requests that wait for their admission. */
  readonly waiting: Waiting;
  /** The exchanges in progress. */
  readonly running: RunningWork;
  /** How many exchanges are in progress. */
  inFlight(): number;
  /** Reservations of exchanges that are settled after their request was answered. */
  readonly pending: PendingReservations;
  readonly limits: GatewayLimits;
  /** Counts tokens if no provider of a model can. */
  readonly fallbackProvider: Provider;
  /** Providers that are not called for token counts for a while. */
  readonly missingCounters: MissingCounters;
  /** Orders candidates by the state of their upstreams. */
  readonly router: Router;
  /** One of the policies, also for what is shown of it. */
  readonly providerLimits: ProviderLimitsState;
  readonly voiceLists: VoiceLists;
  readonly ledger: Ledger;
  readonly prices: Prices;
  readonly clock: Clock;
  readonly events: Events;
  /** Null where no endpoint for traces or metrics is set. */
  readonly traces: Traces | null;
  /** Checks deadlines. */
  readonly deadlines: DeadlineClock;
  readonly streamTimers: StreamTimers;
  readonly estimates: UsageEstimates;
  readonly drains: Drains;
  /** Null without ffmpeg. */
  readonly transcoder: AudioTranscoder | null;
  /** The operator's allowlist for the guarded fetcher. */
  readonly fetchAllow: readonly string[];
  /** Resolves names in URLs for one key. */
  readonly dnsFor: DnsFor;
  readonly preferred: PreferredDialects;
  /** Creates record ids. */
  nextId(): string;
}
