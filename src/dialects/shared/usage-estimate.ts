// Estimated usage where the upstream returned none, for wires whose clients require it.
import type { Block } from "../../canonical/chat.ts";
import type { Usage } from "../../canonical/usage.ts";

const charsPerToken = 4;

/** Characters that the model generated. */
export function charsIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => {
    const text = "text" in block ? block.text : block.type === "tool-call" ? block.input : "";
    return sum + text.length;
  }, 0);
}

/** An estimate, because zeros would be false. */
export function estimatedUsage(inputEstimate: number, outputChars: number): Usage {
  return {
    inputTokens: inputEstimate,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: Math.ceil(outputChars / charsPerToken),
    reasoningTokens: 0,
    estimated: true,
  };
}
