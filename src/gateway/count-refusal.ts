// What the refusal of a counter means: a server without such an endpoint, or a request that it does not accept.
import { GatewayError } from "../canon/error.ts";

const noSuchPath = new Set([404, 405, 501]);
/** Refusals of the model and not of the path, as Anthropic, Google and OpenAI word them. */
const unknownModel = /^model: |\bmodels\/\S+ is not found|\bmodel\b.*(?:not found|not exist)/i;

/** `counter_missing` for a server that has no endpoint that counts tokens, else the failure itself. */
export function countRefusal(status: number, failure: GatewayError): GatewayError {
  const isModel = failure.code === "model_not_found" || unknownModel.test(failure.message);
  if (!noSuchPath.has(status) || isModel) return failure;
  return new GatewayError("counter_missing", "The provider has no endpoint that counts tokens.", { cause: failure });
}
