// A new video made from a finished one, where the upstream that has it can.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import { unsupported } from "../../dialects/errors.ts";
import type { VideoClient } from "../../dialects/video/client.ts";
import type { Caller } from "../policy/keys.ts";
import { acceptTask, type Created, newTask, record, refuse } from "./create.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { send } from "./submit.ts";
import { type Task, upstreamTaskOf } from "./task.ts";
import { wireOf } from "./upstream-client.ts";

/** Goes to the account that made the source, and to nobody else. */
export async function remixTask(
  dependencies: TaskDependencies,
  source: Task,
  caller: Caller,
  client: VideoClient,
  prompt: string,
  requestId: string,
): Promise<Created> {
  const wire = wireOf(source, dependencies.gateway.catalog.current());
  const known = upstreamTaskOf(source);
  if (wire === null || known === null)
    throw new GatewayError("no_provider_available", "The provider of the video is no longer configured.");
  const rendered = wire.upstream.remix?.(known, prompt);
  if (rendered === undefined) throw unsupported("video_id", "this provider does not support remix.");
  const lease = dependencies.gateway.admission.admit(caller.keyId);
  try {
    const { model, effect } = source.view;
    const request: VideoRequest = { operation: "video", model, prompt, images: [], n: 1, metadata: {} };
    const made = newTask(dependencies, { ask: request, caller, client, origin: "", requestId }, wire.provider);
    const task: Task = { ...made, view: { ...made.view, effect, remixedFrom: source.id } };
    await record(dependencies, task, client.name);
    const accepted = await send(dependencies, wire, rendered).catch(async (thrown: unknown) => {
      const failure = toGatewayError(thrown);
      await refuse(dependencies, task, failure, 1);
      throw failure;
    });
    const candidate = { provider: wire.provider, model: source.internals.model };
    return await acceptTask(dependencies, task, { wire, candidate, rendered, accepted, attempts: 1 });
  } finally {
    lease.release();
  }
}
