// A client of Responses, through the official SDK: it replays the items itself, or names the response before.
import OpenAI from "openai";
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { system, tools } from "../dialogue.ts";
import { clientsOf, type Dialogue, type Habit, type Opening, type Reply, watchedFetch } from "./client.ts";

type Item = Record<string, unknown>;
type Items = readonly Item[];

const named: Habit<Items> = { name: "previous_response_id", of: "openai-node", replay: (items) => items };
const withoutId = ({ id: _, status: __, ...item }: Item): Item => item;

const renamed = (items: Items): Items =>
  items.map((item, index) =>
    item["type"] === "function_call"
      ? { ...withoutId(item), call_id: `functions.${text(item, "name")}:${index}` }
      : item,
  );

const habits: readonly Habit<Items>[] = [
  { name: "all items", of: "openai-node, Agents SDK", replay: (items) => items },
  { name: "ids of items dropped", of: "Codex, LangChain", replay: (items) => items.map(withoutId) },
  {
    name: "reasoning dropped",
    of: "agents that keep messages and calls",
    replay: (items) => items.filter(({ type }) => type !== "reasoning").map(withoutId),
    keepsState: false,
  },
  { name: "new ids, with dots and colons", of: "agents with ids of their own", replay: renamed, keepsIds: false },
  named,
];

const joined = (parts: readonly unknown[]): string => parts.map((part) => text(part, "text")).join("");

function receivedIn(items: Items, warnings: string): Reply {
  const ofType = (type: string) => items.filter((item) => item["type"] === type);
  return {
    text: ofType("message")
      .map((item) => joined(list(item, "content")))
      .join(""),
    thinking: ofType("reasoning")
      .map((item) => joined(list(item, "summary")) || joined(list(item, "content")))
      .join(""),
    calls: ofType("function_call").map((item) => ({
      id: text(item, "call_id"),
      name: text(item, "name"),
      input: JSON.parse(text(item, "arguments")),
    })),
    warnings,
  };
}

function open({ url, key, model, stream, thinking, habit }: Opening<Items>): Dialogue {
  const watched = watchedFetch();
  const openai = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: key,
    maxRetries: 0,
    timeout: 60_000,
    fetch: watched.fetch,
  });
  const isStored = habit === named;
  let input: Item[] = [];
  let calls: Reply["calls"] = [];
  let previous: string | undefined;

  const settings = {
    model,
    instructions: system,
    tools: tools.map(({ schema, ...tool }) => ({ type: "function", ...tool, parameters: schema, strict: false })),
    ...(thinking ? { reasoning: { effort: "high", summary: "auto" } } : {}),
    ...(isStored ? {} : { store: false, include: ["reasoning.encrypted_content"] }),
  };

  /** Streams are read as agents do: the items that are done, and the end. */
  async function transcribe(body: object): Promise<{ id: string; items: Item[] }> {
    if (!stream) {
      const response = await openai.responses.create({ ...body, stream: false } as never);
      return { id: text(response, "id"), items: list(response, "output") as Item[] };
    }
    const events = await Array.fromAsync((await openai.responses.create({ ...body, stream: true } as never)) as never);
    const done = events.filter((event) => text(event, "type") === "response.output_item.done");
    const end = events.find((event) => text(event, "type") === "response.completed");
    if (end === undefined) throw new Error(`the stream did not complete: ${JSON.stringify(events.at(-1))}`);
    return { id: text(end, "response", "id"), items: done.map((event) => at(event, "item") as Item) };
  }

  async function ask(): Promise<Reply> {
    const { id, items } = await transcribe({
      ...settings,
      input,
      ...(previous ? { previous_response_id: previous } : {}),
    });
    const replayed = habit.replay(items);
    const reply = receivedIn(replayed, watched.warnings());
    calls = reply.calls;
    if (isStored) previous = id;
    input = isStored ? [] : [...input, ...replayed];
    return { ...reply, thinking: receivedIn(items, "").thinking };
  }

  return {
    say(words) {
      input.push({ role: "user", content: words });
      return ask();
    },
    answer(results) {
      input.push(
        ...calls.map(({ id }, index) => ({ type: "function_call_output", call_id: id, output: results[index] ?? "" })),
      );
      return ask();
    },
  };
}

export const responsesClients = clientsOf("responses", /^openai-responses$/, habits, open);
