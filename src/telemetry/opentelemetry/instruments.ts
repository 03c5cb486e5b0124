// The metrics over OTLP: durations, first tokens and usage of attempts, and durations of requests.
import type { Attributes, MeterProvider } from "@opentelemetry/api";
import type { Usage } from "../../canonical/usage.ts";
import { tokensOf } from "./attributes.ts";

export interface Instruments {
  attempt(attributes: Attributes, seconds: number): void;
  firstChunk(attributes: Attributes, seconds: number): void;
  usage(attributes: Attributes, usage: Usage): void;
  request(attributes: Attributes, seconds: number): void;
}

/** The bounds that the conventions recommend. */
const bounds = {
  operation: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  firstChunk: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  tokens: [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864],
  request: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
};

export function createInstruments(provider: MeterProvider): Instruments {
  const meter = provider.getMeter("turnpike");
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
  const duration = histogram("gen_ai.client.operation.duration", "s", "Duration of an attempt.", bounds.operation);
  const first = histogram(
    "gen_ai.client.operation.time_to_first_chunk",
    "s",
    "Time from the start of an attempt to the first event of its stream.",
    bounds.firstChunk,
  );
  const tokens = histogram("gen_ai.client.token.usage", "{token}", "Tokens of a request.", bounds.tokens);
  const request = histogram("http.server.request.duration", "s", "Duration of a request.", bounds.request);
  return {
    attempt: (attributes, seconds) => duration.record(seconds, attributes),
    firstChunk: (attributes, seconds) => first.record(seconds, attributes),
    usage(attributes, usage) {
      for (const [type, amount] of Object.entries(tokensOf(usage)))
        if (amount > 0) tokens.record(amount, { ...attributes, "gen_ai.token.type": type });
    },
    request: (attributes, seconds) => request.record(seconds, attributes),
  };
}
