// The token counter's thread for the vocabulary cl100k_base. Its tables take a third of a second to load and up to 100
// MB of memory.
import { countTokens } from "gpt-tokenizer/encoding/cl100k_base";
import { type CountOrder, countSlice } from "./slices.ts";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<CountOrder>) => {
  self.postMessage(countSlice(data, (text) => countTokens(text, { allowedSpecial: "all" })));
};
