// Health: whether the process lives, and whether it can answer requests.
import type { Readiness } from "../gateway/pipeline/readiness.ts";
import type { HandlerContext } from "./endpoint.ts";
import { writeJson } from "./write.ts";

/** `GET /livez`: answers as long as the event loop turns. */
export const livez = ({ requestId }: HandlerContext): Response => writeJson({ status: "ok" }, requestId);

/** `GET /readyz`: 503 with the reason when a load balancer should send its requests elsewhere. */
export function readyz(readiness: () => Readiness) {
  return async ({ requestId }: HandlerContext): Promise<Response> => {
    const fault = await readiness().notReady();
    if (fault === null) return writeJson({ status: "ready" }, requestId);
    const answer = writeJson(fault, requestId);
    return new Response(answer.body, { status: 503, headers: answer.headers });
  };
}
