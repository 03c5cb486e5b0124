// Health: whether the process lives, and whether it wants work.
import type { PlainVisit } from "./endpoint.ts";
import { writeJson } from "./write.ts";

export interface Readiness {
  /** False while starting and while draining. */
  ready(): boolean;
}

/** `GET /livez`: answers as long as the event loop turns. */
export const livez = ({ requestId }: PlainVisit): Response => writeJson({ status: "ok" }, requestId);

/** `GET /readyz`: 503 when a load balancer should send its requests elsewhere. */
export function readyz(readiness: Readiness) {
  return ({ requestId }: PlainVisit): Response => {
    const ready = readiness.ready();
    const answer = writeJson({ status: ready ? "ready" : "draining" }, requestId);
    return ready ? answer : new Response(answer.body, { status: 503, headers: answer.headers });
  };
}
