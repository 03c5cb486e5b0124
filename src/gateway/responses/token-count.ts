// `POST /v1/responses/input_tokens`: how many tokens a request has, stored items included.
import { toGatewayError } from "../../canonical/error.ts";
import { withoutTrigger } from "../../dialects/stored-responses.ts";
import { gatewayRequestOf, type IncomingRequest, streamEncoderOf } from "../pipeline/incoming-request.ts";
import type { GatewayReply } from "../pipeline/request-context.ts";
import { conversationOf, inOwnNumbers } from "./conversation.ts";
import type { ResponsesDependencies } from "./dependencies.ts";
import { resolvedInput } from "./resolved-input.ts";

/** Counts the input of a request. Throws what a request for a response with this input would throw. */
export async function countInput(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
): Promise<GatewayReply> {
  const { gateway } = dependencies;
  const conversation = await conversationOf(dependencies, incoming.wire, incoming.visit.caller.keyId);
  try {
    const counted = { ...conversation, own: withoutTrigger(conversation.own) };
    const gatewayRequest = gatewayRequestOf(
      incoming,
      gateway.clock.nowMs(),
      resolvedInput(dependencies, incoming, counted),
    );
    return await gateway.answer(gatewayRequest, {
      ...incoming.visit,
      encoder: streamEncoderOf(incoming.dialect, incoming.id),
    });
  } catch (thrown) {
    throw inOwnNumbers(toGatewayError(thrown), conversation.earlier.length);
  }
}
