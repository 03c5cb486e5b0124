// The error format of each protocol, and the protocol of a request on a path that several share.
import { anthropicMessages, gemini } from "../dialects/index.ts";
import { openaiErrors } from "../dialects/openai-error.ts";
import type { ErrorFormat } from "./endpoint.ts";

export type Protocol = "openai" | "anthropic" | "gemini";

export const protocols: { readonly [protocol in Protocol]: ErrorFormat } = {
  openai: { errors: openaiErrors, idHeaders: [] },
  anthropic: { errors: anthropicMessages.error, idHeaders: ["request-id"], rateHeaders: "anthropic-ratelimit" },
  gemini: { errors: gemini.error, idHeaders: [] },
};

/** Version headers, whose presence identifies Anthropic's protocol. */
export const versionHeaders = ["vendor-version", "anthropic-version"] as const;

/** On a shared path: a Google key header identifies Gemini's protocol, a version header Anthropic's. */
export function protocolOf(request: Request): Protocol {
  if (request.headers.has("x-goog-api-key")) return "gemini";
  return versionHeaders.some((name) => request.headers.has(name)) ? "anthropic" : "openai";
}

/** For an unknown path: the protocol whose path it resembles, otherwise the one whose headers it has. */
export function protocolOfUnknown(request: Request, path: string): ErrorFormat {
  if (/^(?:\/upload)?\/v1(?:alpha|beta)/.test(path)) return protocols.gemini;
  if (/^\/(?:v1\/)*messages(?:\/|$)/.test(path)) return protocols.anthropic;
  return protocols[protocolOf(request)];
}
