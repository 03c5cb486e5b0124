// Several upstream streams as one: flows one after the other.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import { sumSigns } from "./end-markers.ts";
import { nothing } from "./transcoder.ts";
import type { Consume, Flow } from "./upstream-stream.ts";

/** Flows one after the other. `open` starts the flow of a part; the next one is started while the last is still running. */
export function chainFlows(parts: number, open: (part: number) => Promise<Flow>): Flow {
  const started: Promise<Flow>[] = [];
  const running = new Set<Flow>();
  const ahead = 4;
  const start = (upTo: number): void => {
    while (started.length < Math.min(upTo, parts)) {
      const flow = open(started.length);
      flow.catch(() => undefined);
      started.push(flow);
    }
  };
  /** A part that cannot be opened fails the whole: before the first byte for the next candidate, later in the stream. */
  const opened = async (part: number): Promise<Flow | GatewayError> => {
    try {
      const flow = await started[part];
      if (flow === undefined) return new GatewayError("internal_error", "There is no such part.");
      running.add(flow);
      return flow;
    } catch (thrown) {
      if (part === 0) throw thrown;
      return toGatewayError(thrown);
    }
  };
  let current = 0;
  start(ahead);
  const next = async (consume: Consume): Promise<void> => {
    const flow = await opened(current);
    if (flow instanceof GatewayError) return void (await consume({ bytes: nothing, end: { error: flow } }));
    await flow.next((piece) => {
      const more = current < parts - 1;
      if (piece.end === undefined || piece.end.error !== null || !more) return consume(piece);
      current++;
      start(current + ahead);
      return piece.bytes.length > 0 ? consume({ bytes: piece.bytes }) : next(consume);
    });
  };
  return {
    next,
    apologise: (error) => [...running].at(-1)?.apologise(error) ?? null,
    // Usage is known when the last part has ended: no part alone is worth waiting for.
    finishing: () => false,
    type: () => null,
    signs: () => sumSigns([...running].map((flow) => flow.signs())),
    close() {
      for (const flow of started) void flow.then((opened) => opened.close()).catch(() => undefined);
    },
  };
}
