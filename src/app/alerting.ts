// Alerts of a gateway: looks for problems, and connects them with the webhook that is configured.
import type { AlertSettings } from "../config/alerts.ts";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { systemClock } from "../lib/clock.ts";
import { safePost } from "../providers/safe-fetch/index.ts";
import type { DnsFor } from "../providers/safe-fetch/resolver.ts";
import { type Alerts, createAlerts } from "../telemetry/alerts/alerts.ts";
import { createDelivery, type Undelivered } from "../telemetry/alerts/delivery.ts";
import type { BudgetThreshold, Events } from "../telemetry/events.ts";
import { findProblems } from "./problems.ts";

const lookEveryMs = 10_000;
const postTimeoutMs = 15_000;
/** The owner of name lookups, in place of a key. */
const lookupOwner = "alerts";

interface AlertParts {
  /** Null without alerts, until the configuration has them. */
  readonly settings: AlertSettings | null;
  readonly dataFolder: string;
  readonly events: Events;
  readonly fetchAllow: readonly string[];
}

export interface Alerting {
  /** The same events, which are alerts too. */
  readonly events: Events;
  /** The last alert that could not be delivered; null if there is none, or a later one was. */
  undelivered(): Undelivered | null;
  /** From now on these settings count. What lasts is sent to another address again. */
  change(settings: AlertSettings | null): void;
  /** Begins. Returns a function that ends it. */
  connect(gateway: Gateway): () => void;
}

function budgetEvent(alerts: Alerts, { level, id, period, percent }: BudgetThreshold): void {
  const message = `The ${period} budget of the ${level.replaceAll("_", " ")} '${id}' has reached ${percent} %.`;
  alerts.note("budget.threshold", message, { level, id, period, percent });
}

/** Events after which it is looked at once; the others are found a little later. */
function withAlerts(events: Events, alerts: Alerts, lookSoon: () => void): Events {
  return {
    ...events,
    budgetThreshold(reached) {
      events.budgetThreshold(reached);
      budgetEvent(alerts, reached);
    },
    upstreamChanged(change) {
      events.upstreamChanged(change);
      lookSoon();
    },
    candidateUnusable(candidate, error) {
      events.candidateUnusable(candidate, error);
      lookSoon();
    },
    candidateUsable(candidate) {
      events.candidateUsable(candidate);
      lookSoon();
    },
  };
}

const noKey = new Uint8Array();
/** The receiver accepts no message any more. */
const goneStatus = 410;

export function createAlerting({ settings: first, dataFolder, events, fetchAllow }: AlertParts): Alerting {
  let settings = first;
  const failed = (cause: unknown): void => events.backgroundTaskFailed("alerts", cause);
  let connected: Gateway | null = null;
  const delivery = createDelivery({
    key: () => settings?.key ?? noKey,
    clock: systemClock,
    failed,
    async post(body, headers, signal) {
      if (settings === null) return goneStatus;
      const dns = (connected?.dnsFor satisfies DnsFor | undefined)?.(lookupOwner) ?? (() => Promise.resolve([]));
      const options = { signal, allow: fetchAllow, dns, timeoutMs: postTimeoutMs, givenBy: "client", param: undefined };
      return (await safePost(settings.url, { body, headers }, { ...options, givenBy: "client" })).status;
    },
  });
  const alerts = createAlerts({
    clock: systemClock,
    reminderMs: () => settings?.reminderMs ?? 0,
    send: (message) => (settings === null ? undefined : delivery.send(message)),
    find: async () =>
      connected === null || settings === null
        ? []
        : await findProblems(connected, dataFolder, settings.diskFreePercent),
  });
  const look = (): void => void alerts.look().catch(failed);
  return {
    events: withAlerts(events, alerts, () => void setTimeout(look, 0).unref()),
    undelivered: () => (settings === null ? null : delivery.undelivered()),
    change(next) {
      if (next?.url !== settings?.url) alerts.forget();
      settings = next;
      look();
    },
    connect(gateway) {
      connected = gateway;
      const timer = setInterval(look, lookEveryMs);
      timer.unref();
      return () => {
        connected = null;
        clearInterval(timer);
        delivery.close();
      };
    },
  };
}
