// The estimator: counts tokens itself for models whose provider has no counter that can be asked.
import { GatewayError } from "../../canon/error.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { workerAddress } from "../../lib/worker.ts";
import { defaultTimeouts, type Provider, pathParams, type Shipment } from "../provider.ts";
import { countable } from "./text.ts";

interface Counter {
  count(text: string): Promise<number>;
}

/** Starts the thread at the first question; it stays. */
function startCounter(): Counter {
  const worker = new Worker(workerAddress("providers/estimator/worker.ts", import.meta));
  worker.unref();
  const waiting = new Map<number, (tokens: number) => void>();
  const failed: ((cause: unknown) => void)[] = [];
  let next = 0;
  worker.onmessage = ({ data }: MessageEvent<{ id: number; tokens: number }>) => {
    waiting.get(data.id)?.(data.tokens);
    waiting.delete(data.id);
  };
  worker.onerror = (event) => {
    for (const reject of failed.splice(0)) reject(event);
  };
  return {
    count(text) {
      const id = next++;
      return new Promise((resolve, reject) => {
        waiting.set(id, resolve);
        failed.push(reject);
        worker.postMessage({ id, text });
      });
    },
  };
}

let counter: Counter | null = null;

async function send({ call, dialect }: Shipment): Promise<Response> {
  const wire = { ...call.body };
  const ask = dialect.request.parse(wire, { header: () => null, params: pathParams(call) });
  if (ask.operation !== "count") throw new GatewayError("internal_error", "The estimator only counts.");
  const { text, extra } = countable(ask.chat);
  counter ??= startCounter();
  const inputTokens = (await counter.count(text)) + extra;
  const write = { ask, wire, id: "", createdAt: 0, inputEstimate: 0 };
  return Response.json(dialect.response.render({ operation: "count", inputTokens }, write));
}

/** A stand-in that speaks every dialect of the operation. Its name in `x-turnpike-provider` says that the figure is an estimate. */
export function estimator(dialects: readonly Dialect[]): Provider {
  return {
    name: "estimate",
    kind: "estimate",
    origin: "estimate",
    dialects: dialects.filter((dialect) => dialect.operation === "count"),
    options: {},
    models: [],
    timeouts: defaultTimeouts,
    send,
  };
}
