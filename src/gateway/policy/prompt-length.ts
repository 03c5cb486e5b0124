// Limits the prompt of an image or a video: one that is longer than any model accepts is refused before any provider is
// called.
import { GatewayError } from "../../canonical/error.ts";
import type { Policy } from "./policy.ts";

/** Throws `invalid_value` for a longer prompt. */
export function promptLength(limits: { readonly maxPromptChars: number }): Policy {
  return {
    name: "prompt-length",
    authorize({ operation, content }) {
      if (operation !== "image" && operation !== "video") return;
      const request = content();
      const { maxPromptChars } = limits;
      const prompt = "prompt" in request ? request.prompt : undefined;
      if (prompt === undefined || prompt.length <= maxPromptChars) return;
      throw new GatewayError("invalid_value", `'prompt' is longer than ${maxPromptChars} characters. Shorten it.`, {
        param: "prompt",
      });
    },
  };
}
