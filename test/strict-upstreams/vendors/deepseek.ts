// DeepSeek's chat completions: it thinks unless told not to, and wants the thought behind each call back.
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { token } from "../conversation.ts";
import { play } from "../model.ts";
import type { Body, Refusal, Vendor } from "../vendor.ts";
import {
  type ChatWriter,
  chatPath,
  chatReply,
  chatStream,
  messagesOf,
  openaiEnvelope,
  readChat,
  secondStep,
  unansweredCalls,
  unaskedResult,
} from "./chat-wire.ts";

/** https://github.com/SaladDay/cc-switch-cli/issues/170: thinking is on where nothing is said about it. */
const thinks = (body: Body): boolean => text(body, "thinking", "type") !== "disabled";
const code = "invalid_request_error";

const refusals: readonly Refusal[] = [
  {
    refuses: "a call without its result",
    source: "https://github.com/agno-agi/agno/issues/3105",
    fault: (body) =>
      unansweredCalls(body) && {
        message:
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
        code,
      },
    spoil: (body) => void messagesOf(body).pop(),
  },
  {
    refuses: "a result without its call",
    source: "https://github.com/FoundationAgents/OpenManus/issues/744",
    fault: (body) =>
      unaskedResult(body) === undefined
        ? undefined
        : { message: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'", code },
    spoil: (body) => void messagesOf(body).push({ role: "tool", tool_call_id: "call_other", content: "x" }),
  },
  {
    refuses: "a call without the thought behind it",
    source: "https://github.com/mnfst/modelparams.dev/issues/29",
    fault: (body) =>
      thinks(body) &&
      messagesOf(body).some(
        (message) => list(message, "tool_calls").length > 0 && text(message, "reasoning_content") === "",
      )
        ? { message: "The `reasoning_content` in the thinking mode must be passed back to the API.", code }
        : undefined,
    spoil: (body) => Object.assign(secondStep(body).assistant, { reasoning_content: "" }),
  },
];

const shown: ChatWriter = { thought: (words) => ({ reasoning_content: words }) };

export const deepseek: Vendor = {
  name: "deepseek",
  paths: chatPath,
  refusals,
  envelope: openaiEnvelope,
  read: readChat,
  thinks,
  wantsThoughts: true,
  make: (body, tag, turn) =>
    play(turn, {
      thought: thinks(body) ? { shown: true } : null,
      callId: (index) => `call_00_${token(24, tag, turn, index)}`,
    }),
  isStream: ({ json }) => at(json, "stream") === true,
  reply: (...made) => chatReply(shown, ...made),
  stream: (...made) => chatStream(shown, ...made),
};
