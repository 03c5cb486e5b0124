// The two ends of a stream: the reader of the upstream's dialect and the writer of the client's.
import { GatewayError } from "../../canonical/error.ts";
import type { StreamReader, StreamWriter } from "../../dialects/dialect.ts";
import { readContextOf } from "../../dialects/request-outline.ts";
import type { UpstreamPlan } from "../attempts/upstream-plan.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";

/** The upstream's reader. Throws `internal_error` for an operation that does not stream. */
export function readerOf(plan: UpstreamPlan, gatewayRequest: GatewayRequest, origin: string): StreamReader {
  const reader = plan.upstream.stream?.reader(readContextOf(gatewayRequest, { origin, upstream: plan }));
  if (reader === undefined) throw new GatewayError("internal_error", "This operation does not stream.");
  return reader;
}

/** The client's writer, and whether it writes errors itself. */
export interface ClientWriter extends StreamWriter {
  readonly apologises: boolean;
  /** An interceptor reads its frames. */
  readonly isWatched: boolean;
}

/** Throws `internal_error` for an operation that does not stream. */
export function writerOf({ dialect, write }: GatewayRequest): ClientWriter {
  const writer = dialect.stream?.writer(write);
  if (writer === undefined) throw new GatewayError("internal_error", "This operation does not stream.");
  return {
    write: (event) => writer.write(event),
    apologises: dialect.stream?.writesOwnErrors === true,
    isWatched: write.stored !== undefined,
  };
}
