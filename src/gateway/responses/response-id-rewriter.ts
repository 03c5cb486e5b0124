// Keeps the response of a stream before its last frames leave.
import type { ResponseFrame } from "../../dialects/stored-response-contract.ts";
import type { StreamInterceptor } from "../streaming/client-stream.ts";
import type { ResponseJob, ResponsesDependencies } from "./dependencies.ts";
import { persistFinal } from "./persist.ts";

/** A reply that failed is not stored. */
export function interceptorOf(dependencies: ResponsesDependencies, job: ResponseJob): StreamInterceptor {
  const persisted = async (frame: ResponseFrame): Promise<ResponseFrame> =>
    frame.response === undefined || frame.withResponse === undefined
      ? frame
      : frame.withResponse(await persistFinal(dependencies, job, frame.response));
  return {
    pass: () => undefined,
    last: async (frames, error) => (error === null ? Promise.all(frames.map(persisted)) : frames),
  };
}
