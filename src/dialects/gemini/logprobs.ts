// Log probabilities of a candidate, token by token, between the wire and the canonical model.
import type { TokenLogprob } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { objectsIn } from "../shared/json-accessors.ts";

interface Likely {
  readonly token: string;
  readonly logprob: number;
}

function likely(entry: JsonObject): Likely[] {
  const { token, logProbability } = entry;
  return typeof token === "string" && typeof logProbability === "number" ? [{ token, logprob: logProbability }] : [];
}

/** The log probabilities of a candidate; undefined if it has none. */
export function readLogprobs(result: Json | undefined): TokenLogprob[] | undefined {
  if (!isObject(result)) return undefined;
  const tops = objectsIn(result.topCandidates);
  const tokens = objectsIn(result.chosenCandidates).flatMap((chosen, index) =>
    likely(chosen).map((token) => ({ ...token, top: objectsIn(tops[index]?.candidates).flatMap(likely) })),
  );
  return tokens.length === 0 ? undefined : tokens;
}

const entry = ({ token, logprob }: Likely): JsonObject => ({ token, logProbability: logprob });

/** `logprobsResult` for a client; undefined without log probabilities. */
export function writeLogprobs(tokens: readonly TokenLogprob[]): JsonObject | undefined {
  if (tokens.length === 0) return undefined;
  return {
    topCandidates: tokens.map(({ top }) => ({ candidates: top.map(entry) })),
    chosenCandidates: tokens.map(entry),
  };
}
