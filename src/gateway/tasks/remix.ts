// A new video made from a finished one, where the upstream that has it can.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { VideoAsk } from "../../canonical/video.ts";
import { unsupported } from "../../dialects/errors.ts";
import type { VideoClient } from "../../dialects/video/client.ts";
import type { Caller } from "../policy/keys.ts";
import { type Created, newTask, record, refuse, settleIn } from "./create.ts";
import type { VideoParts } from "./dependencies.ts";
import { send } from "./submit.ts";
import { type Task, upstreamTaskOf } from "./task.ts";
import { wireOf } from "./upstream-client.ts";

/** Goes to the account that made the source, and to nobody else. */
export async function remixTask(
  parts: VideoParts,
  source: Task,
  caller: Caller,
  client: VideoClient,
  prompt: string,
  requestId: string,
): Promise<Created> {
  const wire = wireOf(source, parts.gateway.catalog.current());
  const known = upstreamTaskOf(source);
  if (wire === null || known === null)
    throw new GatewayError("no_provider_available", "The provider of the video is not configured any more.");
  const rendered = wire.upstream.remix?.(known, prompt);
  if (rendered === undefined) throw unsupported("video_id", "its provider cannot remake videos.");
  const lease = parts.gateway.admission.admit(caller.keyId);
  try {
    const { model, effect } = source.told;
    const ask: VideoAsk = { operation: "video", model, prompt, images: [], n: 1, metadata: {} };
    const made = newTask(parts, { ask, caller, client, origin: "", requestId }, wire.provider);
    const task: Task = { ...made, told: { ...made.told, effect, remixedFrom: source.id } };
    await record(parts, task, client.name);
    const accepted = await send(parts, wire, rendered).catch(async (thrown: unknown) => {
      const failure = toGatewayError(thrown);
      await refuse(parts, task, failure, 1);
      throw failure;
    });
    const candidate = { provider: wire.provider, model: source.kept.model };
    return await settleIn(parts, task, { wire, candidate, rendered, accepted, attempts: 1 });
  } finally {
    lease.release();
  }
}
