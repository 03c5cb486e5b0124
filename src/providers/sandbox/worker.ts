// The sandbox's worker thread for long computations, such as reading a recording.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { ThreadMessage } from "../../lib/thread.ts";
import { handlerFor } from "./operations.ts";
import type { SandboxJob, SandboxResult } from "./thread.ts";

declare const self: Worker;

async function resultOf(request: OperationRequest): Promise<SandboxResult> {
  try {
    const handler = handlerFor(request.operation);
    if (handler === undefined) throw new GatewayError("internal_error", "The sandbox does not support this operation.");
    const response: OperationResponse = await handler.answer(request);
    return { answer: response };
  } catch (thrown) {
    const { kind, message, param, code } = toGatewayError(thrown);
    return { refused: { kind, message, param, code } };
  }
}

self.onmessage = async ({ data }: MessageEvent<ThreadMessage<SandboxJob>>) => {
  if ("text" in data) return;
  const job = data.content;
  const request = "json" in job ? (JSON.parse(job.json) as OperationRequest) : job.request;
  const content = await resultOf(request);
  self.postMessage({ id: data.id, content } satisfies ThreadMessage<SandboxResult>);
};
