// Mistral's chat completions: ids of nine letters and digits, a strict order of roles, and no member that it does not know.
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { token } from "../conversation.ts";
import { play } from "../model.ts";
import { list as listOf, object, oneOf, plain, type Stray } from "../shape.ts";
import type { Body, Fault, Refusal, Vendor } from "../vendor.ts";
import {
  type ChatWriter,
  callIds,
  chatPath,
  chatReply,
  chatStream,
  messagesOf,
  readChat,
  roleOf,
  secondStep,
} from "./chat-wire.ts";

const call = object({ ...plain("id", "type", "index"), function: object(plain("name", "arguments")) });

/** `@mistralai/mistralai`, `ChatCompletionRequest`: https://docs.mistral.ai/api/endpoint/chat */
const request = object({
  ...plain("model", "temperature", "top_p", "max_tokens", "stream", "stop", "random_seed", "metadata", "n"),
  ...plain("response_format", "tools", "tool_choice", "presence_penalty", "frequency_penalty", "prediction"),
  ...plain("parallel_tool_calls", "prompt_mode", "safe_prompt", "guardrails", "reasoning_effort", "prompt_cache_key"),
  messages: listOf(
    oneOf(
      "role",
      {
        system: object(plain("role", "content")),
        user: object(plain("role", "content")),
        assistant: object({ ...plain("role", "content", "prefix"), tool_calls: listOf(call) }),
        tool: object(plain("role", "content", "tool_call_id", "name")),
      },
      true,
    ),
  ),
});

const inputAt = (body: Body, stray: Stray): unknown =>
  at(body, ...stray.filter((step, index) => !(index === 2 && stray[0] === "messages" && typeof step === "string")));

/** Which roles may follow which. */
const follows: Readonly<Record<string, readonly string[]>> = {
  "": ["system", "user"],
  system: ["system", "user", "assistant"],
  user: ["user", "assistant", "system"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

function wrongOrder(body: Body): string | undefined {
  const roles = messagesOf(body).map(roleOf);
  const index = roles.findIndex((role, at) => !(follows[roles[at - 1] ?? ""] ?? []).includes(role));
  if (index < 0) return undefined;
  return `Unexpected role '${roles[index]}' after role '${roles[index - 1]}'`;
}

const order = (message: string): Fault => ({ message, type: "invalid_request_message_order", code: "3230" });
const isShort = (id: string): boolean => /^[a-zA-Z0-9]{9}$/.test(id);

const refusals: readonly Refusal[] = [
  {
    refuses: "a member that it does not know",
    source:
      "https://github.com/charmbracelet/crush/issues/1590, https://github.com/nomtek/mistralai_client_dart/issues/44",
    fault(body) {
      const [stray] = request(body);
      if (stray === undefined) return undefined;
      const detail = { type: "extra_forbidden", loc: ["body", ...stray], input: inputAt(body, stray) ?? null };
      return { status: 422, message: JSON.stringify({ ...detail, msg: "Extra inputs are not permitted" }) };
    },
    spoil: (body) => Object.assign(secondStep(body).assistant, { reasoning_content: "\n" }),
  },
  {
    refuses: "an id that is not nine letters and digits",
    source: "https://github.com/BibekBhusal0/zen-custom-js/pull/7",
    fault(body) {
      const ids = messagesOf(body).flatMap((message) => [...callIds(message), text(message, "tool_call_id")]);
      const long = ids.find((id) => id !== "" && !isShort(id));
      return long === undefined
        ? undefined
        : { message: `Tool call id was ${long} but must be a-z, A-Z, 0-9, with a length of 9.` };
    },
    spoil: (body) => Object.assign(list(secondStep(body).assistant, "tool_calls")[0] as Body, { id: "call_search" }),
  },
  {
    refuses: "an effort that its models do not have",
    source: "https://github.com/architects-toolkit/SmartHopper/issues/647",
    fault(body) {
      const effort = text(body, "reasoning_effort");
      return /^(?:|none|high)$/.test(effort)
        ? undefined
        : {
            message: `reasoning_effort='${effort}' is not supported for this model. Must be one of (<ReasoningEffort.none: 'none'>, <ReasoningEffort.high: 'high'>)`,
            type: "invalid_request_invalid_args",
            code: "3051",
          };
    },
    spoil: (body) => Object.assign(body, { reasoning_effort: "medium" }),
  },
  {
    refuses: "roles out of order",
    source:
      "https://github.com/datapizza-labs/datapizza-ai/issues/98, https://github.com/charmbracelet/crush/issues/279",
    fault(body) {
      const wrong = wrongOrder(body);
      return wrong === undefined ? undefined : order(wrong);
    },
    spoil: (body) => void messagesOf(body).push({ role: "user", content: "And?" }),
  },
  {
    refuses: "a last message of the assistant",
    source: "https://github.com/0xPlaygrounds/rig/pull/1130",
    fault: (body) =>
      roleOf(messagesOf(body).at(-1)) === "assistant"
        ? order("Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant")
        : undefined,
    spoil: (body) => void messagesOf(body).push({ role: "assistant", content: "So" }),
  },
];

/** https://docs.mistral.ai/capabilities/reasoning: thinking comes as parts of the content. */
const thinkingPart = (words: string) => ({ type: "thinking", thinking: [{ type: "text", text: words }] });
const parts: ChatWriter = { thought: (words) => ({ content: [thinkingPart(words)] }) };

const thinks = (body: Body): boolean => text(body, "reasoning_effort") === "high";

/** What may stand between results and words of the user, where no other message may: it says nothing. */
const isFiller = (message: unknown): boolean =>
  roleOf(message) === "assistant" && text(message, "content") === "." && callIds(message).length === 0;

export const mistral: Vendor = {
  name: "mistral",
  paths: chatPath,
  refusals,
  envelope: ({ message, status, type, code }) =>
    status === 422
      ? {
          object: "error",
          message: { detail: [JSON.parse(message)] },
          type: "invalid_request_error",
          param: null,
          code: null,
        }
      : { object: "error", message, type: type ?? "invalid_request_error", param: null, code: code ?? null },
  read: (body) => readChat({ ...body, messages: messagesOf(body).filter((message) => !isFiller(message)) }),
  thinks,
  make: (body, tag, turn) =>
    play(turn, {
      thought: thinks(body) ? { shown: true } : null,
      callId: (index) => token(9, tag, turn, index),
    }),
  isStream: ({ json }) => at(json, "stream") === true,
  reply(made, tag, turn, body) {
    const thought = made.find((part) => part.kind === "thinking");
    const words = made.find((part) => part.kind === "text");
    const reply = chatReply(parts, made, tag, turn, body);
    if (thought?.kind === "thinking") {
      const content = [
        thinkingPart(thought.text),
        ...(words?.kind === "text" ? [{ type: "text", text: words.text }] : []),
      ];
      Object.assign(at(reply, "choices", 0, "message") as Body, { content });
    }
    return reply;
  },
  stream: (...made) => chatStream(parts, ...made),
};
