// A new video made from a finished one, by the account that made the source and no other.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import { unsupported } from "../../dialects/errors.ts";
import type { VideoClient } from "../../dialects/video/client.ts";
import type { Caller } from "../policy/keys.ts";
import type { Created } from "./accept.ts";
import { createTask } from "./create.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { newTask } from "./open-task.ts";
import { type Task, upstreamTaskOf } from "./task.ts";
import { clientFor } from "./upstream-client.ts";

/** Throws GatewayError where the provider of the source cannot remix it, is gone, or refuses. */
export async function remixTask(
  dependencies: TaskDependencies,
  source: Task,
  { caller, requestId }: { readonly caller: Caller; readonly requestId: string },
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
