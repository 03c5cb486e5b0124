// Ollama on one's own machine: text in the compatible API, vectors in its own beside it.
import { ollamaEmbeddings, openaiCompletions } from "../dialects/index.ts";
import { nativeApiBeside } from "./native-api-prefix.ts";
import type { Preset } from "./preset.ts";

/** https://docs.ollama.com/api/openai-compatibility: calls come whole, each in one chunk. */
export const ollama: Preset = {
  kind: "ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  barePath: "v1",
  localPort: 11434,
  also: [openaiCompletions, ollamaEmbeddings],
  account: nativeApiBeside("v1", /^api\//),
  options: { legacyMaxTokens: true, splitsThinking: true, oneChoice: true },
};
