// Submits a task to one candidate: images downloaded if necessary, rendered in the upstream's format, checked, and sent
// once.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoImage, VideoImageSource, VideoRequest } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import { unsupported } from "../../dialects/errors.ts";
import type { VideoClient } from "../../dialects/video/client.ts";
import { imageOfBytes } from "../../dialects/video/images.ts";
import type { Accepted, ImageForm, VideoRendered, VideoUpstream } from "../../dialects/video/upstream.ts";
import { withNextHop } from "../../lib/hops.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { safeError } from "../../providers/redaction.ts";
import { safeFetch } from "../../providers/safe-fetch/index.ts";
import type { Dns } from "../../providers/safe-fetch/resolver.ts";
import { defaultTimeouts } from "../../providers/timeouts.ts";
import type { AttemptLog } from "../attempts/attempt-log.ts";
import { type CandidateAttempts, singleAttempt } from "../attempts/attempt-loop.ts";
import { checkAddresses, imageAddresses, passedAddresses } from "../attempts/media-addresses.ts";
import { refuseWhenStrict } from "../attempts/strictness.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";
import type { Caller } from "../policy/caller.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { askUpstream, type UpstreamClient, upstreamClientFor } from "./upstream-client.ts";

/** A request as the client sent it. */
export interface Submit {
  readonly client: VideoClient;
  readonly request: VideoRequest;
  /** Warnings for what its format dropped. */
  readonly ignoredFields: readonly Warning[];
  readonly caller: Caller;
  /** True: what would be dropped or approximated is refused instead. */
  readonly strict: boolean;
  /** The origin at which the client reached the gateway, without a trailing slash. */
  readonly origin: string;
  /** The client's `x-turnpike-hops`; null if it sent none. */
  readonly hops: string | null;
  /** The id that the client sees. */
  readonly requestId: string;
  /** The session of an agent, if the request names one. */
  readonly session: string | null;
  /** The client's signal: aborted when it disconnects. */
  readonly signal: () => AbortSignal;
}

/** A submit as it is sent to one candidate. */
export interface SubmitAttempt {
  readonly upstreamClient: UpstreamClient;
  readonly rendered: VideoRendered;
  /** Set for videos of this route. Absent: that of the provider. */
  readonly timeoutMs?: number | undefined;
}

/** A task that a candidate accepted. */
export interface AcceptedSubmit extends SubmitAttempt {
  readonly accepted: Accepted;
}

function refuseMany({ n }: VideoRequest, { maxVideos: most = 1 }: VideoUpstream, client: VideoClient): void {
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
  upstreamClient: UpstreamClient,
  model: string,
  taskId: string,
): Promise<VideoRendered> {
  const { client, request, ignoredFields, strict, signal, hops, caller } = submit;
  const { fetchAllow, dnsFor, limits } = dependencies.gateway;
  const { upstream, provider } = upstreamClient;
  refuseMany(request, upstream, client);
  const fetching = { fetchAllow, limits, dns: dnsFor(caller.keyId) };
  await checkAddresses(imageAddresses(request), provider, fetching);
  const fitting = await withImages(request, upstream, signal(), fetching);
  const result = upstream.render(fitting, {
    model,
    taskId,
    ...(provider.entry.declared === undefined ? {} : { declared: provider.entry.declared }),
    fieldPath: (field) => client.fieldPath(field),
  });
  await checkAddresses(
    passedAddresses(request.metadata, result.call, client.fieldPath("metadata")),
    provider,
    fetching,
  );
  const call = withNextHop(result.call, hops);
  const warnings = [...ignoredFields, ...result.warnings];
  refuseWhenStrict({ strict }, warnings);
  return { ...result, call, warnings };
}

/**
 * It is unknown whether the provider accepted the task: it may generate the video, and a second submit may be billed
 * as well.
 */
function unconfirmed(failure: GatewayError): GatewayError {
  const message = "The provider may have accepted the task but did not confirm it. The task was not submitted again.";
  return new GatewayError("submit_unconfirmed", message, { status: failure.status, cause: failure });
}

/** Sends a submit once. It continues when the client disconnects, because an accepted task has to be stored. */
async function send(
  { deadlines, clock, limits }: Pick<GatewayDependencies, "deadlines" | "clock" | "limits">,
  log: AttemptLog,
  { upstreamClient, rendered: { call }, timeoutMs }: SubmitAttempt,
): Promise<Accepted> {
  const { upstream, provider } = upstreamClient;
  const ownMs = timeoutMs ?? provider.entry.timeouts.wholeMs ?? defaultTimeouts.wholeMs;
  const patienceMs = Math.min(ownMs, limits.videoSubmitMs);
  log.sent();
  try {
    const response = await askUpstream(upstreamClient, call, patienceMs, { deadlines, limits });
    log.answered(response.status);
    if (response.status >= 200 && response.status < 300) return upstream.accepted(response);
    throw upstream.error.parse(response.status, response.body, retryAfterMs(response.headers, clock.nowMs()));
  } catch (thrown) {
    const failure = safeError(thrown, provider);
    if (failure.kind === "upstream_unreachable") log.unreachable();
    throw failure.retry === "ambiguous" ? unconfirmed(failure) : failure;
  }
}

/** The only attempt of a candidate. */
export function submitAttempts(
  gateway: GatewayDependencies,
  log: AttemptLog,
  prepare: () => Promise<SubmitAttempt>,
): CandidateAttempts<AcceptedSubmit> {
  return singleAttempt(async () => {
    const attempt = await prepare();
    const { warnings } = attempt.rendered;
    return { warnings, send: async () => ({ ...attempt, accepted: await send(gateway, log, attempt) }) };
  });
}

/** A new video for one candidate. Throws the reason why it cannot generate it. */
export async function prepareSubmit(
  dependencies: TaskDependencies,
  submit: Submit,
  { provider, model, timeouts }: Candidate,
  taskId: string,
): Promise<SubmitAttempt> {
  const upstreamClient = upstreamClientFor(provider, model);
  if (upstreamClient === null)
    throw unsupported(submit.client.fieldPath("model"), "this provider does not generate videos.");
  const prepared = await rendered(dependencies, submit, upstreamClient, model, taskId);
  return { upstreamClient, rendered: prepared, timeoutMs: timeouts?.wholeMs };
}

const bytesForms: readonly ImageForm[] = ["data", "base64", "form"];

type Fetching = Pick<GatewayDependencies, "fetchAllow" | "limits"> & { readonly dns: Dns };
type ImageRules = Pick<VideoUpstream, "imageForms" | "httpsOnly">;

async function fetched(url: string, path: string, signal: AbortSignal, parts: Fetching): Promise<VideoImageSource> {
  const { bytes } = await safeFetch(url, {
    givenBy: "client",
    param: path,
    maxBytes: parts.limits.imageFetchBytes,
    timeoutMs: parts.limits.imageFetchMs,
    signal,
    allow: parts.fetchAllow,
    dns: parts.dns,
  });
  return imageOfBytes(bytes, path);
}

/** Whether the upstream accepts the image as the client sent it. */
function isTaken({ source }: VideoImage, { imageForms, httpsOnly }: ImageRules, acceptsBytes: boolean): boolean {
  if (source.kind === "bytes") return acceptsBytes;
  if (source.kind === "file") return imageForms.includes("file");
  return imageForms.includes("url") && !(httpsOnly === true && /^http:/i.test(source.url));
}

async function fitted(image: VideoImage, upstream: ImageRules, signal: AbortSignal, parts: Fetching) {
  const { source, path } = image;
  const { imageForms } = upstream;
  const acceptsBytes = bytesForms.some((form) => imageForms.includes(form));
  if (isTaken(image, upstream, acceptsBytes)) return image;
  if (source.kind === "url" && acceptsBytes)
    return { ...image, source: await fetched(source.url, path, signal, parts) };
  const reason =
    source.kind === "bytes" ? "this model accepts image URLs only." : "the file is stored with a different provider.";
  throw unsupported(path, imageForms.length === 0 ? "this model does not support image input." : reason);
}

/**
 * The request with every image in an accepted form. Throws status 400 for an image that cannot be downloaded or sent.
 */
async function withImages(
  request: VideoRequest,
  upstream: ImageRules,
  signal: AbortSignal,
  parts: Fetching,
): Promise<VideoRequest> {
  if (request.images.length === 0) return request;
  return {
    ...request,
    images: await Promise.all(request.images.map((image) => fitted(image, upstream, signal, parts))),
  };
}
