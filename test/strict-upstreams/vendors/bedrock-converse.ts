// Amazon Bedrock's Converse with a Claude behind it: its own checks come first, then the model's.

import { event } from "../../providers/aws-events.ts";
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { callsIn, type Entry, madeState, type Part, signature, token } from "../conversation.ts";
import { play } from "../model.ts";
import { cutReply, pieces } from "../stream.ts";
import type { Body, Refusal, Vendor } from "../vendor.ts";

const contentOf = (message: unknown): unknown[] => list(message, "content");
const messagesOf = (body: Body): unknown[] => list(body, "messages");
const holding = (message: unknown, name: string) => contentOf(message).filter((block) => at(block, name) !== undefined);
const thinking = (body: Body): string => text(body, "additionalModelRequestFields", "thinking", "type");
const thinks = (body: Body): boolean => /^(?:enabled|adaptive)$/.test(thinking(body));
const useIds = (message: unknown) => holding(message, "toolUse").map((block) => text(block, "toolUse", "toolUseId"));
const resultIds = (message: unknown) =>
  holding(message, "toolResult").map((block) => text(block, "toolResult", "toolUseId"));

/** The model's own words, as the service passes them on. */
const byModel = (message: string) => `The model returned the following errors: ${message}`;

function withoutThought(body: Body): { index: number; found: string } | undefined {
  const messages = messagesOf(body);
  const spoke = messages.findLastIndex((one) => text(one, "role") === "user" && resultIds(one).length === 0);
  const opening = messages[spoke + 1];
  const [first] = contentOf(opening);
  if (thinking(body) !== "enabled" || opening === undefined || at(first, "reasoningContent") !== undefined)
    return undefined;
  return { index: spoke + 1, found: at(first, "toolUse") === undefined ? "text" : "tool_use" };
}

const secondStep = (body: Body) => ({ assistant: messagesOf(body)[1], user: messagesOf(body)[2] });

const refusals: readonly Refusal[] = [
  {
    refuses: "calls and results without tools",
    source: "https://github.com/patriceckhart/zot/pull/18",
    fault: (body) =>
      at(body, "toolConfig") === undefined &&
      messagesOf(body).some((one) => [...useIds(one), ...resultIds(one)].length > 0)
        ? { message: "The toolConfig field must be defined when using toolUse and toolResult content blocks." }
        : undefined,
    spoil: (body) => void delete body["toolConfig"],
  },
  {
    refuses: "a message without content",
    source: "https://github.com/archestra-ai/archestra/pull/4220",
    fault(body) {
      const index = messagesOf(body).findIndex((one) => contentOf(one).length === 0);
      return index < 0
        ? undefined
        : {
            message: `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`,
          };
    },
    spoil: (body) => void contentOf(messagesOf(body)[0]).pop(),
  },
  {
    refuses: "a blank text",
    source: "https://github.com/OpenHands/OpenHands/issues/5339",
    fault: (body) =>
      messagesOf(body)
        .flatMap((message, index) =>
          contentOf(message).flatMap((block, place) =>
            at(block, "text") !== undefined && text(block, "text").trim() === ""
              ? [`messages.${index}.content.${place}`]
              : [],
          ),
        )
        .map((where) => ({
          message: `The text field in the ContentBlock object at ${where} is blank. Add text to the text field, and try again.`,
        }))[0],
    spoil: (body) => void contentOf(secondStep(body).assistant).unshift({ text: "" }),
  },
  {
    refuses: "a call without its result",
    source: "https://github.com/camel-ai/camel/issues/3954",
    fault: (body) =>
      messagesOf(body)
        .map((message, index) => {
          const answered = resultIds(messagesOf(body)[index + 1]);
          return { index, ids: useIds(message).filter((id) => !answered.includes(id)) };
        })
        .filter(({ ids }) => ids.length > 0)
        .map(({ index, ids }) => ({
          message: `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${ids.join(", ")}`,
        }))[0],
    spoil: (body) => void contentOf(secondStep(body).user).pop(),
  },
  {
    refuses: "more results than calls",
    source: "https://github.com/Just-Curieous/Curie/issues/16",
    fault(body) {
      const index = messagesOf(body).findIndex(
        (message, at) => resultIds(message).length > useIds(messagesOf(body)[at - 1]).length,
      );
      return index < 0
        ? undefined
        : {
            message: `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
          };
    },
    spoil: (body) =>
      void contentOf(secondStep(body).user).push({ toolResult: { toolUseId: "other", content: [{ text: "x" }] } }),
  },
  {
    refuses: "a signature that the model did not make",
    source: "https://github.com/can1357/oh-my-pi/pull/333",
    fault: (body, made) =>
      messagesOf(body)
        .flatMap((message, index) =>
          contentOf(message).flatMap((block, place) => {
            const thought = at(block, "reasoningContent", "reasoningText");
            return thought === undefined || madeState(made, text(thought, "signature"))
              ? []
              : [`messages.${index}.content.${place}`];
          }),
        )
        .map((where) => ({ message: byModel(`${where}: Invalid \`signature\` in \`thinking\` block`) }))[0],
    spoil: (body) =>
      Object.assign(at(contentOf(secondStep(body).assistant)[0], "reasoningContent", "reasoningText") as Body, {
        signature: "AAAA",
      }),
  },
  {
    refuses: "thinking for a turn that has lost its thinking block",
    source: "https://github.com/anomalyco/opencode/issues/3077",
    fault(body) {
      const lost = withoutThought(body);
      return (
        lost && {
          message: byModel(
            `messages.${lost.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${lost.found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
          ),
        }
      );
    },
    spoil: (body) => void contentOf(secondStep(body).assistant).shift(),
  },
];

function readBlock(block: unknown): Part {
  const [use, result, thought] = [
    at(block, "toolUse"),
    at(block, "toolResult"),
    at(block, "reasoningContent", "reasoningText"),
  ];
  if (use !== undefined)
    return { kind: "call", id: text(use, "toolUseId"), name: text(use, "name"), input: at(use, "input") };
  if (result !== undefined) {
    const words = contentOf(result).map((part) => text(part, "text"));
    return { kind: "result", id: text(result, "toolUseId"), text: words.join("") };
  }
  if (thought !== undefined)
    return { kind: "thinking", text: text(thought, "text"), state: text(thought, "signature") };
  return { kind: "text", text: text(block, "text") };
}

function blockOf(part: Part): unknown {
  if (part.kind === "thinking")
    return { reasoningContent: { reasoningText: { text: part.text, signature: part.state } } };
  if (part.kind === "call") return { toolUse: { toolUseId: part.id, name: part.name, input: part.input } };
  return { text: part.text };
}

const stopReason = (made: readonly Part[]): string => (callsIn(made).length > 0 ? "tool_use" : "end_turn");
const usage = { inputTokens: 40, outputTokens: 30, totalTokens: 70 };

function eventsOf(part: Part, contentBlockIndex: number): Buffer[] {
  const say = (type: string, data: Record<string, unknown>) =>
    event(type, JSON.stringify({ contentBlockIndex, ...data }));
  const delta = (inner: Record<string, unknown>) => say("contentBlockDelta", { delta: inner });
  const stop = say("contentBlockStop", {});
  if (part.kind === "thinking")
    return [
      ...pieces(part.text).map((words) => delta({ reasoningContent: { text: words } })),
      delta({ reasoningContent: { signature: part.state } }),
      stop,
    ];
  if (part.kind === "call")
    return [
      say("contentBlockStart", { start: { toolUse: { toolUseId: part.id, name: part.name } } }),
      ...pieces(JSON.stringify(part.input)).map((input) => delta({ toolUse: { input } })),
      stop,
    ];
  return [...pieces(part.text).map((words) => delta({ text: words })), stop];
}

export const bedrockConverse: Vendor = {
  name: "bedrock-converse",
  paths: /^\/model\/[^/]+\/converse(?:-stream)?$/,
  refusals,
  envelope: ({ message }) => ({ message }),
  read: (body) =>
    messagesOf(body).map(
      (message): Entry => ({
        role: text(message, "role") === "assistant" ? "assistant" : "user",
        parts: contentOf(message).map(readBlock),
      }),
    ),
  thinks,
  make: (body, tag, turn) =>
    play(turn, {
      thought: thinks(body) && (turn === 0 || turn === 3) ? { shown: true, state: signature(tag, turn) } : null,
      callId: (index) => `tooluse_${token(22, tag, turn, index)}`,
    }),
  isStream: ({ path }) => path.endsWith("/converse-stream"),
  reply: (made) => ({
    output: { message: { role: "assistant", content: made.map(blockOf) } },
    stopReason: stopReason(made),
    usage,
    metrics: { latencyMs: 100 },
  }),
  stream(made) {
    const events = [
      event("messageStart", JSON.stringify({ role: "assistant" })),
      ...made.flatMap(eventsOf),
      event("messageStop", JSON.stringify({ stopReason: stopReason(made) })),
      event("metadata", JSON.stringify({ usage, metrics: { latencyMs: 100 } })),
    ];
    return cutReply(Buffer.concat(events), "application/vnd.amazon.eventstream");
  },
};
