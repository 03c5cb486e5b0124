// The composition root: builds everything in order and disposes of it in reverse.
import { createSealer } from "./admin/stored-entries.ts";
import { adminApi } from "./app/admin-api.ts";
import { admissionOf } from "./app/admission.ts";
import { announce } from "./app/announcement.ts";
import { followConfiguration } from "./app/apply-configuration.ts";
import { bodiesOf, declaredKeys, type Foundation, lay, type StartOptions, type Teardown } from "./app/foundation.ts";
import { openLiveCatalog, type ServedCatalog } from "./app/live-catalog.ts";
import { startProbes } from "./app/probing.ts";
import { cutOff, endWork, shutDown } from "./app/shutdown.ts";
import { streamTimersOf } from "./app/stream-timers.ts";
import { storedResponses } from "./dialects/index.ts";
import { openLedger } from "./gateway/ledger/ledger.ts";
import { createAudioTranscoder } from "./gateway/operations/audio-transcoder.ts";
import { createMissingCounters } from "./gateway/operations/token-count.ts";
import { createVoiceLists } from "./gateway/operations/voice-lists.ts";
import { createGateway } from "./gateway/pipeline/answer.ts";
import type { Gateway } from "./gateway/pipeline/gateway.ts";
import { interruptedPrice } from "./gateway/pipeline/interrupted-price.ts";
import { createReadiness } from "./gateway/pipeline/readiness.ts";
import { createRunningWork } from "./gateway/pipeline/running-work.ts";
import { usageEstimates } from "./gateway/pipeline/usage-estimate.ts";
import { openCallReplies } from "./gateway/policy/call-replies.ts";
import { createEndUsers } from "./gateway/policy/end-users.ts";
import { createIdempotency, type Idempotency } from "./gateway/policy/idempotency.ts";
import { type Keys, openKeys } from "./gateway/policy/keys.ts";
import { createPendingReservations } from "./gateway/policy/reservations.ts";
import { createWaiting } from "./gateway/policy/waiting.ts";
import { openResponses, type Responses } from "./gateway/responses/responses.ts";
import { createModelLists } from "./gateway/routing/model-lists.ts";
import { createPreferredDialects } from "./gateway/routing/preferred-dialects.ts";
import { createRouter } from "./gateway/routing/router.ts";
import { createBacklog } from "./gateway/streaming/backlog.ts";
import { createDrains } from "./gateway/streaming/drains.ts";
import { openVideos, type Videos } from "./gateway/tasks/videos.ts";
import { createCors } from "./http/cors.ts";
import { adminListenerEndpoints, endpoints } from "./http/endpoints.ts";
import type { HandlerDependencies } from "./http/handler.ts";
import { createAnswerOnce } from "./http/idempotent.ts";
import { matcher } from "./http/route-matcher.ts";
import { listen } from "./http/server.ts";
import { systemClock } from "./lib/clock.ts";
import { randomId, recordIds } from "./lib/ids.ts";
import { createSharedInterval } from "./lib/shared-interval.ts";
import { createResolver } from "./providers/safe-fetch/resolver.ts";
import { estimator, startTokenCounter } from "./providers/token-counter/index.ts";
import type { UncaughtKind } from "./telemetry/events.ts";

export interface Running {
  readonly url: string;
  /** Finishes what is in progress, then closes everything. */
  stop(): Promise<void>;
  /** Records an uncaught error. */
  uncaughtError(kind: UncaughtKind, cause: unknown): void;
  /** Reads the configuration again. Resolves when it is in effect, or was refused, which is logged. */
  reload(): Promise<void>;
  /** Aborts what is still in progress, so that a waiting `stop` can continue. The ledger rows are settled as usual. */
  hurry(): Promise<void>;
}

/** How often memory is checked while clients read slowly. */
const backlogTickMs = 500;
/** The tick of deadlines, which is how late one may be noticed. */
const deadlineTickMs = 40;
/** How often requests that wait are tried again. */
const waitingTickMs = 25;
/** Polls can be repeated after the next start. */
const videoDrainMs = 5_000;

async function takeDown(teardown: Teardown): Promise<void> {
  for (const step of teardown.splice(0).reverse()) await step();
}

async function liveCatalogOf(foundation: Foundation, teardown: Teardown): Promise<ServedCatalog> {
  const { settings, configuration: declared, store, credentialKey, events } = foundation;
  const live = await openLiveCatalog({ own: settings, declared, store, events, sealer: createSealer(credentialKey) });
  teardown.push(() => live.close());
  return live;
}

function gatewayOf(foundation: Foundation, options: StartOptions, live: ServedCatalog, teardown: Teardown): Gateway {
  const { settings, limits, events } = foundation;
  const onFailure = (cause: unknown): void => events.backgroundTaskFailed("ledger", cause);
  const priceOf = interruptedPrice(live.prices(), live.holder.current());
  const ledger = openLedger({ dataFolder: settings.dataFolder, clock: systemClock, onFailure, priceOf });
  teardown.push(() => ledger.close());
  if (ledger.interrupted > 0) events.recovered(ledger.interrupted);
  const counter = startTokenCounter(limits);
  teardown.push(() => counter.close());
  const backlog = createBacklog(limits, createSharedInterval(backlogTickMs), options.memory);
  const admission = admissionOf(foundation, { ledger, prices: live.prices, isFull: backlog.isFull });
  const { concurrency, rates, budgets, providerLimits } = admission;
  const listings = createModelLists(systemClock, events.modelListFailed);
  const policies = [...admission.policies, ...(options.policies ?? [])];
  return createGateway({
    catalog: live.holder,
    listings,
    policies,
    rates,
    budgets,
    endUsers: createEndUsers(systemClock),
    inFlight: concurrency.inFlight,
    waiting: createWaiting(systemClock, createSharedInterval(waitingTickMs)),
    running: createRunningWork(),
    bodies: bodiesOf(foundation, teardown),
    pending: createPendingReservations(policies, ledger.reservations),
    limits,
    fallbackProvider: estimator(counter),
    missingCounters: createMissingCounters(systemClock),
    voiceLists: createVoiceLists({ clock: systemClock, limits, failed: events.modelListFailed }),
    router: createRouter({
      ...{ clock: systemClock, limits, events, prices: live.prices, random: Math.random, providerLimits },
      lists: listings,
    }),
    providerLimits,
    estimates: usageEstimates(counter),
    drains: createDrains(limits),
    transcoder: settings.ffmpeg === null ? null : createAudioTranscoder(settings.ffmpeg, limits),
    ledger,
    get prices() {
      return live.prices();
    },
    clock: systemClock,
    ...{ events, traces: foundation.traces },
    deadlines: { ticker: createSharedInterval(deadlineTickMs), clock: systemClock },
    streamTimers: streamTimersOf(options.heartbeatMs, limits, backlog),
    fetchAllow: foundation.fetchAllow,
    dnsFor: createResolver({
      limits,
      ...(options.nameServers === undefined ? {} : { servers: options.nameServers }),
    }),
    preferred: createPreferredDialects(systemClock, limits),
    nextId: recordIds(systemClock),
  });
}

const defaultRetentionDays = 30;
const dayMs = 24 * 60 * 60_000;

/** Null if content is never stored. */
async function idempotencyOf(
  foundation: Foundation,
  gateway: Gateway,
  teardown: Teardown,
): Promise<Idempotency | null> {
  const { store, replyKey: sealKey, configuration, limits, events } = foundation;
  if (configuration.file.config.responses?.retention_days === 0) return null;
  const { clock, nextId, ledger } = gateway;
  const failed = (cause: unknown): void => events.backgroundTaskFailed("idempotency", cause);
  const replies = await openCallReplies({ store, sealKey, instance: ledger.id, clock, limits, nextId, failed });
  teardown.push(() => replies.close());
  return createIdempotency(replies, limits);
}

async function responsesRoom(foundation: Foundation, gateway: Gateway, teardown: Teardown): Promise<Responses> {
  const { store, sealKey, configuration, limits } = foundation;
  const retentionMs = (configuration.file.config.responses?.retention_days ?? defaultRetentionDays) * dayMs;
  const responses = await openResponses({ gateway, store, codec: storedResponses, sealKey, retentionMs });
  teardown.push(() => responses.close(limits.shutdownMs));
  return responses;
}

async function videosRoom(
  { store, configuration, videoKeys: signing }: Foundation,
  gateway: Gateway,
  options: StartOptions,
  teardown: Teardown,
): Promise<Videos> {
  const leaseOwner = randomId("lease_");
  const waitScale = options.videoWaitScale ?? 1;
  const videos = await openVideos({
    ...configuration.videos,
    ...signing,
    gateway,
    store,
    leaseOwner,
    random: Math.random,
    waitScale,
  });
  teardown.push(() => videos.close(videoDrainMs));
  return videos;
}

async function keysOf(foundation: Foundation, teardown: Teardown): Promise<Keys> {
  const { store, pepper, events, configuration } = foundation;
  const failed = (cause: unknown): void => events.backgroundTaskFailed("keys", cause);
  const declared = declaredKeys(configuration.access, pepper);
  const keys = await openKeys({ store, pepper, declared, clock: systemClock, failed });
  teardown.push(() => keys.close());
  return keys;
}

/** The separate listener for management, if configured. Pages of other origins may not call it. */
function listenForAdmin(
  { print }: StartOptions,
  { settings: { adminListener } }: Foundation,
  { cors: _, ...parts }: HandlerDependencies,
  teardown: Teardown,
): void {
  if (adminListener === null) return;
  const listener = listen({ ...adminListener, parts, portName: "TURNPIKE_ADMIN_PORT" });
  teardown.push(() => listener.stop(true));
  print(`The admin API is listening on ${listener.url}`);
}

/** Builds and starts the gateway. If it cannot, throws an Error with one clear sentence, and leaves nothing open. */
export async function start(options: StartOptions): Promise<Running> {
  const teardown: Teardown = [];
  try {
    const foundation = await lay(options, teardown);
    const live = await liveCatalogOf(foundation, teardown);
    const gateway = gatewayOf(foundation, options, live, teardown);
    const { settings, limits, observability } = foundation;
    teardown.push(observability.connect(gateway), startProbes(gateway));
    const keys = await keysOf(foundation, teardown);
    const readiness = createReadiness({ ledger: gateway.ledger, keys, clock: systemClock });
    const responses = await responsesRoom(foundation, gateway, teardown);
    const videos = await videosRoom(foundation, gateway, options, teardown);
    keys.onWorkEnded((keyId) => endWork(keyId, gateway, responses, videos));
    const answerOnce = createAnswerOnce(gateway, await idempotencyOf(foundation, gateway, teardown));
    const { catalog, listings, clock, endUsers, rates, budgets, ledger } = gateway;
    const { publicUrl } = foundation.configuration.videos;
    const followed = followConfiguration(options, { foundation, live, gateway, keys }, teardown);
    const admin = adminApi(
      { ...foundation, ...observability, followed, catalog: live, gateway, videos, keys, readiness },
      teardown,
    );
    const rows = endpoints({
      catalog: catalog.current,
      listings,
      readiness,
      responses,
      videos,
      ...{ endUsers, rates, budgets, spentBy: (keyId) => ledger.spent("key", keyId, 0) },
      clock,
      answerOnce,
      limits,
      publicUrl,
      ...(settings.adminListener === null ? { admin } : {}),
    });
    const { corsOrigins, trustedProxies } = settings;
    const cors = corsOrigins.length === 0 ? {} : { cors: createCors(corsOrigins) };
    const parts = { match: matcher(rows), keys, gateway, answerOnce, limits, trustedProxies, ...cors };
    const listener = listen({ host: settings.host, port: settings.port, parts });
    options.print(`Turnpike is listening on ${listener.url}`);
    const adminMatch = matcher(adminListenerEndpoints(admin, readiness));
    listenForAdmin(options, foundation, { ...parts, match: adminMatch }, teardown);
    void announce(options, listener.url, foundation, gateway, teardown);
    return {
      url: listener.url,
      uncaughtError: foundation.events.uncaughtError,
      async stop() {
        await shutDown({ listener, gateway, beginDrain: readiness.drain }, limits.shutdownMs, options.announceMs);
        await takeDown(teardown);
      },
      reload: followed.reload,
      async hurry() {
        cutOff({ listener, gateway });
        await responses.close(0);
      },
    };
  } catch (thrown) {
    await takeDown(teardown);
    throw thrown;
  }
}
