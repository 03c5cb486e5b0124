// Errors of upstreams that are not client dialects: their own statuses and codes, with the shared classification.
import { isObject, type Json } from "../lib/json.ts";
import type { ErrorCodec } from "./dialect.ts";
import { openaiErrors } from "./openai-error.ts";

/** Statuses and codes of one upstream that differ from their usual meaning. */
interface Meanings {
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

/** Cohere. 498: the token is invalid or blocked. 499: the server considers the call closed. */
export const cohereErrors = errorsWith({ statuses: { 498: 401, 499: 503 } });
