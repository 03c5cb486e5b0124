// Usage that the provider did not report: what was sent and delivered, counted by the tokenizer if it is available in
// time.
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import { addUsage, totalInput, type Usage, withEstimatedOutput, zeroUsage } from "../../canonical/usage.ts";
import { type TokenFamily, tokenFamilyOf } from "../../dialects/tokens/families.ts";
import { approximateInput, approximateText, scanInput } from "../../dialects/tokens/figures.ts";
import { requestParts } from "../../dialects/tokens/request-parts.ts";
import { scanText } from "../../dialects/tokens/text-scan.ts";
import { countInput, countText, type TokenCounter } from "../../providers/token-counter/index.ts";
import { textOfAnswer } from "../operations/chat.ts";
import type { Candidate } from "../routing/catalog.ts";
import { type Delivered, nothingDelivered } from "../streaming/meter.ts";

export interface UsageEstimates {
  /** Of what was sent. Never rejects. */
  input(requests: readonly OperationRequest[], candidate: Candidate): Promise<Usage>;
  /** Of what was sent and delivered; `known` is the input that the provider did report. Never rejects. */
  stream(
    requests: readonly OperationRequest[],
    delivered: Delivered,
    candidate: Candidate,
    known?: Usage,
  ): Promise<Usage>;
  /** Of a complete reply. Never rejects. */
  reply(requests: readonly OperationRequest[], response: OperationResponse, candidate: Candidate): Promise<Usage>;
}

/** A reply or a settlement waits so long for the tokenizer, then the approximation is used. */
const patienceMs = 2_000;

export const familyOf = ({ provider, model }: Candidate): TokenFamily => tokenFamilyOf(provider.kind.name, model);

/** Counting is free at every provider that offers it. */
const isFree = (request: OperationRequest): boolean => request.operation === "count";

export function usageEstimates(counter: TokenCounter): UsageEstimates {
  const inputOf = async (request: OperationRequest, family: TokenFamily): Promise<Usage> => {
    if (isFree(request)) return zeroUsage;
    const parts = requestParts(request);
    if (parts.units !== undefined) return { ...zeroUsage, units: [parts.units()], estimated: true };
    const inputTokens = await countInput(counter, parts, family, AbortSignal.timeout(patienceMs)).catch(() =>
      approximateInput(scanInput(parts), family),
    );
    return { ...zeroUsage, inputTokens: Math.max(1, inputTokens), estimated: true };
  };
  const textOf = (text: string, family: TokenFamily): Promise<number> =>
    countText(counter, text, family, AbortSignal.timeout(patienceMs)).catch(() =>
      approximateText(scanText(text), family),
    );
  const outputOf = async ({ beginning, beginningScan, scan }: Delivered, family: TokenFamily): Promise<number> => {
    if (beginning === "") return 0;
    const exact = await textOf(beginning, family);
    const scanned = approximateText(beginningScan, family);
    return Math.round(exact * Math.max(1, approximateText(scan, family) / Math.max(1, scanned)));
  };
  const input = async (requests: readonly OperationRequest[], candidate: Candidate): Promise<Usage> => {
    const family = familyOf(candidate);
    const usages = await Promise.all(requests.map((request) => inputOf(request, family)));
    return usages.reduce(addUsage);
  };
  const stream: UsageEstimates["stream"] = async (requests, delivered, candidate, known) => {
    const [sent, outputTokens] = await Promise.all([
      known ?? input(requests, candidate),
      outputOf(delivered, familyOf(candidate)),
    ]);
    // Operations that are billed by the character or the second have no tokens.
    const hasTokens = sent.units === undefined || totalInput(sent) > 0;
    return withEstimatedOutput(sent, hasTokens ? outputTokens : 0);
  };
  return {
    input,
    stream,
    reply(requests, response, candidate) {
      if (response.operation === "count") return Promise.resolve(zeroUsage);
      const text = textOfAnswer(response);
      if (text === "") return stream(requests, nothingDelivered, candidate);
      return Promise.all([input(requests, candidate), textOf(text, familyOf(candidate))]).then(
        ([sent, outputTokens]) => ({
          ...sent,
          outputTokens,
        }),
      );
    },
  };
}
