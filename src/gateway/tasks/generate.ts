// A new video from a request, or from a completed video and another prompt: resolves the model and runs the pipeline.

import { GatewayError } from "../../canonical/error.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import { missing, unsupported } from "../../dialects/errors.ts";
import type { VideoClient } from "../../dialects/video/client.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";
import type { Caller } from "../policy/caller.ts";
import type { Catalog } from "../routing/catalog.ts";
import type { ModelLists } from "../routing/model-lists.ts";
import { type Plan, resolve, resolveUnnamed } from "../routing/resolve.ts";
import type { Created } from "./create.ts";
import { createTask } from "./create.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { newTask } from "./open-task.ts";
import { prepareSubmit, type Submit } from "./submit.ts";
import { operation, type Task, upstreamTaskOf } from "./task.ts";
import { clientFor } from "./upstream-client.ts";
import { checkCallbackUrl } from "./webhook.ts";

/** Throws GatewayError if no provider accepted it, or if that is unknown. */
export async function generateVideo(dependencies: TaskDependencies, given: Submit): Promise<Created> {
  const { gateway } = dependencies;
  const submit = withModel(gateway, given);
  const { request, caller, client, requestId, session, signal } = submit;
  return createTask(dependencies, {
    request,
    caller,
    requestId,
    session,
    dialect: client.name,
    resolve: () => planFor(gateway, submit),
    async newTask({ provider }, exchangeId) {
      const { callbackUrl, callbackPath } = request;
      if (callbackUrl !== undefined) await checkCallbackUrl(callbackUrl, callbackPath, signal(), gateway, caller.keyId);
      return newTask(dependencies, submit, provider, exchangeId);
    },
    prepare: (candidate, taskId) => prepareSubmit(dependencies, submit, candidate, taskId),
  });
}

type Routing = Pick<GatewayDependencies, "catalog" | "listings">;

/** The candidates of the model by the alias of the client's format, otherwise by its name. */
function planFor({ catalog: holder, listings }: Routing, { request: { model }, client }: Submit): Plan {
  const catalog = holder.current();
  const behind = (name: string) => resolve(catalog, listings.now, name, operation);
  const alias = client.alias?.(model) ?? model;
  if (alias === model || catalog.routes.has(model)) return behind(model);
  try {
    return behind(alias);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    // A refusal contains the client's name of the model.
    return behind(model);
  }
}

/** The first candidate of a plan; undefined if there is none. */
function firstOf(plan: () => Plan): Plan["candidates"][number] | undefined {
  try {
    return plan().candidates[0];
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

/** Whether the name is that of a route, or of a model that a provider lists. */
function isConfigured(catalog: Catalog, now: ModelLists["now"], model: string): boolean {
  try {
    return resolve(catalog, now, model, operation).found !== "unlisted";
  } catch (thrown) {
    if (thrown instanceof GatewayError) return false;
    throw thrown;
  }
}

/** The request with the default model, if the client named none and the default of its format is not configured. */
function withModel({ catalog: holder, listings }: Routing, submit: Submit): Submit {
  const { request, client } = submit;
  if (request.unnamed !== true) return submit;
  const catalog = holder.current();
  // A provider without a model list is not a reason to use a model that is not configured.
  if (request.model !== "" && isConfigured(catalog, listings.now, request.model)) return submit;
  const first = firstOf(() => resolveUnnamed(catalog, listings.now, request.model, operation));
  if (first !== undefined)
    return { ...submit, request: { ...request, model: `${first.provider.entry.name}/${first.model}` } };
  throw missing(client.fieldPath("model"));
}

/** The caller of a remix. */
export interface Remixer {
  readonly caller: Caller;
  readonly requestId: string;
  readonly session: string | null;
}

/** Throws GatewayError if the provider of the source does not support remix, is gone, or refuses. */
export async function remixTask(
  dependencies: TaskDependencies,
  source: Task,
  { caller, requestId, session }: Remixer,
  client: VideoClient,
  prompt: string,
): Promise<Created> {
  const upstreamClient = clientFor(source, dependencies.gateway.catalog.current());
  const upstreamTask = upstreamTaskOf(source);
  if (upstreamClient === null || upstreamTask === null)
    throw new GatewayError("no_provider_available", "The provider of the video is no longer configured.");
  const rendered = upstreamClient.upstream.remix?.(upstreamTask, prompt);
  if (rendered === undefined) throw unsupported("video_id", "this provider does not support remix.");
  const { model, effect } = source.view;
  const request: VideoRequest = { operation: "video", model, prompt, images: [], n: 1, metadata: {} };
  const candidate = { provider: upstreamClient.provider, model: source.internals.model };
  return createTask(dependencies, {
    request,
    caller,
    requestId,
    session,
    dialect: client.name,
    resolve: () => ({ found: "prefix", candidates: [candidate] }),
    newTask(_candidate, exchangeId) {
      const made = newTask(
        dependencies,
        { request, caller, client, origin: "", requestId },
        upstreamClient.provider,
        exchangeId,
      );
      return { ...made, view: { ...made.view, effect, remixedFrom: source.id } };
    },
    prepare: async () => ({ upstreamClient, rendered }),
  });
}
