// The limits of the sandbox, similar to those of providers, so that no request blocks the others.
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import { isLargerThan } from "../../lib/size.ts";

export const charsPerToken = 4;
/** Per item. */
const mostTokens = 8_192;
/** For all items together. */
const mostTokensInAll = 300_000;

/** The context window of the sandbox's chat. */
const contextTokens = 200_000;

/** Throws `context_length_exceeded` for a conversation that exceeds the context window. */
export function refuseContext(request: OperationRequest): void {
  if (request.operation !== "chat" || !isLargerThan([request.system, request.messages], contextTokens * charsPerToken))
    return;
  const message = `This model's maximum context length is ${contextTokens} tokens. Shorten the messages.`;
  throw new GatewayError("context_length_exceeded", message, { param: "messages" });
}

/** The approximate tokens of a text. */
export const tokensIn = (text: string): number => Math.ceil(text.length / charsPerToken);

/** Throws `invalid_value` for more than `most` items. */
export function refuseMany(count: number, most: number, param: string, what: string): void {
  if (count > most)
    throw new GatewayError("invalid_value", `The sandbox accepts at most ${most} ${what} per request.`, { param });
}

/** Throws `invalid_value` for an item with too many tokens, and for too many in total. */
export function refuseTokens(tokens: readonly number[], param: string): void {
  const longest = tokens.reduce((most, each) => Math.max(most, each), 0);
  if (longest > mostTokens)
    throw new GatewayError("invalid_value", `The sandbox accepts at most ${mostTokens} tokens per item.`, { param });
  const inAll = tokens.reduce((sum, each) => sum + each, 0);
  refuseMany(inAll, mostTokensInAll, param, "tokens");
}
