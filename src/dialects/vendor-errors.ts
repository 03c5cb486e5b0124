// Errors of upstreams that no client speaks like: their own statuses and codes, judged as those of everybody else.
import { isObject, type Json } from "../lib/json.ts";
import type { ErrorCodec } from "./dialect.ts";
import { openaiErrors } from "./openai-error.ts";

/** What one upstream's statuses and codes mean, where that is not what they mean elsewhere. */
export interface Meanings {
  readonly statuses?: { readonly [status: number]: number };
  readonly codes?: { readonly [code: string]: number };
}

function codeOf(body: unknown): Json | undefined {
  return isObject(body) ? (body.code ?? body.error_type) : undefined;
}

/** Reads `{message}`, `{detail}`, `{error}`, `{code, message}` and bare text. */
export function errorsWith({ statuses = {}, codes = {} }: Meanings = {}): ErrorCodec {
  return {
    ...openaiErrors,
    parse(status, body, retryAfterMs) {
      const code = codeOf(body);
      const meant = (typeof code === "string" ? codes[code] : undefined) ?? statuses[status] ?? status;
      return openaiErrors.parse(meant, body, retryAfterMs);
    },
  };
}

/** Cohere's. 498: the token is none, or blocked. 499: the server takes our call for closed. */
export const cohereErrors = errorsWith({ statuses: { 498: 401, 499: 503 } });
