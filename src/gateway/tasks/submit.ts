// Submitting a task: its row and its ledger's row stand before anybody is asked, and nobody is asked twice who may have said yes.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import { isLoss, type Warning } from "../../canonical/warning.ts";
import { unsupported } from "../../dialects/errors.ts";
import type { VideoClient } from "../../dialects/video/client.ts";
import type { Accepted, VideoRendered, VideoUpstream } from "../../dialects/video/upstream.ts";
import { withNextHop } from "../../lib/hops.ts";
import { safeError } from "../../providers/redaction.ts";
import { checkAddresses, imageAddresses, passedAddresses } from "../attempts/media-addresses.ts";
import { withServedBy } from "../pipeline/exchange.ts";
import type { Caller } from "../policy/keys.ts";
import type { Candidate } from "../routing/catalog.ts";
import { cooldownsFor, needsOperator } from "../routing/cooldowns.ts";
import { inClientsName } from "../routing/model-names.ts";
import type { Plan } from "../routing/resolve.ts";
import { retryAfterMs } from "../streaming/buffered-response.ts";
import { submitPatienceMs, type TaskDependencies } from "./dependencies.ts";
import { withImages } from "./images.ts";
import { askUpstream, type UpstreamClient, upstreamClientFor } from "./upstream-client.ts";

/** A submit as the client made it. */
export interface Submit {
  readonly client: VideoClient;
  readonly ask: VideoRequest;
  /** What was dropped of it before anybody was asked. */
  readonly unheard: readonly Warning[];
  readonly caller: Caller;
  /** True: whatever would be dropped or approximated is refused instead. */
  readonly strict: boolean;
  /** How the client has reached the gateway, without a slash at the end. */
  readonly origin: string;
  /** The client's `x-turnpike-hops`; null where it sent none. */
  readonly hops: string | null;
  /** The id that the client sees. */
  readonly requestId: string;
  /** The client's: aborted when it goes away. */
  readonly signal: () => AbortSignal;
}

/** A task that an upstream took. */
export interface AcceptedSubmit {
  readonly wire: UpstreamClient;
  readonly candidate: Candidate;
  readonly rendered: VideoRendered;
  readonly accepted: Accepted;
  readonly attempts: number;
}

const maxAttempts = 3;

/** How one try failed: whether the next candidate may be asked. */
interface FailedSubmit {
  readonly failure: GatewayError;
  readonly isAsked: boolean;
  readonly mayGoOn: boolean;
}

function refuseLost(strict: boolean, warnings: readonly Warning[]): void {
  const lost = strict ? warnings.find(isLoss) : undefined;
  if (lost !== undefined) throw unsupported(lost.path, `it would be ${lost.code}, and strict mode is on.`);
}

function refuseMany({ n }: VideoRequest, { most = 1 }: VideoUpstream, client: VideoClient): void {
  if (n > most)
    throw unsupported(
      client.fieldPath("n"),
      most === 1
        ? "this model generates one video per request."
        : `this model generates at most ${most} videos per request.`,
    );
}

async function rendered(
  dependencies: TaskDependencies,
  submit: Submit,
  wire: UpstreamClient,
  model: string,
  taskId: string,
): Promise<VideoRendered> {
  const { client, ask, unheard, strict, signal, hops, caller } = submit;
  const { fetchAllow, dnsFor } = dependencies.gateway;
  const { upstream, provider } = wire;
  refuseMany(ask, upstream, client);
  const fetching = { fetchAllow, dns: dnsFor(caller.keyId) };
  await checkAddresses(imageAddresses(ask), provider, fetching);
  const fitting = await withImages(ask, upstream, signal(), fetching);
  const result = upstream.render(fitting, {
    model,
    taskId,
    ...(provider.declared === undefined ? {} : { declared: provider.declared }),
    fieldPath: (field) => client.fieldPath(field),
  });
  await checkAddresses(passedAddresses(ask.metadata, result.call, client.fieldPath("metadata")), provider, fetching);
  const call = withNextHop(result.call, hops);
  const warnings = [...unheard, ...result.warnings];
  refuseLost(strict, warnings);
  return { ...result, call, warnings };
}

/** Whether the upstream took it is not known: it may make the video, and whoever asks again may pay twice. */
function unconfirmed(failure: GatewayError): GatewayError {
  const message = "The provider may have accepted the task but did not confirm it. The task was not submitted again.";
  return new GatewayError("submit_unconfirmed", message, { status: failure.status, cause: failure });
}

/** Sends a submit once. The client's leaving does not end it: what was taken has to be kept. */
export async function send(
  dependencies: TaskDependencies,
  wire: UpstreamClient,
  { call }: VideoRendered,
): Promise<Accepted> {
  const { upstream, provider } = wire;
  const patienceMs = Math.min(provider.timeouts.wholeMs, submitPatienceMs);
  try {
    const answer = await askUpstream(wire, call, patienceMs, dependencies.gateway);
    if (answer.status >= 200 && answer.status < 300) return upstream.accepted(answer);
    throw upstream.error.parse(
      answer.status,
      answer.body,
      retryAfterMs(answer.headers, dependencies.gateway.clock.nowMs()),
    );
  } catch (thrown) {
    const safe = safeError(thrown, provider);
    dependencies.gateway.events.attemptFailed(provider.name, "", safe);
    throw safe.retry === "ambiguous" ? unconfirmed(safe) : safe;
  }
}

async function tryOne(
  dependencies: TaskDependencies,
  submit: Submit,
  candidate: Candidate,
  taskId: string,
  attempts: number,
): Promise<AcceptedSubmit | FailedSubmit> {
  const wire = upstreamClientFor(candidate.provider, candidate.model);
  const cannot = (failure: GatewayError): FailedSubmit => ({ failure, isAsked: false, mayGoOn: true });
  if (wire === null)
    return cannot(unsupported(submit.client.fieldPath("model"), "this provider does not generate videos."));
  let result: VideoRendered;
  try {
    result = await rendered(dependencies, submit, wire, candidate.model, taskId);
  } catch (thrown) {
    return cannot(toGatewayError(thrown));
  }
  try {
    const accepted = await send(dependencies, wire, result);
    return { wire, candidate, rendered: result, accepted, attempts };
  } catch (thrown) {
    const failure = inClientsName(toGatewayError(thrown), candidate.model, submit.ask.model);
    return { failure, isAsked: true, mayGoOn: failure.retry === "next" };
  }
}

/** What a client is told when nobody took it: the busiest word where all were busy, else what came last; what only the operator can mend, where there is nothing else. */
function verdict(all: readonly GatewayError[], unsaid: readonly GatewayError[]): GatewayError {
  const forCaller = all.filter((failure) => !needsOperator(failure));
  const asked = forCaller.length === 0 ? all : forCaller;
  const last = asked.at(-1) ?? unsaid[0];
  const busy = asked.length > 0 && asked.every(({ kind }) => kind === "upstream_rate_limited") ? asked[0] : undefined;
  return busy ?? last ?? noProvider();
}

/** There is no candidate for the model of a task. */
export const noProvider = (): GatewayError =>
  new GatewayError("no_provider_available", "No provider is available for this model.");

/** Asks one candidate after the other, as long as it is sure that none has taken the task. */
export async function submitToCandidates(
  dependencies: TaskDependencies,
  submit: Submit,
  plan: Plan,
  taskId: string,
): Promise<AcceptedSubmit | { readonly failure: GatewayError; readonly attempts: number }> {
  const asked: GatewayError[] = [];
  const unsaid: GatewayError[] = [];
  const cooldowns = cooldownsFor(plan.found, dependencies.gateway.cooldowns);
  let last: Candidate | null = null;
  const failed = (failure: GatewayError) => {
    const by =
      last === null
        ? null
        : { candidate: last, requestedModel: submit.ask.model, attempts: asked.length, warnings: [] };
    return { failure: withServedBy(failure, by), attempts: asked.length };
  };
  for (const candidate of cooldowns.ordered(plan.candidates)) {
    if (asked.length >= maxAttempts) break;
    const outcome = await tryOne(dependencies, submit, candidate, taskId, asked.length + 1);
    if (!("failure" in outcome)) {
      cooldowns.answered(candidate);
      return outcome;
    }
    cooldowns.failed(candidate, outcome.failure);
    (outcome.isAsked ? asked : unsaid).push(outcome.failure);
    if (outcome.isAsked) last = candidate;
    if (!outcome.mayGoOn) return failed(outcome.failure);
  }
  return failed(verdict(asked, unsaid));
}
