// The tokenizer's thread: its tables take a third of a second to load and 100 MB to hold, and only where they are asked for.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<{ id: number; text: string }>) => {
  self.postMessage({ id: data.id, tokens: countTokens(data.text, { allowedSpecial: "all" }) });
};
