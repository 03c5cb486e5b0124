// What Anthropic's Messages API refuses, in its own words.
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { madeState } from "../conversation.ts";
import { any, dotted, list as listOf, object, oneOf, plain, type Shape } from "../shape.ts";
import type { Body, Fault, Refusal } from "../vendor.ts";

const source = object(plain("type", "media_type", "data", "url", "file_id", "content"));
const marked = plain("type", "cache_control");
const results = oneOf("type", {
  text: object({ ...marked, ...plain("text", "citations") }),
  image: object({ ...marked, source }),
});
const blocks: Readonly<Record<string, Shape>> = {
  text: object({ ...marked, ...plain("text", "citations") }),
  image: object({ ...marked, source }),
  document: object({ ...marked, source, ...plain("title", "context", "citations") }),
  tool_use: object({ ...marked, ...plain("id", "name", "input", "caller") }),
  tool_result: object({ ...marked, ...plain("tool_use_id", "is_error"), content: listOf(results) }),
  thinking: object(plain("type", "thinking", "signature")),
  redacted_thinking: object(plain("type", "data")),
};
const tool = object({
  ...marked,
  ...plain("name", "description", "input_schema", "strict", "defer_loading", "eager_input_streaming"),
});

/** `@anthropic-ai/sdk` 1.10.0, `MessageCreateParams`. */
const request = object({
  ...plain("model", "max_tokens", "stop_sequences", "stream", "temperature", "top_p", "top_k", "service_tier"),
  ...plain("metadata", "container", "inference_geo", "cache_control", "tool_choice", "speed"),
  messages: listOf(object({ role: any, content: listOf(oneOf("type", blocks, true)) })),
  system: listOf(object({ ...marked, ...plain("text", "citations") })),
  tools: listOf(oneOf("type", { custom: tool }, true, "custom")),
  thinking: object(plain("type", "budget_tokens", "display")),
  output_config: object(plain("effort", "format")),
});

/** The blocks of each message. */
export function contentsOf(body: Body): { role: string; blocks: unknown[] }[] {
  return list(body, "messages").map((message) => {
    const content = at(message, "content");
    return {
      role: text(message, "role"),
      blocks: typeof content === "string" ? [{ type: "text", text: content }] : ((content ?? []) as unknown[]),
    };
  });
}

export const typeOf = (block: unknown): string => text(block, "type");
const ofType = (blocks: readonly unknown[], type: string) => blocks.filter((block) => typeOf(block) === type);
const idsOf = (blocks: readonly unknown[]) => ofType(blocks, "tool_use").map((block) => text(block, "id"));

/** True when thinking is on. */
export const thinks = (body: Body): boolean => /^(?:enabled|adaptive)$/.test(text(body, "thinking", "type"));

const first = <T>(found: readonly T[]): T | undefined => found[0];
const refuse = (message: string | undefined): Fault | undefined => (message === undefined ? undefined : { message });

function unanswered(body: Body): string | undefined {
  const contents = contentsOf(body);
  return first(
    contents.flatMap(({ role, blocks }, index) => {
      const answers = ofType(contents[index + 1]?.blocks ?? [], "tool_result").map((one) => text(one, "tool_use_id"));
      const open = role === "assistant" ? idsOf(blocks).filter((id) => !answers.includes(id)) : [];
      return open.length === 0
        ? []
        : [
            `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
          ];
    }),
  );
}

function unasked(body: Body): string | undefined {
  const contents = contentsOf(body);
  return first(
    contents.flatMap(({ blocks }, index) => {
      const requested = idsOf(contents[index - 1]?.blocks ?? []);
      return blocks.flatMap((block, place) => {
        const id = text(block, "tool_use_id");
        return typeOf(block) !== "tool_result" || requested.includes(id)
          ? []
          : [
              `messages.${index}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
            ];
      });
    }),
  );
}

const badText = (body: Body, isBad: (text: string) => boolean): boolean =>
  contentsOf(body).some(({ blocks }) => ofType(blocks, "text").some((block) => isBad(text(block, "text"))));

/** The message that opens the model's last turn, results of tools included: behind the last words of the user. */
function lastTurn(body: Body): { index: number; blocks: unknown[] } | undefined {
  const contents = contentsOf(body);
  const spoke = contents.findLastIndex(
    ({ role, blocks }) => role === "user" && ofType(blocks, "tool_result").length === 0,
  );
  const opening = contents[spoke + 1];
  return opening === undefined ? undefined : { index: spoke + 1, blocks: opening.blocks };
}

function withoutThought(body: Body): string | undefined {
  const opening = lastTurn(body);
  // https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking: only a budget makes it ask.
  if (text(body, "thinking", "type") !== "enabled" || opening === undefined) return undefined;
  const found = typeOf(opening.blocks[0]);
  if (/thinking$/.test(found)) return undefined;
  return `messages.${opening.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`;
}

const stray = (body: Body) => first(request(body));
const lastAssistant = (body: Body) => contentsOf(body).findLastIndex(({ role }) => role === "assistant");
const block = (body: Body, message: number, place: number) => at(body, "messages", message, "content", place) as Body;

/** The first thinking block for which this holds: where it stands, or undefined. */
function thoughtWhere(body: Body, holds: (thought: unknown, message: number) => boolean): string | undefined {
  return first(
    contentsOf(body).flatMap(({ blocks }, index) =>
      blocks.flatMap((one, place) =>
        typeOf(one) === "thinking" && holds(one, index) ? [`messages.${index}.content.${place}`] : [],
      ),
    ),
  );
}

const issues = "https://github.com/anthropics/claude-code/issues";

/** Since Opus 4.7 the model decides how much it thinks: https://platform.claude.com/docs/en/build-with-claude/thinking */
export const thinksAdaptively = (body: Body): boolean => /opus-4-[78]/.test(text(body, "model"));

const budget = { type: "enabled", budget_tokens: 4096 };

export const refusals: readonly Refusal[] = [
  {
    refuses: "a thinking budget for a model that decides by itself",
    source: "https://github.com/stippi/code-assistant/pull/119",
    fault: (body) =>
      thinksAdaptively(body) && text(body, "thinking", "type") === "enabled"
        ? {
            message:
              '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
          }
        : undefined,
    spoil: (body) => Object.assign(body, { model: "claude-opus-4-8", thinking: budget }),
  },
  {
    refuses: "a member that the wire does not have",
    source: "https://github.com/langchain-ai/langchain/issues/31208",
    fault: (body) => {
      const found = stray(body);
      return found && { message: `${dotted(found)}: Extra inputs are not permitted` };
    },
    spoil: (body) => Object.assign(block(body, 1, 2), { index: 1 }),
  },
  {
    refuses: "an empty text",
    source: `${issues}/60009`,
    fault: (body) =>
      badText(body, (words) => words === "")
        ? { message: "messages: text content blocks must be non-empty" }
        : undefined,
    spoil: (body) => Object.assign(block(body, 1, 1), { text: "" }),
  },
  {
    refuses: "a text of white space",
    source: `${issues}/23440`,
    fault: (body) =>
      badText(body, (words) => words.trim() === "")
        ? { message: "messages: text content blocks must contain non-whitespace text" }
        : undefined,
    spoil: (body) => Object.assign(block(body, 1, 1), { text: " \n" }),
  },
  {
    refuses: "an id with other characters",
    source: "https://github.com/openclaw/openclaw/issues/12277",
    fault: (body) =>
      contentsOf(body)
        .flatMap(({ blocks }, index) =>
          blocks.flatMap((one, place) =>
            typeOf(one) === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(text(one, "id"))
              ? [`messages.${index}.content.${place}.tool_use.id`]
              : [],
          ),
        )
        .map((where) => ({ message: `${where}: String should match pattern '^[a-zA-Z0-9_-]+$'` }))[0],
    spoil: (body) => Object.assign(block(body, 1, 2), { id: "functions.get_time:0" }),
  },
  {
    refuses: "a call without its result in the next message",
    source: `${issues}/7929`,
    fault: (body) => refuse(unanswered(body)),
    spoil: (body) => void list(body, "messages", 2, "content").pop(),
  },
  {
    refuses: "a result without its call in the message before",
    source: `${issues}/13460`,
    fault: (body) => refuse(unasked(body)),
    spoil: (body) =>
      void list(body, "messages", 2, "content").push({ ...block(body, 2, 0), tool_use_id: "toolu_other" }),
  },
  {
    refuses: "a signature that it did not make",
    source: `${issues}/10627`,
    fault: (body, made) =>
      refuse(thoughtWhere(body, (thought) => !madeState(made, text(thought, "signature")))) && {
        message: `${thoughtWhere(body, (thought) => !madeState(made, text(thought, "signature")))}: Invalid \`signature\` in \`thinking\` block`,
      },
    spoil: (body) => Object.assign(block(body, 1, 0), { signature: "" }),
  },
  {
    refuses: "a signed thought whose text was altered",
    source: `${issues}/63221`,
    fault: (body, { made }) => {
      const thoughts = made.flat().filter((part) => part.kind === "thinking");
      const where = thoughtWhere(
        body,
        (thought, message) =>
          message === lastAssistant(body) && !thoughts.some((part) => part.text === text(thought, "thinking")),
      );
      return where === undefined
        ? undefined
        : {
            message: `${where}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
          };
    },
    spoil: (body) => Object.assign(block(body, 1, 0), { thinking: "" }),
  },
  {
    refuses: "thinking for a turn that has lost its thinking block",
    source: "https://github.com/anomalyco/opencode/issues/3077",
    fault: (body) => refuse(withoutThought(body)),
    spoil(body) {
      Object.assign(body, { model: "claude-sonnet-4-5", thinking: budget });
      list(body, "messages", 1, "content").shift();
    },
  },
  {
    refuses: "thinking with a forced tool",
    source: "https://github.com/mastra-ai/mastra/issues/7507",
    fault: (body) =>
      thinks(body) && /^(?:any|tool)$/.test(text(body, "tool_choice", "type"))
        ? { message: "Thinking may not be enabled when tool_choice forces tool use." }
        : undefined,
    spoil: (body) => Object.assign(body, { tool_choice: { type: "any" } }),
  },
  {
    refuses: "a tool whose schema is a union",
    source: "https://github.com/Hmbown/Codewhale/issues/4329",
    fault: (body) => {
      const index = list(body, "tools").findIndex((one) =>
        ["oneOf", "allOf", "anyOf"].some((keyword) => at(one, "input_schema", keyword) !== undefined),
      );
      return index < 0
        ? undefined
        : {
            message: `tools.${index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
          };
    },
    spoil: (body) => Object.assign(at(body, "tools", 0) as Body, { input_schema: { anyOf: [{ type: "object" }] } }),
  },
];
