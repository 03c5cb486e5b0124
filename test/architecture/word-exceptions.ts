// Texts and names that may have a word of the list. Each with its reason.
import type { Reasons } from "./words.ts";

/** Parts of texts. */
export const allowedTexts: Reasons = {
  "you said": "the sandbox's reply, which applications under test compare",
  "set show tell that the": "the sandbox's list of common English words",
};

/** Exported names. */
export const allowedNameWords: Reasons = {};
