// Applies a changed configuration to the running gateway: steps that can fail or wait come first, then everything
// changes in one turn of the event loop.
import { changesBetween } from "../config/changes.ts";
import { withinDescriptors } from "../config/descriptors.ts";
import type { Mark } from "../config/hide-secrets.ts";
import { limitsOf } from "../config/limits.ts";
import { ensureFirstKeys, readExistingSecret } from "../config/secrets.ts";
import { withoutOwnProviders } from "../config/self-reference.ts";
import { shownConfig, snapshotMarks, writeSnapshot } from "../config/snapshot.ts";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import type { Keys } from "../gateway/policy/keys.ts";
import { systemClock } from "../lib/clock.ts";
import { metricFamilies } from "../telemetry/metric-families.ts";
import { declaredKeys, type Foundation, givenSecrets, type StartOptions, type Teardown } from "./foundation.ts";
import type { ServedCatalog } from "./live-catalog.ts";
import {
  type LiveConfiguration,
  type LiveConfigurationOptions,
  type Loaded,
  openLiveConfiguration,
} from "./live-configuration.ts";

interface ApplyParts {
  readonly foundation: Foundation;
  readonly live: ServedCatalog;
  readonly gateway: Pick<Gateway, "budgets" | "listings" | "bodies">;
  readonly keys: Keys;
}

/**
 * The model lists of new providers are requested first, because names that only they have would otherwise have no
 * provider meanwhile.
 */
const listPatienceMs = 1_500;

/** Of the secret that the gateway was started with. */
const marksOf = ({ settings }: Foundation): Mark => snapshotMarks(readExistingSecret(settings));

/** Without it only `turnpike config plan` does not work. */
function saveSnapshot(foundation: Foundation, { configuration }: Pick<Loaded, "configuration">): void {
  try {
    writeSnapshot(foundation.settings.dataFolder, configuration.file, marksOf(foundation));
  } catch (cause) {
    foundation.events.backgroundTaskFailed("configuration", cause);
  }
}

/**
 * The differences by name, such as `provider local`. Variables are those that configure providers or are referred to
 * in the file.
 */
function changedNames(next: Loaded, running: Loaded, mark: Mark): string[] {
  const changes = changesBetween(
    shownConfig(running.configuration.file, mark),
    shownConfig(next.configuration.file, mark),
  );
  const variables = Object.entries(next.settings.environment).flatMap(([name, value]) =>
    value === running.settings.environment[name] ? [] : [name],
  );
  return [...changes.map(({ type, name }) => `${type} ${name}`), ...variables];
}

/** The first keys are in the store: they are written there if their files have changed. */
async function writeFirstKeys({ store, pepper }: Foundation, next: Loaded, running: Loaded): Promise<boolean> {
  const [{ adminKey, clientKey }, before] = [next.settings, running.settings];
  if (adminKey === before.adminKey && clientKey === before.clientKey) return false;
  await ensureFirstKeys(store, pepper, next.settings, systemClock.nowMs());
  return true;
}

/** Throws a ConfigFault, or an error of the store, without having changed anything. */
function configurationApplier({ foundation, live, gateway, keys }: ApplyParts): LiveConfigurationOptions["apply"] {
  const { store, pepper, limits, fetchAllow, observability, log, alerting } = foundation;
  const mark = marksOf(foundation);
  return async (next, running) => {
    const { configuration, settings } = next;
    const file = await withoutOwnProviders(configuration.file, { settings, store, pepper }, () => undefined);
    const declared = { file, prices: configuration.prices };
    await gateway.listings.refreshAll(live.newProviders(declared), listPatienceMs);
    const hasNewKeys = await writeFirstKeys(foundation, next, running);
    // From here on nothing waits and nothing fails.
    observability.hide(givenSecrets(next));
    log.setLevel(configuration.logLevel);
    Object.assign(limits, withinDescriptors(limitsOf(file.config.limits)));
    fetchAllow.splice(0, fetchAllow.length, ...configuration.fetchAllow);
    gateway.bodies.change(configuration.bodies);
    alerting.change(configuration.alerts);
    live.declare(declared);
    keys.declare(declaredKeys(configuration.access, pepper));
    if (configuration.timeZone !== running.configuration.timeZone) gateway.budgets.changeZone(configuration.timeZone);
    if (hasNewKeys) await keys.refresh();
    saveSnapshot(foundation, next);
    return changedNames(next, running, mark);
  };
}

/** Follows the configuration files that the gateway was started with. */
export function followConfiguration(
  { environment, workingFolder }: Pick<StartOptions, "environment" | "workingFolder">,
  parts: ApplyParts,
  teardown: Teardown,
): LiveConfiguration {
  const { settings, configuration, events, observability } = parts.foundation;
  const followed = openLiveConfiguration({
    ...{ environment, workingFolder, events, nowMs: systemClock.nowMs },
    first: { settings, configuration },
    apply: configurationApplier(parts),
  });
  observability.registry.reading(metricFamilies.configurationFaults, () => followed.status().faults.length);
  observability.registry.reading(metricFamilies.configurationLoaded, () => followed.status().loadedAtMs / 1_000);
  teardown.push(followed.close);
  saveSnapshot(parts.foundation, { configuration });
  return followed;
}
