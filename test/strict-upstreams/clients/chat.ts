// A client of chat completions, through the official SDK.
import OpenAI from "openai";
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { system, tools } from "../dialogue.ts";
import { clientsOf, type Dialogue, type Habit, type Opening, type Reply, watchedFetch } from "./client.ts";
import { gatheredMessage } from "./gathering.ts";

type Message = Record<string, unknown>;

/** The members that the SDK types. */
function typed(message: Message): Message {
  const calls = list(message, "tool_calls").map((call) => ({
    id: at(call, "id"),
    type: "function",
    function: { name: at(call, "function", "name"), arguments: at(call, "function", "arguments") },
  }));
  const content = message["content"] ?? null;
  return { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function renamed(message: Message): Message {
  const calls = list(message, "tool_calls").map((call, index) => ({
    ...(call as Message),
    id: `functions.${text(call, "function", "name")}:${index}`,
  }));
  return calls.length > 0 ? { ...typed(message), tool_calls: calls.map((call) => typedCall(call)) } : typed(message);
}

const typedCall = (call: Message): Message => ({ id: call["id"], type: "function", function: call["function"] });

function withoutEmpty(message: Message): Message {
  const { content, ...rest } = typed(message);
  return content === null || content === "" ? rest : { ...rest, content };
}

const reasoned = (message: Message): Message => {
  const words = message["reasoning_content"];
  return words === undefined ? typed(message) : { ...typed(message), reasoning_content: words };
};

interface ChatHabit extends Habit<Message> {
  /** How it gathers a stream. */
  readonly gathers: "openai-python" | "openai-node";
  /** It asks for usage in streams. */
  readonly wantsUsage?: boolean;
}

const habits: readonly ChatHabit[] = [
  { name: "all members", of: "openai-python", gathers: "openai-python", replay: (message) => message },
  {
    name: "all members as gathered",
    of: "openai-node",
    gathers: "openai-node",
    readsThinking: false,
    replay: (message) => message,
    keepsState: false,
  },
  {
    name: "typed members",
    of: "LangChain, AI SDK",
    wantsUsage: true,
    gathers: "openai-node",
    readsThinking: false,
    replay: typed,
    keepsState: false,
  },
  {
    name: "typed members, empty content dropped",
    of: "OpenCode",
    gathers: "openai-node",
    readsThinking: false,
    replay: withoutEmpty,
    keepsState: false,
  },
  {
    name: "text of reasoning",
    of: "AI SDK for compatible servers, Cline",
    gathers: "openai-python",
    replay: reasoned,
    keepsState: false,
  },
  {
    name: "new ids, with dots and colons",
    of: "agents that moved here from Kimi",
    gathers: "openai-node",
    readsThinking: false,
    replay: renamed,
    keepsIds: false,
    keepsState: false,
  },
];

/** Members that the SDK adds for its own callers. */
function withoutParsed(message: Message): Message {
  const { parsed: _, ...rest } = message;
  const calls = list(rest, "tool_calls").map((call) => {
    const { parsed_arguments: __, ...inner } = at(call, "function") as Message;
    return { ...(call as Message), function: inner };
  });
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
}

function open({ url, key, model, stream, thinking, habit }: Opening<Message>): Dialogue {
  const watched = watchedFetch();
  const openai = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: key,
    maxRetries: 0,
    timeout: 60_000,
    fetch: watched.fetch,
  });
  const messages: Message[] = [{ role: "system", content: system }];
  const functions = tools.map(({ schema, ...tool }) => ({
    type: "function",
    function: { ...tool, parameters: schema },
  }));
  const effort = thinking ? { reasoning_effort: "high" } : {};

  async function transcribe(): Promise<Message> {
    const body = { model, messages, tools: functions, ...effort };
    if (!stream) return (await openai.chat.completions.create(body as never)).choices[0]?.message as unknown as Message;
    const usage = (habit as ChatHabit).wantsUsage ? { stream_options: { include_usage: true } } : {};
    const streamed = { ...body, stream: true, ...usage };
    if ((habit as ChatHabit).gathers === "openai-node")
      return (await openai.chat.completions.stream(streamed as never).finalMessage()) as unknown as Message;
    const chunks = await Array.fromAsync((await openai.chat.completions.create(streamed as never)) as never);
    return gatheredMessage(
      chunks.flatMap((chunk) => list(chunk, "choices").map((choice) => at(choice, "delta") as Message)),
    );
  }

  async function ask(): Promise<Reply> {
    const message = withoutParsed(await transcribe());
    messages.push(habit.replay(message));
    const content = message["content"];
    return {
      text: typeof content === "string" ? content : "",
      thinking: text(message, "reasoning_content"),
      calls: list(messages.at(-1), "tool_calls").map((call) => ({
        id: text(call, "id"),
        name: text(call, "function", "name"),
        input: JSON.parse(text(call, "function", "arguments")),
      })),
      warnings: watched.warnings(),
    };
  }

  return {
    say(words) {
      messages.push({ role: "user", content: words });
      return ask();
    },
    answer(results) {
      const ids = list(messages.at(-1), "tool_calls").map((call) => text(call, "id"));
      messages.push(...ids.map((tool_call_id, index) => ({ role: "tool", tool_call_id, content: results[index] })));
      return ask();
    },
  };
}

export const chatClients = clientsOf("chat", /^(?:openai-chat|deepseek|mistral)$/, habits, open);
