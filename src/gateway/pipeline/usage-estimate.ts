// Usage that no provider reported: what was sent and what was delivered, by the tokenizer where it answers in time.
import type { Answer, Ask } from "../../canonical/operation.ts";
import { addUsage, noUsage, type Usage } from "../../canonical/usage.ts";
import { type TokenFamily, tokenFamilyOf } from "../../dialects/tokens/families.ts";
import { approximateInput, approximateText, scanInput } from "../../dialects/tokens/figures.ts";
import { requestParts } from "../../dialects/tokens/request-parts.ts";
import { scanText } from "../../dialects/tokens/text-scan.ts";
import { countInput, countText, type TokenCounter } from "../../providers/token-counter/index.ts";
import type { Candidate } from "../routing/catalog.ts";
import { type Delivered, nothingDelivered } from "../streaming/meter.ts";

export interface UsageEstimates {
  /** Of what was sent. Never rejects. */
  input(asks: readonly Ask[], candidate: Candidate): Promise<Usage>;
  /** Of what was sent and delivered; `known` is what the provider did say of the input. Never rejects. */
  stream(asks: readonly Ask[], delivered: Delivered, candidate: Candidate, known?: Usage): Promise<Usage>;
  /** Of a whole reply. Never rejects. */
  reply(asks: readonly Ask[], answer: Answer, candidate: Candidate): Promise<Usage>;
}

/** A reply or a settlement waits so long for the tokenizer, then the quick estimate has to do. */
const patienceMs = 2_000;

export const familyOf = ({ provider, model }: Candidate): TokenFamily => tokenFamilyOf(provider.kind, model);

/** Counting is free at every provider that offers it. */
const isFree = (ask: Ask): boolean => ask.operation === "count";

/** What a conversation's reply says: text, thinking and calls. */
export function textOfAnswer(answer: Answer): string {
  if (answer.operation !== "chat") return "";
  const blocks = answer.choices.flatMap((choice) => choice.blocks);
  return blocks
    .map((block) => (block.type === "tool-call" ? `${block.name}${block.input}` : "text" in block ? block.text : ""))
    .join("\n");
}

export function usageEstimates(counter: TokenCounter): UsageEstimates {
  const inputOf = async (ask: Ask, family: TokenFamily): Promise<Usage> => {
    if (isFree(ask)) return noUsage;
    const parts = requestParts(ask);
    if (parts.units !== undefined) return { ...noUsage, units: parts.units(), estimated: true };
    const inputTokens = await countInput(counter, parts, family, AbortSignal.timeout(patienceMs)).catch(() =>
      approximateInput(scanInput(parts), family),
    );
    return { ...noUsage, inputTokens: Math.max(1, inputTokens), estimated: true };
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
  const input = async (asks: readonly Ask[], candidate: Candidate): Promise<Usage> => {
    const family = familyOf(candidate);
    const usages = await Promise.all(asks.map((ask) => inputOf(ask, family)));
    return usages.reduce(addUsage);
  };
  const stream: UsageEstimates["stream"] = async (asks, delivered, candidate, known) => {
    const [sent, outputTokens] = await Promise.all([
      known ?? input(asks, candidate),
      outputOf(delivered, familyOf(candidate)),
    ]);
    return sent.units === undefined ? { ...sent, outputTokens, estimated: true } : { ...sent, estimated: true };
  };
  return {
    input,
    stream,
    reply(asks, answer, candidate) {
      if (answer.operation === "count") return Promise.resolve(noUsage);
      const text = textOfAnswer(answer);
      if (text === "") return stream(asks, nothingDelivered, candidate);
      return Promise.all([input(asks, candidate), textOf(text, familyOf(candidate))]).then(([sent, outputTokens]) => ({
        ...sent,
        outputTokens,
      }));
    },
  };
}
