// Calls about a task: its provider and upstream format, and one call with its reply read within limits.

import { GatewayError } from "../../canonical/error.ts";
import type { UpstreamRequest } from "../../dialects/dialect.ts";
import type { UpstreamAnswer, VideoProgress, VideoUpstream } from "../../dialects/video/upstream.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import { deadline } from "../../lib/deadline.ts";
import { parseJsonText } from "../../lib/json.ts";
import type { Provider } from "../../providers/provider.ts";
import { safeError } from "../../providers/redaction.ts";
import type { HttpResponse } from "../../providers/transport/response.ts";
import { readBounded } from "../../providers/upstream.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";
import type { Catalog } from "../routing/catalog.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { requestIdsOf, type Task, upstreamTaskOf } from "./task.ts";

/** A provider and the format in which it is called. */
export interface UpstreamClient {
  readonly provider: Provider;
  readonly upstream: VideoUpstream;
}

const decoder = new TextDecoder();

/** For a submit to this model; null if the provider has no video format for it. */
export function upstreamClientFor(provider: Provider, model: string): UpstreamClient | null {
  const upstream = provider.kind.videos?.find(({ serves }) => serves?.(model) ?? true);
  return upstream === undefined ? null : { provider, upstream };
}

/** For a task; null if its provider is no longer configured. */
export function clientFor({ provider: name, internals }: Task, catalog: Catalog): UpstreamClient | null {
  const provider = catalog.providers.find((candidate) => candidate.entry.name === name);
  const upstream = provider?.kind.videos?.find((candidate) => candidate.name === internals.upstream);
  return provider === undefined || upstream === undefined ? null : { provider, upstream };
}

const tooLarge = (): GatewayError =>
  new GatewayError("upstream_protocol_error", "The provider's response is too large.");
const tooSlow = (): GatewayError => new GatewayError("upstream_timeout", "The provider did not respond in time.");
const never = new AbortController().signal;

/** Sends a call about a task. The response must be read or canceled. */
export function sendTask(
  { provider }: UpstreamClient,
  call: UpstreamRequest,
  signal: Cancellation,
): Promise<HttpResponse> {
  if (provider.dispatch.sendTask === undefined)
    throw new GatewayError("internal_error", "The provider does not support tasks.");
  return provider.dispatch.sendTask(call, signal);
}

/** The progress without credentials: the message of a failure reaches its owner, webhooks and the store. */
export function safeProgress<Progress extends VideoProgress | null | undefined>(
  { provider }: UpstreamClient,
  progress: Progress,
): Progress {
  if (!progress?.failure || provider.dispatch.form !== "http") return progress;
  const { code, message } = progress.failure;
  return { ...progress, failure: { code, message: provider.dispatch.redactor.text(message) } };
}

/** Sends a call and reads the whole reply, whatever its status. Throws GatewayError if there is none. */
export async function askUpstream(
  client: UpstreamClient,
  call: UpstreamRequest,
  timeoutMs: number,
  { deadlines, limits }: Pick<GatewayDependencies, "deadlines" | "limits">,
): Promise<UpstreamAnswer> {
  const life = deadline(() => never, timeoutMs, deadlines, tooSlow);
  try {
    const response = await sendTask(client, call, life.signal);
    const most = client.upstream.inlineResults === true ? limits.maxInlineVideoBytes : limits.maxTaskReplyBytes;
    const bytes = await readBounded(response, most, life.signal);
    if (bytes === null) {
      const failure = tooLarge();
      life.abort(failure);
      throw failure;
    }
    const text = decoder.decode(bytes);
    return { status: response.status, body: parseJsonText(text) ?? text, headers: response.headers };
  } finally {
    life.release();
  }
}

/** Asks the upstream to cancel a task or to delete a finished one; a failure has no effect. */
export async function notifyUpstream(
  dependencies: TaskDependencies,
  task: Task,
  what: "cancel" | "remove",
): Promise<void> {
  const client = clientFor(task, dependencies.gateway.catalog.current());
  const upstreamTask = upstreamTaskOf(task);
  const call = upstreamTask === null ? undefined : client?.upstream[what]?.(upstreamTask);
  if (client === null || call === undefined) return;
  const { gateway } = dependencies;
  await askUpstream(client, call, gateway.limits.videoPollMs, gateway).catch((thrown: unknown) => {
    const failure = safeError(thrown, client.provider);
    gateway.events.taskCallFailed(task.provider, task.internals.model, failure, requestIdsOf(task));
  });
}
