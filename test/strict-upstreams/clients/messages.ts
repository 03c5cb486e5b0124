// A client of the Messages API, through the official SDK.
import Anthropic from "@anthropic-ai/sdk";
import { at, text } from "../../support/chat-stream-reader.ts";
import { system, tools } from "../dialogue.ts";
import { clientsOf, type Dialogue, type Habit, type Opening, type Reply, watchedFetch } from "./client.ts";

type Block = Record<string, unknown>;
type Blocks = readonly Block[];

const isThinking = ({ type }: Block): boolean => type === "thinking" || type === "redacted_thinking";

/** Adjacent texts as one, and no empty ones. */
function joined(blocks: Blocks): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (block["type"] === "text" && block["text"] === "") continue;
    if (block["type"] === "text" && last?.["type"] === "text") last["text"] = `${last["text"]}${block["text"]}`;
    else result.push({ ...block });
  }
  return result;
}

const members: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input"],
};

/** The members that the first version of the API had. */
const typed = (blocks: Blocks): Block[] =>
  blocks.map((block) => Object.fromEntries((members[text(block, "type")] ?? []).map((name) => [name, block[name]])));

const renamed = (blocks: Blocks): Block[] =>
  typed(blocks).map((block, index) =>
    block["type"] === "tool_use" ? { ...block, id: `${block["name"]}-${index}` } : block,
  );

const habits: readonly Habit<Blocks>[] = [
  { name: "all blocks", of: "Claude Code, Agent SDK", replay: (blocks) => blocks },
  {
    name: "typed members, texts joined, empty ones dropped",
    of: "LangChain, AI SDK",
    replay: (blocks) => joined(typed(blocks)),
  },
  {
    name: "empty thinking dropped",
    of: "AI SDK, Cline",
    replay: (blocks) => typed(blocks).filter((block) => block["type"] !== "thinking" || block["thinking"] !== ""),
  },
  {
    name: "thinking dropped",
    of: "agents that keep text and calls",
    replay: (blocks) => joined(typed(blocks)).filter((block) => !isThinking(block)),
    keepsState: false,
  },
  {
    name: "all blocks, and a text behind the results",
    of: "Claude Code",
    replay: (blocks) => blocks,
    remark: "<system-reminder>Stay brief.</system-reminder>",
  },
  { name: "new ids", of: "agents with ids of their own", replay: renamed, keepsIds: false },
];

const budget = { type: "enabled", budget_tokens: 4096 };
const adaptive = { type: "adaptive", display: "summarized" };

const words = (blocks: Blocks, member: string): string => blocks.map((block) => text(block, member)).join("");

function open({ url, key, model, stream, thinking, isAdaptive, habit }: Opening<Blocks>): Dialogue {
  const watched = watchedFetch();
  const anthropic = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0, timeout: 60_000, fetch: watched.fetch });
  const messages: Block[] = [];
  const body = {
    model,
    system,
    max_tokens: 8192,
    messages,
    tools: tools.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })),
    ...(thinking ? { thinking: isAdaptive ? adaptive : budget } : {}),
  };

  async function ask(): Promise<Reply> {
    const message = stream
      ? await anthropic.messages.stream(body as never).finalMessage()
      : await anthropic.messages.create(body as never);
    const blocks = at(message, "content") as Block[];
    const replayed = habit.replay(blocks);
    messages.push({ role: "assistant", content: replayed });
    return {
      text: words(blocks, "text"),
      thinking: words(blocks, "thinking"),
      calls: replayed
        .filter(({ type }) => type === "tool_use")
        .map((block) => ({ id: text(block, "id"), name: text(block, "name"), input: block["input"] })),
      warnings: watched.warnings(),
    };
  }

  return {
    say(spoken) {
      messages.push({ role: "user", content: spoken });
      return ask();
    },
    answer(results) {
      const ids = ((messages.at(-1)?.["content"] ?? []) as Block[]).filter(({ type }) => type === "tool_use");
      const content = ids.map(({ id }, index) => ({ type: "tool_result", tool_use_id: id, content: results[index] }));
      const remark = habit.remark === undefined ? [] : [{ type: "text", text: habit.remark }];
      messages.push({ role: "user", content: [...content, ...remark] });
      return ask();
    },
  };
}

export const messagesClients = clientsOf("messages", /^anthropic-messages/, habits, open);
