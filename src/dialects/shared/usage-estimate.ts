// Usage where nobody counted, for wires whose clients cannot do without figures.
import type { Block } from "../../canonical/chat.ts";
import type { Usage } from "../../canonical/usage.ts";

const charsPerToken = 4;

/** Characters that the model wrote. */
export function charsIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => {
    const said = "text" in block ? block.text : block.type === "tool-call" ? block.input : "";
    return sum + said.length;
  }, 0);
}

/** An estimate, never zeros as if they were true. */
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
