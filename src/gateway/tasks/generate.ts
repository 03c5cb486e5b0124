// A new video from a client's request: its model resolved, its callback checked, submitted through the pipeline.
import type { Created } from "./accept.ts";
import { createTask } from "./create.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { newTask } from "./open-task.ts";
import { planFor, withModel } from "./resolve-model.ts";
import { prepareSubmit, type Submit } from "./submit.ts";
import { checkCallbackUrl } from "./webhook.ts";

/** Throws GatewayError when no provider accepted it, or when that is not known. */
export async function generateVideo(dependencies: TaskDependencies, given: Submit): Promise<Created> {
  const { gateway } = dependencies;
  const submit = withModel(gateway, given);
  const { request, caller, client, requestId, signal } = submit;
  return createTask(dependencies, {
    request,
    caller,
    requestId,
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
