// A plain ask that any test may vary, and the error that a call throws.
import type { ChatRequest } from "../../src/canonical/chat.ts";

export const plainAsk: ChatRequest = {
  operation: "chat",
  model: "m",
  stream: false,
  system: [],
  messages: [{ role: "user", blocks: [{ type: "text", text: "hi" }] }],
  tools: [],
  sampling: {},
  stopSequences: [],
  choices: 1,
  unmappedFields: [],
};

/** What a caller may see of an error; empty when nothing was thrown. */
export interface Thrown {
  kind?: string;
  code?: string;
  param?: string | null;
  message?: string;
  status?: number;
}

export function thrown(call: () => unknown): Thrown {
  try {
    call();
  } catch (error) {
    return error as object;
  }
  return {};
}
