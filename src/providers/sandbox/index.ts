// The sandbox: a built-in provider that answers every operation inside the process, to try the gateway without an
// account.
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import { refusalError } from "../../dialects/upstream-error.ts";
import { pause } from "../../lib/abortable.ts";
import { nextEventLoopTurn } from "../../lib/event-loop-turn.ts";
import { isLargerThan } from "../../lib/size.ts";
import type { CanonicalReply, Provider } from "../provider.ts";
import { type Directives, readDirectives, sandboxModels } from "./directives.ts";
import { refuseContext } from "./limits.ts";
import { handlerFor, type OperationHandler, operations, origin } from "./operations.ts";
import { answerInThread } from "./thread.ts";
import { answerSandboxTask, sandboxVideos } from "./video.ts";
import { warningsFor } from "./warnings.ts";

const maxRetryAfterMs = 60_000;

/** Throws the error that this status of a provider leads to. */
function refuse({ error, rateLimit }: Directives): void {
  if (rateLimit !== null)
    throw refusalError({
      status: 429,
      message: "The sandbox was instructed to limit the rate.",
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
      retryAfterMs: Math.min(rateLimit * 1_000, maxRetryAfterMs),
    });
  if (error !== null)
    throw refusalError({
      status: error,
      message: "The sandbox was instructed to fail.",
      type: "sandbox_error",
      code: "sandbox_error",
    });
}

/** A larger conversation would block the event loop for too long. */
const largeAsk = 16_384;
/** Operations that always compute for long. */
const slow: ReadonlySet<OperationRequest["operation"]> = new Set(["image", "speak", "transcribe"]);

function answerOf(
  request: OperationRequest,
  handler: OperationHandler,
  isLarge: boolean,
): OperationResponse | Promise<OperationResponse> {
  const isSlow = slow.has(request.operation) || (request.operation === "chat" && isLarge);
  return isSlow ? answerInThread(request) : handler.answer(request);
}

async function answer(request: OperationRequest, signal: AbortSignal): Promise<CanonicalReply> {
  const handler = handlerFor(request.operation);
  if (handler === undefined) throw new GatewayError("internal_error", "The sandbox does not support this operation.");
  const isLarge = isLargerThan(request, largeAsk);
  if (isLarge) await nextEventLoopTurn();
  refuseContext(request);
  const directives = readDirectives(request.model, handler.prompt(request));
  await pause(directives.delayMs, signal);
  refuse(directives);
  const response = await answerOf(request, handler, isLarge);
  if (isLarge) await nextEventLoopTurn();
  return request.stream ? (handler.stream?.(response, directives, signal) ?? { response }) : { response };
}

export const sandboxProvider: Provider = {
  kind: {
    name: "sandbox",
    origin,
    dialects: [],
    videos: [sandboxVideos],
    fallbackModels: { moderate: "moderate", image: "image", video: "video" },
  },
  entry: {
    name: "sandbox",
    models: sandboxModels.map((name) => `${origin}/${name}`),
    timeouts: {},
    options: {},
  },
  dispatch: { form: "canonical", operations, answer, warningsFor, sendTask: answerSandboxTask },
  list: {},
};
