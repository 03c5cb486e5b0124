// Which models reason before they respond, by their names: they take longer, and nothing can be read meanwhile.
import type { Reasoning } from "../../canonical/chat.ts";
import { findRow, type ModelQuery } from "./model-table.ts";

/**
 * Names of models that reason unless it is turned off (model lists of the vendors, 2026-11-22). A name that is
 * missing gets the other timeouts, unless its request asks for reasoning.
 */
const names = [
  /^(?:.*\/)?o[134](?![a-z0-9])/,
  /^(?:.*\/)?gpt-(?:5|oss)(?!.*-chat)/,
  /(?:^|[-/_:])(?<!non-)(?:reasoner|reasoning|thinking|think|deep-?research)(?![a-z])/,
  /(?:^|[-/_])(?:r1|qwq|qvq|magistral)(?![a-z0-9])/,
  /(?:^|\/)gemini-(?:2\.5|3)(?!.*(?:image|tts|flash-lite))/,
  /(?:^|\/)grok-(?:3-mini|4)(?!.*non-reasoning)/,
  /(?:^|\/)(?:minimax-m\d|glm-(?:4\.[5-9]|[5-9]))/,
];

/** A model, and the settings of a request for its reasoning. */
interface ReasoningQuery extends ModelQuery {
  /** The setting of the request. */
  readonly reasoning?: Reasoning | undefined;
}

const isOff = ({ effort, budgetTokens }: Reasoning): boolean => effort === "none" || budgetTokens === 0;

/** True where a response may take as long as reasoning does. */
export function reasons({ model, declared, reasoning }: ReasoningQuery): boolean {
  const own = findRow(declared ?? [], model)?.capabilities.reasoning;
  if (own === "none" || (reasoning !== undefined && isOff(reasoning))) return false;
  const isRequested = reasoning?.effort !== undefined || reasoning?.budgetTokens !== undefined || reasoning?.adaptive;
  const name = model.toLowerCase();
  return isRequested === true || names.some((pattern) => pattern.test(name));
}
