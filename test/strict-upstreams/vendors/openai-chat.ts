// OpenAI's chat completions: thinking is never shown there, and the newer families refuse it beside function tools.
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { token } from "../conversation.ts";
import { play } from "../model.ts";
import { object, plain } from "../shape.ts";
import type { Body, Refusal, Vendor } from "../vendor.ts";
import {
  type ChatWriter,
  callIds,
  chatPath,
  chatReply,
  chatStream,
  messagesOf,
  openaiEnvelope,
  readChat,
  roleOf,
  secondStep,
  unansweredCalls,
  unaskedResult,
} from "./chat-wire.ts";

/** `openai` 7.55.0, `ChatCompletionCreateParams`. */
const request = object({
  ...plain("model", "messages", "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs"),
  ...plain("max_completion_tokens", "max_tokens", "metadata", "modalities", "moderation", "n", "parallel_tool_calls"),
  ...plain("prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
  ...plain("reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store"),
  ...plain("stream", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity"),
  ...plain("web_search_options"),
  stream_options: object(plain("include_usage", "include_obfuscation")),
});

const isReasoning = (model: string): boolean => /^(?:o\d|gpt-[5-9])/.test(model);
/** The families that think beside functions in Responses alone. */
const refusesTools = (model: string): boolean => /^gpt-(?:5\.[4-9]|[6-9])/.test(model);
/** These think without being told to. */
const thinksUnasked = (model: string): boolean => /^gpt-(?:5\.[6-9]|[6-9])/.test(model);

const refusals: readonly Refusal[] = [
  {
    refuses: "a parameter that it does not have",
    source: "https://github.com/BerriAI/litellm/pull/24468",
    fault(body) {
      const [stray] = request(body);
      if (stray === undefined) return undefined;
      const name = stray.join(".");
      return { message: `Unknown parameter: '${name}'.`, param: name, code: "unknown_parameter" };
    },
    spoil: (body) => Object.assign(body, { reasoningSummary: "auto" }),
  },
  {
    refuses: "max_tokens for a model that reasons",
    source: "https://github.com/sipeed/picoclaw/issues/16",
    fault: (body) =>
      isReasoning(text(body, "model")) && at(body, "max_tokens") !== undefined
        ? {
            message:
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            param: "max_tokens",
            code: "unsupported_parameter",
          }
        : undefined,
    spoil: (body) => Object.assign(body, { model: "gpt-5.1", max_tokens: 100 }),
  },
  {
    refuses: "an effort for a model that does not reason",
    source: "https://github.com/umputun/tg-spam/issues/304",
    fault: (body) =>
      !isReasoning(text(body, "model")) && at(body, "reasoning_effort") !== undefined
        ? { message: "Unrecognized request argument supplied: reasoning_effort" }
        : undefined,
    spoil: (body) => Object.assign(body, { reasoning_effort: "high" }),
  },
  {
    refuses: "function tools beside reasoning",
    source:
      "https://github.com/GoogleChromeLabs/webmcp-tools/issues/417, https://github.com/BerriAI/litellm/pull/34569",
    fault(body) {
      const [model, effort] = [text(body, "model"), text(body, "reasoning_effort")];
      const reasons = effort === "" ? thinksUnasked(model) : effort !== "none";
      if (!refusesTools(model) || list(body, "tools").length === 0 || !reasons) return undefined;
      return {
        message: `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        param: "reasoning_effort",
      };
    },
    spoil: (body) => Object.assign(body, { model: "gpt-5.6-terra" }),
  },
  {
    refuses: "a call without its result",
    source: "https://github.com/aliasrobotics/cai/issues/111",
    fault(body) {
      const open = unansweredCalls(body);
      return (
        open && {
          message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.ids.join(", ")}`,
          param: `messages.[${open.index + 1}].role`,
        }
      );
    },
    spoil: (body) => void messagesOf(body).pop(),
  },
  {
    refuses: "a result without its call",
    source: "https://github.com/miurla/morphic/issues/136",
    fault(body) {
      const index = unaskedResult(body);
      return index === undefined
        ? undefined
        : {
            message:
              "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
            param: `messages.[${index}].role`,
          };
    },
    spoil: (body) => void messagesOf(body).push({ role: "tool", tool_call_id: "call_other", content: "x" }),
  },
  {
    refuses: "an id of more than 40 characters",
    source: "https://github.com/camel-ai/camel/issues/2215, https://github.com/BerriAI/litellm/issues/17343",
    fault(body) {
      const long = messagesOf(body).flatMap((message, index) =>
        callIds(message).map((id, call) => ({ id, where: `messages[${index}].tool_calls[${call}].id` })),
      );
      const found = long.find(({ id }) => id.length > 40);
      return (
        found && {
          message: `Invalid '${found.where}': string too long. Expected a string with maximum length 40, but got a string with length ${found.id.length} instead.`,
          param: found.where,
          code: "string_above_max_length",
        }
      );
    },
    spoil(body) {
      const id = `call_${"x".repeat(36)}`;
      Object.assign(list(secondStep(body).assistant, "tool_calls")[0] as Body, { id });
      Object.assign(secondStep(body).result, { tool_call_id: id });
    },
  },
  {
    refuses: "null in place of a text",
    source: "https://github.com/run-llama/llama_index/pull/17921",
    fault(body) {
      const index = messagesOf(body).findIndex(
        (message) =>
          at(message, "content") === null &&
          !(roleOf(message) === "assistant" && list(message, "tool_calls").length > 0),
      );
      return index < 0
        ? undefined
        : {
            message: "Invalid value for 'content': expected a string, got null.",
            param: `messages.[${index}].content`,
          };
    },
    spoil: (body) => Object.assign(secondStep(body).result, { content: null }),
  },
];

const hidden: ChatWriter = { thought: () => ({}) };

export const openaiChat: Vendor = {
  name: "openai-chat",
  paths: chatPath,
  refusals,
  envelope: openaiEnvelope,
  read: readChat,
  thinks: (body) => !/^(?:|none)$/.test(text(body, "reasoning_effort")),
  make: (_, tag, turn) => play(turn, { thought: null, callId: (index) => `call_${token(24, tag, turn, index)}` }),
  isStream: ({ json }) => at(json, "stream") === true,
  reply: (...made) => chatReply(hidden, ...made),
  stream: (...made) => chatStream(hidden, ...made),
};
