// The meaning of upstream errors, as data: vendors' codes and types are checked first, texts last.
import type { ErrorKind } from "../canonical/error.ts";

/** An error matches the first row that has its status and its code or text. */
interface RefusalRule {
  readonly kind: ErrorKind;
  readonly statuses: { readonly from: number; readonly to: number };
  /** `code` and `type` of the vendors, in lower case. */
  readonly codes: ReadonlySet<string>;
  /** For vendors without a code for it. */
  readonly words: RegExp;
}

const anyOf = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => `(?:${source})`).join("|"), "i");

const clientErrors = { from: 400, to: 499 };

/** An account without funds, or a refused key or region, under a status that blames the request. */
const credentials: RefusalRule = {
  kind: "upstream_credentials",
  statuses: clientErrors,
  codes: new Set([
    ...["insufficient_quota", "quota_exhausted", "billing_error", "billing_not_active", "account_deactivated"],
    // OpenAI and most compatible servers; Google's ErrorInfo; Mistral, DashScope, Moonshot.
    ...["invalid_api_key", "api_key_invalid", "authentication_error", "unauthenticated", "unauthorized"],
    ...["invalidapikey", "invalid_authentication_error", "incorrect_api_key"],
  ]),
  words:
    /insufficient_quota|credit[_ ]balance|billing_|quota_exhausted|(?:incorrect|invalid|wrong|expired|missing|unknown) (?:openai |x-)?api[- _]?key|api[- _]key (?:is )?(?:not valid|invalid|expired|incorrect|missing)|invalid authentication/i,
};

/** A model that the provider does not have, has retired, or does not make available to this account. */
const model: RefusalRule = {
  kind: "upstream_model_not_found",
  statuses: clientErrors,
  codes: new Set([
    // OpenAI, Groq, xAI, DashScope; Together; Groq, OpenAI; Mistral; Azure; Ark.
    ...["model_not_found", "model_not_available", "model_decommissioned", "model_deprecated", "invalid_model"],
    ...["deploymentnotfound", "invalidendpointormodel.notfound", "modelnotopen", "modelnotfound", "model_not_exist"],
    // Zhipu and Z.ai, SiliconFlow.
    ...["1211", "20012"],
  ]),
  words: anyOf(
    // OpenAI, vLLM, xAI, DeepSeek, Ollama, Cohere, Vertex, Groq, Bedrock: "The model `x` does not exist", "model 'x' was removed on".
    /\bmodel(?: (?:name|id))?:? ?(?:[`'"]?[\w./:@-]+[`'"]? )?(?:(?:has|is|was|been) )*(?:does not exist|not exist\b|not found|no longer (?:available|supported)|decommissioned|retired|removed|reached (?:the |its )?end of (?:its )?life)/,
    // Gemini, Moonshot, MiniMax.
    /\bmodels\/\S+ is not found|\bnot found the model\b|\bunknown model\b/,
    // Mistral, OpenRouter, Bedrock.
    /\binvalid model:|\bis not a valid model\b|\bmodel identifier is invalid|\bcould not resolve the foundation model\b/,
    // OpenAI, Bedrock, OpenRouter.
    /\b(?:not|n't) have access to (?:the )?model\b|\bno (?:allowed )?(?:endpoints|providers) (?:found|are available) for\b/,
    // Anthropic: 404 not_found_error "model: claude-x". Zhipu.
    /^model: \S+$|模型不存在/,
  ),
};

/** A feature that the server lacks, under a status that blames the server. */
const unsupported: RefusalRule = {
  kind: "upstream_unsupported",
  statuses: { from: 500, to: 501 },
  // llama.cpp; Google; OpenAI compatible servers.
  codes: new Set(["not_supported_error", "unimplemented", "not_implemented", "notimplementederror", "unsupported"]),
  // llama.cpp: "tools param requires --jinja flag", "image input is not supported - hint: …you may need to provide the mmproj".
  words: /\b(?:is|are|does|do|was) not support|\bnot supported\b|\bunsupported\b|\bnot implemented\b|requires --jinja/i,
};

const refusalRules: readonly RefusalRule[] = [credentials, model, unsupported];

/** The meaning of a status, a code or type and a message by the table; undefined where only the status decides. */
export function knownRefusal(
  status: number,
  codes: readonly (string | undefined)[],
  message: string,
): ErrorKind | undefined {
  const rules = refusalRules.filter(({ statuses }) => status >= statuses.from && status <= statuses.to);
  if (rules.length === 0) return undefined;
  const lower = codes.map((code) => code?.toLowerCase() ?? "");
  const byCode = rules.find((rule) => lower.some((code) => rule.codes.has(code)));
  return (byCode ?? rules.find(({ words }) => [...lower, message].some((text) => words.test(text))))?.kind;
}
