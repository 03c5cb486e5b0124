// Health: whether the process is alive, and whether it can serve requests.
import type { Readiness } from "../gateway/pipeline/readiness.ts";
import type { HandlerContext } from "./endpoint.ts";
import { writeJson } from "./write.ts";

/** `GET /livez`: responds while the event loop is running. */
export const livez = ({ requestId }: HandlerContext): Response => writeJson({ status: "ok" }, requestId);

/** `GET /readyz`: 503 with a reason if a load balancer should send its requests elsewhere. */
export function readyz(readiness: () => Readiness) {
  return async ({ requestId }: HandlerContext): Promise<Response> => {
    const fault = await readiness().notReady();
    if (fault === null) return writeJson({ status: "ready" }, requestId);
    const answer = writeJson(fault, requestId);
    return new Response(answer.body, { status: 503, headers: answer.headers });
  };
}
