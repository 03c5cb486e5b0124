// `POST /v1/responses/input_tokens`: how many tokens a request has, stored items included.
import { toGatewayError } from "../../canonical/error.ts";
import { withoutTrigger } from "../../dialects/stored-responses.ts";
import { type Asked, inquiryOf, pipeWireOf } from "../pipeline/incoming-request.ts";
import { answer, type Reply } from "../pipeline/run.ts";
import { conversationOf, inOwnNumbers } from "./conversation.ts";
import type { StateParts } from "./dependencies.ts";
import { resolvedInput } from "./resolved-input.ts";

/** Counts the input of a request. Throws what a request for a response with this input would throw. */
export async function countInput(parts: StateParts, asked: Asked): Promise<Reply> {
  const { gateway } = parts;
  const conversation = await conversationOf(parts, asked.wire, asked.visit.caller.keyId);
  try {
    const counted = { ...conversation, own: withoutTrigger(conversation.own) };
    const inquiry = inquiryOf(asked, gateway.clock.nowMs(), resolvedInput(parts, asked, counted));
    return await answer(gateway, inquiry, { ...asked.visit, wire: pipeWireOf(asked.dialect, asked.id) });
  } catch (thrown) {
    throw inOwnNumbers(toGatewayError(thrown), conversation.earlier.length);
  }
}
