// Runs operations in the sandbox's worker thread that would block the event loop for too long.
import { type ErrorKind, GatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import { inSteps, nextEventLoopTurn } from "../../lib/event-loop-turn.ts";
import type { Json } from "../../lib/json.ts";
import { joinedTextSteps } from "../../lib/json-write.ts";
import { createThread, type Thread } from "../../lib/thread.ts";
import { workerAddress } from "../../lib/worker.ts";

/** An error cannot be sent to another thread as an object of its class. */
export type SandboxResult =
  | { readonly answer: OperationResponse }
  | {
      readonly refused: {
        readonly kind: ErrorKind;
        readonly message: string;
        readonly param: string | null;
        readonly code: string;
      };
    };

/** A conversation is sent as JSON: as values, thousands of messages cost five times as much. */
export type SandboxJob = { readonly request: OperationRequest } | { readonly json: string };

const thread: Thread<SandboxJob, SandboxResult> = createThread(() =>
  workerAddress("providers/sandbox/worker.ts", import.meta),
);

const stepBytes = 1024 * 1024;

/** A copy that several threads can read; a large one is made in steps. */
async function shared(bytes: Uint8Array): Promise<Uint8Array> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  for (let at = 0; at < bytes.length; at += stepBytes) {
    copy.set(bytes.subarray(at, at + stepBytes), at);
    await nextEventLoopTurn();
  }
  return copy;
}

async function jobOf(request: OperationRequest): Promise<SandboxJob> {
  if (request.operation === "chat") return { json: await inSteps(joinedTextSteps(request as unknown as Json)) };
  if (request.operation !== "transcribe") return { request };
  return { request: { ...request, recording: { ...request.recording, bytes: await shared(request.recording.bytes) } } };
}

/** The sandbox's reply, computed in its thread. */
export async function answerInThread(request: OperationRequest): Promise<OperationResponse> {
  const { result } = await thread.run(await jobOf(request));
  if ("answer" in result) return result.answer;
  const { kind, message, param, code } = result.refused;
  throw new GatewayError(kind, message, { param, code });
}
