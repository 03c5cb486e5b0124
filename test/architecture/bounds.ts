// The rule that every bound has a row in a table: constants that are named as bounds are in src/config/limits.ts, in scripts/fixed-limits.json, or here with a reason.
import { constantsOf, inlineNumbersOf } from "../../scripts/constants.ts";
import type { SourceFile } from "./source.ts";

const comparative =
  /^(?:max|min|most|least|longest|shortest|largest|smallest|default|usual|at)(?=[A-Z])|^(?:deepest|windows|growth)$/;
const unit =
  /(?:Ms|Seconds|Minutes|Hours|Days|Bytes|Chars|Characters|Tokens|Limits?|Tries|Items|Parts|Rows|Calls|Steps|Depth|Misses|Texts|Side|Pixels|Keys|Dimensions|Containers|Quotes)$/;

/** True for a name that bounds something, or has a unit. */
export const isBoundName = (name: string): boolean =>
  name.split(".").some((word) => comparative.test(word) || unit.test(word));

const inTable = /^src\/config\/(?:\w+-)?limits\.ts$/;

/** Rows of vendors' models, each with its source: `model_capabilities` adds to them. */
const isVendorTable = /^src\/dialects\/(?:video\/upstreams\/|[\w-]+\/model-(?:tables|capabilities)\.ts$)/;

/** Words of JSON Schema: `/openapi.json` shows these bounds. */
const isSchemaWord = /^(?:min|max)(?:Length|Items|Properties)$/;

/** Bounds of the source, as `path name`, outside the table of limits. Members of objects count wherever they are. */
export function boundsIn(files: readonly Pick<SourceFile, "path" | "text">[]): string[] {
  return files
    .filter(({ path }) => !inTable.test(path))
    .flatMap(({ path, text }) => {
      const inline = isVendorTable.test(path) ? [] : inlineNumbersOf(path, text);
      const names = [...constantsOf(path, text), ...inline.filter(({ name }) => !isSchemaWord.test(name))]
        .filter(({ name, value }) => value !== 0 && isBoundName(name))
        .map(({ name }) => `${path} ${name}`);
      return [...new Set(names)];
    });
}

/** Bounds that are in no table. */
export function boundsWithoutRow(
  files: readonly Pick<SourceFile, "path" | "text">[],
  listed: ReadonlySet<string>,
): string[] {
  return boundsIn(files)
    .filter((bound) => !listed.has(bound))
    .map(
      (bound) =>
        `${bound}: make it a row of src/config/limits.ts. If it cannot be set, list it in scripts/fixed-limits.json where a user can meet it, else in test/architecture/bounds.ts with its reason.`,
    );
}

/** Why bounds are in neither table: `path name name`. */
export const otherBounds: Readonly<Record<string, readonly string[]>> = {
  "a unit's size, not a bound": [
    ...["src/config/bodies.ts dayMs", "src/admin/resources/series.ts dayMs"],
    ...["src/app.ts dayMs", "src/admin/attention.ts hourMs dayMs"],
    "src/cli/keys.ts dayMs hourMs mostAtOnce",
    "src/gateway/policy/end-users.ts minuteMs dayMs rememberedMs.week rememberedMs.month",
    ...["src/gateway/policy/rate-levels.ts minuteMs", "src/gateway/policy/budget-forecast.ts hourMs dayMs"],
    "src/gateway/ledger/spend.ts spendBucketMs",
    ...["src/cli/usage.ts oneDayMs", "src/cli/prices.ts oneDayMs"],
    ...["src/gateway/ledger/usage-index.ts hourMs dayMs", "src/gateway/ledger/roll-ups.ts minuteMs hourMs levelMs.day"],
    ...["src/config/videos.ts dayMs hourMs", "src/admin/users.ts dayMs"],
    "src/gateway/tasks/task-view.ts hourSeconds",
  ],
  "a layout or a rate that a format fixes": [
    "src/dialects/shared/audio-duration.ts usualBytesPerSecond headBytes oggPageBytes",
    "src/dialects/shared/audio-format.ts tellingBytes tagHeadBytes headerBytes sampleBytes",
    "src/dialects/shared/pcm.ts sampleBytes",
    "src/dialects/speech/pcm-wav.ts headBytes",
    "src/lib/image-size.ts headBytes",
    "src/lib/ids.ts fairBytes",
    "src/lib/secret.ts nonceBytes tagBytes",
    "src/lib/webhook.ts leastBytes mostBytes",
    "src/lib/exact-json.ts narrowChars",
    "src/lib/size.ts scalarChars",
    "src/providers/bedrock/event-stream.ts preludeBytes sumBytes overheadBytes",
    "src/config/secrets.ts keyChars",
    "src/telemetry/events.ts mostNames",
    "src/gateway/policy/key-changes.ts keyChars",
    ...["src/admin/users.ts secretChars", "src/admin/resources/service-tokens.ts secretChars"],
    ...["src/admin/sessions.ts secretChars userAgentChars"],
    "src/providers/safe-fetch/url-policy.ts longestName",
    "src/dialects/tokens/text-scan.ts twoBytes",
    "src/store/blobs/bucket.ts partBytes",
    "src/gateway/ledger/schema.ts pageBytes",
  ],
  "what a vendor accepts: names and ids are made to fit, and come back as the client's": [
    "src/dialects/anthropic-messages/tool-names.ts maxToolNameChars",
    "src/dialects/bedrock-converse/tools.ts maxToolNameChars",
    "src/dialects/gemini/tools.ts maxNameChars",
    "src/dialects/gemini/model-capabilities.ts unlisted.maxChoices",
    "src/providers/presets.ts mostItems",
    "src/providers/native-presets.ts mostItems",
    "src/providers/vendors.ts mostItems",
    "src/dialects/video/upstreams/kling.ts shared.resultSeconds",
    "src/dialects/video/upstreams/veo.ts shared.resultSeconds",
    "src/dialects/openai-chat/tools.ts maxToolNameChars",
    "src/dialects/openai-chat/tool-calls.ts maxIdChars shortHashChars",
    "src/dialects/openai-responses/ids.ts maxBodyChars",
    "src/dialects/openai-responses/request.ts maxToolNameChars",
    "src/dialects/anthropic-messages/sampling.ts minThinkingTopP",
    "src/dialects/embeddings/vectors.ts fullDimensions",
    "src/dialects/video/upstreams/wan.ts usualShape",
  ],
  "a default of a format where the client leaves the field out": [
    ...["src/admin/users.ts defaultInviteDays", "src/admin/query.ts defaultLimit"],
    ...["src/config/console-settings.ts defaultSessionHours defaultIdleMinutes"],
    "src/dialects/moderations/moderator-forms.ts short.maxOutputTokens",
    "src/dialects/anthropic-messages/reasoning.ts replyTokens",
    "src/dialects/anthropic-messages/request.ts fallbackMaxTokens",
    "src/dialects/openai-completions/fields.ts defaultMaxTokens",
    "src/dialects/openai-responses/stored-items.ts defaultLimit",
    "src/http/openai-videos.ts defaultLimit",
    "src/dialects/shared/reasoning-effort.ts mediumBudgetTokens highBudgetTokens",
    "src/providers/sandbox/embed.ts defaultDimensions",
    "src/providers/sandbox/image.ts usualSide",
    "src/providers/sandbox/video.ts defaultRunMs",
  ],
  "a setting of its own has this default": [
    "src/app.ts defaultRetentionDays",
    "src/gateway/policy/end-users.ts defaultMax",
    ...["src/store/store.ts defaultTimeoutMs", "src/admin/attention.ts expiryWithinMs"],
    "src/providers/timeouts.ts defaultTimeouts.connectMs defaultTimeouts.wholeMs defaultTimeouts.firstByteMs defaultTimeouts.idleMs reasoningTimeouts.wholeMs reasoningTimeouts.firstByteMs reasoningTimeouts.idleMs maxTimeoutMs",
    ...["src/app/local-servers.ts defaultEveryMs", "src/gateway/policy/budget-forecast.ts recentMs horizonMs"],
  ],
  "how an estimate or a layout of text is made": [
    "src/dialects/tokens/families.ts openai.pageTokens claude.pageTokens gemini.pageTokens pageTokens",
    "src/dialects/tokens/request-parts.ts unknownSeconds headChars mostMp3BytesPerSecond",
    "src/gateway/pipeline/request-size.ts usualVideoSeconds leastTokens",
    "src/dialects/tokens/text-scan.ts longestWord wholeChars windows windowChars budgetChars",
    "src/dialects/transcription/subtitles.ts longestPauseSeconds longestCueSeconds cueCharacters",
    "src/providers/token-counter/slices.ts sliceChars runChars",
    "src/gateway/streaming/meter.ts sampleChars batchChars",
    "src/dialects/openai-responses/transcript.ts minOutputChars",
  ],
  "a buffer or a slice of work: it changes speed, and no answer": [
    ...["src/store/audit.ts pageRows", "src/admin/live-requests.ts maxShownRows maxReadRows"],
    ...["src/admin/passwords.ts maxAtOnce retryAfterMs", "src/gateway/end-users/held-data.ts pageRows"],
    ...["src/admin/resources/end-users.ts maxObjects", "src/admin/resources/budgets.ts maxBudgetKeys"],
    "src/gateway/bodies/recorder.ts beyondBytes shortestSecret",
    "src/gateway/bodies/bodies.ts maxWaiting",
    "src/lib/event-loop-turn.ts inOneTurnBytes",
    "src/providers/sandbox/moderate.ts stepChars itemChars",
    "src/providers/sandbox/rerank.ts stepChars",
    ...["src/http/read.ts smallBytes onePieceBytes", "src/admin/attention.ts maxValues"],
    "src/http/write.ts wholeChars",
    "src/gateway/responses/stored-json.ts pieceChars",
    "src/lib/body-thread.ts inPlaceBytes plainBytes plainContainers plainQuotes blockBytes partBytes",
    "src/lib/json-tail.ts maxTailBytes",
    "src/dialects/openai-chat/passthrough.ts longBytes",
    "src/lib/json-digest.ts stepBytes",
    "src/lib/json-write.ts stepChars sliceChars",
    "src/lib/redact-bytes.ts longChars",
    "src/providers/upstream.ts smallBytes chunkBytes",
    "src/providers/sandbox/speak.ts pieceBytes",
    "src/providers/sandbox/thread.ts stepBytes",
    "src/dialects/openai-responses/streamed-output.ts maxPieces",
    "src/gateway/ledger/integrity.ts inPlaceBytes",
    "src/gateway/ledger/usage-index.ts blockRows chunkRows",
    "src/gateway/ledger/reprice.ts pageRows pauseMs",
    "src/gateway/ledger/request-list.ts maxBlocks",
    "src/http/export-endpoints.ts pageRows",
    "src/gateway/ledger/ledger.ts progressEveryMs defaultCheckpointEveryRows",
    "src/gateway/streaming/client-stream.ts progressMs",
    "src/gateway/tasks/cancel.ts atOnce",
    "src/gateway/tasks/finalize.ts atOnce",
    "src/gateway/tasks/results.ts atOnce",
    "src/gateway/streaming/backlog.ts mostAtOnce",
    "src/store/responses.ts mostAtOnce",
    "src/http/json-array-stream.ts maxFrameBytes",
  ],
  "a command that a person runs: it waits, compares and warns": [
    "src/cli/check.ts atOnce timeoutMs",
    "src/cli/machine-checks.ts leastFreeMib usualFreeMib toleranceMs",
    "src/cli/network-checks.ts providerTimeoutMs clockToleranceMs",
    "src/cli/open-catalog.ts listTimeoutMs",
    "src/cli/health.ts timeoutMs maxAnswerBytes",
    "src/config/hide-secrets.ts shortestSecret",
  ],
  "a cache: beyond it something is computed or asked again": [
    ...["src/dialects/tokens/families.ts mostKnown", "src/providers/connection-watch.ts maxHosts"],
    "src/http/write.ts maxReady",
    "src/gateway/prices/price-book.ts maxPlaces",
    "src/gateway/policy/worst-case.ts flatForMs maxFlat",
    "src/gateway/policy/rules.ts maxShared",
    "src/http/cors.ts maxAgeSeconds",
    "src/providers/bedrock/index.ts maxDerivedKeys",
    "src/gateway/operations/token-count.ts memoryMs",
    "src/gateway/operations/voice-lists.ts freshMs retryMs",
    "src/gateway/routing/model-lists.ts freshMs retryMs",
    "src/providers/safe-fetch/resolver.ts freshMs",
    "src/providers/upstream.ts pooledMs staleMs",
  ],
  "how often something of the gateway's own is looked at, or how long it waits between tries": [
    ...["src/app/announcement.ts listPatienceMs", "src/providers/connection-watch.ts lookEveryMs"],
    "src/app.ts backlogTickMs deadlineTickMs videoDrainMs waitingTickMs",
    "src/telemetry/event-loop-delay.ts everyMs",
    "src/gateway/bodies/bodies.ts pruneEveryMs",
    ...["src/app/admin-api.ts catchUpEveryMs", "src/http/live-endpoints.ts tickMs maxTicks"],
    "src/gateway/end-users/erasures.ts lookEveryMs",
    ...["src/gateway/ledger/writer.ts firstRetryMs longestRetryMs", "src/gateway/ledger/repricer.ts lookEveryMs"],
    ...["src/gateway/ledger/ballast.ts lookMs lowBytes mostBytes", "src/gateway/ledger/request-ids.ts nearMs"],
    "src/gateway/prices/stored-books.ts lookEveryMs",
    "src/gateway/pipeline/readiness.ts probeEveryMs",
    "src/gateway/pipeline/usage-estimate.ts patienceMs",
    "src/gateway/policy/concurrency.ts retryAfterMs",
    "src/gateway/policy/call-replies.ts aliveMs keepAliveEveryMs purgeEveryMs purgeParts claimTries",
    "src/gateway/policy/keys.ts pollMs lookEveryMs",
    "src/gateway/policy/end-users.ts pruneEveryMs",
    "src/gateway/policy/budgets.ts longestWaitMs",
    "src/gateway/responses/background-run.ts heartbeatTtlMs",
    "src/gateway/responses/background-runs.ts heartbeatMs purgeExpiredMs purgeOldMs",
    "src/gateway/streaming/upstream-stream.ts drainMs",
    "src/gateway/tasks/create.ts writeTries",
    "src/gateway/tasks/archive.ts waits.firstMs waits.growth waits.mostMs",
    "src/gateway/tasks/webhook.ts waits.firstMs waits.growth waits.mostMs",
    "src/gateway/tasks/dependencies.ts leaseMs",
    "src/gateway/tasks/schedule.ts shortestIntervalMs",
    "src/gateway/attempts/retry.ts leastWaitMs mostWaitMs",
    "src/gateway/routing/breaker.ts probeMs maxEjections",
    "src/gateway/routing/health.ts usualWaitMs",
    "src/config/routes.ts maxWaitMs maxWaiting usualAffinitySeconds usualExplorationPercent",
    "src/gateway/routing/upstream.ts retryWindowMs",
    "src/gateway/routing/resolve.ts maxNames",
    "src/gateway/tasks/workers.ts maintenanceMs longestWaitMs pollPace.intervalMs pollPace.maxPerClaim",
    "src/gateway/tasks/workers.ts webhookPace.intervalMs webhookPace.maxPerClaim copyPace.intervalMs copyPace.maxPerClaim",
    "src/gateway/tasks/poll.ts waitMs",
    "src/gateway/tasks/schedule.ts growth firstMs mostMs mostTroubleMs",
    ...["src/gateway/tasks/task-state.ts unknownForMs", "src/gateway/tasks/transfer.ts renewMs"],
    ...["src/http/slow-body.ts lookMs", "src/gateway/ledger/reader.ts usualPatienceMs retryAfterMs"],
    "src/app/local-servers.ts laterTimeoutMs listTimeoutMs maxMisses",
    "src/providers/discover.ts patienceMs",
    "src/providers/kling.ts lifeSeconds skewSeconds earlyMs",
    "src/providers/vertex/service-account.ts lifeSeconds earlyMs lastMs patienceMs",
    "src/gateway/pipeline/running-work.ts retryAfterMs",
    "src/app/shutdown.ts farewellMs flushMs idleMs settleMs settleTickMs usualAnnounceMs",
    ...["src/app/startup-check.ts patienceMs", "src/store/blobs/bucket.ts answerPatienceMs"],
    "src/store/blobs/folder.ts deadAfterMs",
    "src/store/change-counter.ts maxTries",
    "src/app/admin-api.ts testTimeoutMs",
    ...["src/admin/access.ts touchEveryMs", "src/admin/sessions.ts touchEveryMs"],
    ...["src/app/live-catalog.ts pollMs", "src/config/file-watch.ts everyMs settleMs", "src/admin/admin.ts maxTries"],
    "src/app/apply-configuration.ts listPatienceMs",
    "src/admin/failed-attempts.ts firstWaitMs forgottenAfterMs maxAddresses budgetRefillMs",
    "src/store/connect.ts lockTimeoutMs",
    "src/store/lock-retry.ts busyBlockMs busyWaitMs busyNapMs",
    "src/store/migrate.ts migrationWaitMs",
    "src/gateway/ledger/reconcile.ts comparisonTries",
  ],
  "how long a refused client is asked to wait: a hint": [
    "src/gateway/ledger/writer.ts retryAfterMs",
    "src/gateway/operations/audio-transcoder.ts retryAfterMs",
    "src/gateway/policy/call-replies.ts retryAfterMs",
    "src/gateway/responses/background-runs.ts retryAfterMs",
    "src/providers/token-counter/counter.ts retryAfterMs",
    "src/store/failure.ts retryAfterMs",
  ],
  "what the sandbox plays by itself": [
    "src/providers/sandbox/directives.ts delayMs paceMs rateLimit",
    "src/providers/sandbox/video.ts firstMs mostMs",
  ],
  "every caller gives a value of its own: rows of the table, or of the fixed limits": [
    "src/providers/safe-fetch/index.ts usualBytes usualTimeMs",
  ],
  "a longer name counts by its hash": ["src/dialects/named-user.ts maxChars"],
  "a second bound behind one of a table: nothing reaches it": [
    "src/admin/query.ts maxCursorChars",
    "src/gateway/responses/compaction.ts maxLogChars",
    "src/gateway/tasks/content.ts maxErrorBytes",
    "src/providers/safe-fetch/url-policy.ts longestSigned",
    "src/providers/safe-fetch/index.ts maxResponseBytes",
    "src/providers/sandbox/index.ts maxRetryAfterMs",
    ...["src/providers/sandbox/schema-sample.ts maxDepth", "src/dialects/openai-error.ts maxNesting"],
  ],
  "what is shown, secret or safe, and no bound on a request": [
    "src/gateway/routing/upstream.ts outcomeWindowMs",
    "src/providers/http-provider.ts maxRefusalBytes",
    "src/telemetry/alerts/alerts.ts maxProblems",
    "src/telemetry/alerts/delivery.ts maxQueued maxTries firstWaitMs maxWaitMs",
    "src/app/alerting.ts lookEveryMs postTimeoutMs",
    "src/cli/provider-state.ts timeoutMs maxPageBytes maxPages atOnce",
    ...[
      "src/cli/requests.ts mostShown mostInFeed",
      "src/gateway/tasks/poll-history.ts maxFirst maxNewest maxMessageChars",
    ],
    "src/app/startup-message.ts mostModels",
    "src/config/environment.ts shortestKey",
    "src/config/secrets.ts shortestSecret",
    "src/providers/redaction.ts shortestHidden shortestInReplies mostTokens",
    "src/providers/safe-fetch/resolver.ts defaultDots",
    "src/http/write.ts longWaitMs",
    "src/providers/sandbox/sound.ts characterSeconds maxCommentBytes",
    "src/providers/sandbox/transcribe.ts toleranceSeconds",
  ],
};

/** Those bounds, as `path name`. */
export const exceptedBounds: readonly string[] = Object.values(otherBounds)
  .flat()
  .flatMap((entry) => {
    const [path, ...names] = entry.split(" ");
    return names.map((name) => `${path} ${name}`);
  });
