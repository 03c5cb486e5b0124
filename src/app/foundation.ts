// What the gateway is built on: settings, configuration, store, secrets, events; opened in order before anything is
// served.

import type { DeclaredAccess } from "../config/access.ts";
import { type Configuration, readConfiguration } from "../config/configuration.ts";
import { prepareDataFolder, refuseEmptiedStore } from "../config/data-folder.ts";
import { withinDescriptors } from "../config/descriptors.ts";
import { type Environment, readSettings, type Settings } from "../config/environment.ts";
import { type Limits, limitsOf } from "../config/limits.ts";
import {
  credentialKeyOf,
  ensureFirstKeys,
  type FirstKeys,
  openRoot,
  pepperOf,
  previousSecret,
  readSecret,
} from "../config/secrets.ts";
import { withoutOwnProviders } from "../config/self-reference.ts";
import { type VideoKeys, videoKeys } from "../config/videos.ts";
import { type Bodies, openBodies } from "../gateway/bodies/bodies.ts";
import { checkLedger } from "../gateway/ledger/integrity.ts";
import type { DeclaredKeys } from "../gateway/policy/keys.ts";
import type { Policy } from "../gateway/policy/policy.ts";
import type { Memory } from "../gateway/streaming/backlog.ts";
import { systemClock } from "../lib/clock.ts";
import { deriveKey, hashKey } from "../lib/secret.ts";
import { removedVariable } from "../runtime-environment.ts";
import { openStore, type Store } from "../store/store.ts";
import type { Events } from "../telemetry/events.ts";
import type { Log } from "../telemetry/log.ts";
import type { Traces } from "../telemetry/trace.ts";
import { type Alerting, createAlerting } from "./alerting.ts";
import type { Loaded } from "./live-configuration.ts";
import type { Discovery } from "./local-servers.ts";
import { createObservability, type Observability } from "./observability.ts";
import { flushMs } from "./shutdown.ts";

export interface StartOptions {
  readonly environment: Environment;
  readonly workingFolder: string;
  /** Prints the startup message. */
  print(line: string): void;
  log?(line: string): void;
  /** Opens the console at the first start. Absent without a screen at this machine. */
  openPage?(url: string): void;
  /** True: the log is text for people. Default: JSON for programs. */
  readonly logsToTerminal?: boolean;
  /** Additional policies for every exchange, checked after the built-in ones. */
  readonly policies?: readonly Policy[];
  /** False: local model servers are not discovered. */
  readonly discovers?: boolean;
  /** Where and how often they are discovered, if not as usual. */
  readonly discovery?: Discovery;
  /** Idle time before a heartbeat; by default the configured limit. */
  readonly heartbeatMs?: number;
  /** How long new requests are answered after the order to stop, in milliseconds; by default half a second. */
  readonly announceMs?: number;
  /** Name servers for hosts of URLs, as `address` or `address:port`; by default the system's. */
  readonly nameServers?: readonly string[];
  /** A factor for the waits between two polls of a video; 1 except in tests. */
  readonly videoWaitScale?: number;
  /** How memory is measured for limits; by default that of this process. */
  readonly memory?: Memory;
}

/** Functions that dispose of what was built, in the order of creation. */
export type Teardown = (() => unknown)[];

export interface Foundation {
  readonly settings: Settings;
  readonly configuration: Configuration;
  /** Of the configuration in effect: its members change. */
  readonly limits: Limits;
  /** Of the configuration in effect, too. */
  readonly fetchAllow: string[];
  readonly log: Log;
  readonly store: Store;
  readonly pepper: Uint8Array;
  /** Encrypts summaries of conversations. */
  readonly sealKey: Uint8Array;
  /** Encrypts credentials of providers. */
  readonly credentialKey: Uint8Array;
  /** Encrypts replies to idempotent requests. */
  readonly replyKey: Uint8Array;
  readonly videoKeys: VideoKeys;
  readonly firstKeys: FirstKeys;
  readonly events: Events;
  readonly traces: Traces | null;
  readonly alerting: Alerting;
  readonly observability: Pick<Observability, "registry" | "connect" | "hide">;
}

/** The gateway's own secrets, as far as they were given: the store has only hashes of others. */
export function givenSecrets({ settings, configuration: { access } }: Loaded): string[] {
  const { secret, previousSecret: earlier, adminKey, clientKey, webhookSecret } = settings;
  const given = [secret, earlier, adminKey, clientKey, webhookSecret].filter((each) => each !== null);
  const { traces, metrics } = settings.openTelemetry ?? {};
  const headers = [traces, metrics].flatMap((target) => Object.values(target?.headers ?? {}));
  return [...given, ...headers, ...access.keys.map((key) => key.secret)];
}

/** Throws an Error with one clear sentence if it cannot. What it opens is added to `teardown` at once. */
export async function lay(options: StartOptions, teardown: Teardown): Promise<Foundation> {
  const settings = readSettings(options.environment, options.workingFolder);
  const configuration = readConfiguration(settings);
  const folderWarnings = prepareDataFolder(settings.dataFolder);
  const limits = withinDescriptors(limitsOf(configuration.file.config.limits));
  const { log, events, ...observability } = createObservability({
    sink: options.log ?? (() => undefined),
    level: configuration.logLevel,
    format: options.logsToTerminal ? settings.terminalFormat : "json",
    secrets: givenSecrets({ settings, configuration }),
  });
  const traces = await observability.exportTo(settings.openTelemetry);
  if (traces !== null) teardown.push(() => traces.close(Math.min(flushMs, limits.shutdownMs)));
  await checkLedger(settings.dataFolder, limits.ledgerCheckMs, (fault) => events.backgroundTaskFailed("ledger", fault));
  const store = await openStore({ dataFolder: settings.dataFolder, databaseUrl: settings.databaseUrl });
  teardown.push(() => store.close());
  await refuseEmptiedStore(store, settings.dataFolder);
  const root = await openRoot(store, readSecret(settings), previousSecret(settings));
  const pepper = pepperOf(root);
  const sealKey = deriveKey(root, "compaction");
  const keysOfVideos = videoKeys(settings, root);
  const firstKeys = await ensureFirstKeys(store, pepper, settings, systemClock.nowMs());
  for (const warning of [...folderWarnings, ...store.warnings]) log.write("warn", "store", { warning });
  for (const warning of configuration.warnings) log.write("warn", "configuration", { warning });
  const removed = settings.environment[removedVariable];
  if (removed !== undefined) log.write("warn", "variables_removed", { names: removed });
  const ignored = (warning: string): void => log.write("warn", "provider_ignored", { warning });
  const file = await withoutOwnProviders(configuration.file, { settings, store, pepper }, ignored);
  const fetchAllow = [...configuration.fetchAllow];
  const { alerts } = configuration;
  const alerting = createAlerting({ settings: alerts, dataFolder: settings.dataFolder, fetchAllow, events });
  return {
    settings,
    configuration: { ...configuration, file },
    limits,
    fetchAllow,
    log,
    store,
    pepper,
    sealKey,
    credentialKey: credentialKeyOf(root),
    replyKey: deriveKey(root, "idempotency"),
    videoKeys: keysOfVideos,
    firstKeys,
    events: alerting.events,
    traces,
    alerting,
    observability: { ...observability, connect: both(observability, alerting) },
  };
}

const both =
  (...parts: readonly Pick<Observability, "connect">[]): Observability["connect"] =>
  (gateway) => {
    const ends = parts.map(({ connect }) => connect(gateway));
    return () => {
      for (const end of ends) end();
    };
  };

/** Once the folder is known to be this process's own. */
export function bodiesOf({ settings, configuration, events }: Foundation, teardown: Teardown): Bodies {
  const failed = (cause: unknown): void => events.backgroundTaskFailed("bodies", cause);
  const { dataFolder } = settings;
  const bodies = openBodies({ ...configuration.bodies, dataFolder, clock: systemClock, failed });
  teardown.push(() => bodies.close());
  return bodies;
}

/** Keys of the file by the hash of their secret, its projects and its organization. */
export function declaredKeys({ keys, ...others }: DeclaredAccess, pepper: Uint8Array): DeclaredKeys {
  return { keys: new Map(keys.map((key) => [hashKey(pepper, key.secret), key])), ...others };
}
