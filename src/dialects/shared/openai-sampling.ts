// Sampling and stop sequences on OpenAI-shaped wires: their schema, and the way into canon and back.
import type { TProperties, TSchema, TSchemaOptions } from "typebox";
import type { Sampling } from "../../canonical/chat.ts";
import { isExactNumber, type Json, type JsonObject } from "../../lib/json.ts";
import { optional } from "../schema-helpers.ts";
import { isAbsent } from "./is-empty.ts";

const number = (minimum: number, maximum: number, description: string, more: TSchemaOptions = {}): TSchema =>
  optional("number", { minimum, maximum, description, ...more });

export const samplingSchema: TProperties = {
  temperature: number(0, 2, "Randomness.", { default: 1 }),
  top_p: number(0, 1, "Nucleus sampling.", { default: 1 }),
  presence_penalty: number(-2, 2, "Against topics said before.", { default: 0 }),
  frequency_penalty: number(-2, 2, "Against words said often.", { default: 0 }),
  seed: optional("integer", { format: "int64", description: "Best effort at the same answer again." }),
  logit_bias: optional("object", {
    additionalProperties: { type: "number", minimum: -100, maximum: 100 },
    description: "Token id to bias.",
  }),
};

export const stopSchema: TSchema = optional(["string", "array"], {
  items: { type: "string" },
  description: "Texts that end the answer.",
});

const numbers = [
  ["temperature", "temperature"],
  ["topP", "top_p"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
  ["seed", "seed"],
] as const satisfies readonly (readonly [keyof Sampling, string])[];

/** Only the fields that say something. */
export function parseSampling(wire: JsonObject): Sampling {
  const sampling: Record<string, Json> = {};
  for (const [name, field] of numbers) {
    const value = wire[field];
    if (typeof value === "number" || isExactNumber(value)) sampling[name] = value;
  }
  if (!isAbsent(wire.logit_bias)) sampling.logitBias = wire.logit_bias as JsonObject as Json;
  return sampling as Sampling;
}

/** Members may be undefined. `topK` has no field on these wires. */
export function renderSampling({ logitBias, ...sampling }: Sampling): JsonObject {
  const fields: JsonObject = { logit_bias: logitBias === undefined ? undefined : { ...logitBias } };
  for (const [name, field] of numbers) fields[field] = sampling[name];
  return fields;
}

/** A text, a list of them, or nothing. */
export function parseStop(stop: Json | undefined): string[] {
  const list = Array.isArray(stop) ? stop : [stop];
  return list.filter((text): text is string => typeof text === "string" && text !== "");
}
