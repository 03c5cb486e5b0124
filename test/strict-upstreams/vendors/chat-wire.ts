// Chat completions as all their servers speak them: how a request is read, and how a reply and a stream are written.

import { at, list, text } from "../../support/chat-stream-reader.ts";
import type { Reply } from "../../support/sample-responses.ts";
import { callsIn, type Entry, type Part, token } from "../conversation.ts";
import { dataRecord, eventReply, pieces } from "../stream.ts";
import type { Body, Fault } from "../vendor.ts";

export const chatPath = /^(?:\/v1)?\/chat\/completions$/;
export const messagesOf = (body: Body): unknown[] => list(body, "messages");
export const roleOf = (message: unknown): string => text(message, "role");
export const callIds = (message: unknown): string[] => list(message, "tool_calls").map((call) => text(call, "id"));

/** OpenAI's envelope, which its imitators share. */
export const openaiEnvelope = ({ message, type, param, code }: Fault) => ({
  error: { message, type: type ?? "invalid_request_error", param: param ?? null, code: code ?? null },
});

const wordsOf = (content: unknown): string =>
  typeof content === "string" ? content : ((content ?? []) as unknown[]).map((part) => text(part, "text")).join("");

function readContent(content: unknown): Part[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return (content as unknown[]).map(
    (part): Part =>
      text(part, "type") === "thinking"
        ? { kind: "thinking", text: wordsOf(at(part, "thinking")) }
        : { kind: "text", text: text(part, "text") },
  );
}

function readAssistant(message: unknown): Entry {
  const thought = text(message, "reasoning_content").trim();
  const thinking: Part[] = thought === "" ? [] : [{ kind: "thinking", text: text(message, "reasoning_content") }];
  const calls = list(message, "tool_calls").map(
    (call): Part => ({
      kind: "call",
      id: text(call, "id"),
      name: text(call, "function", "name"),
      input: JSON.parse(text(call, "function", "arguments")),
    }),
  );
  return { role: "assistant", parts: [...thinking, ...readContent(at(message, "content")), ...calls] };
}

/** The conversation of a request, without its system messages. */
export function readChat(body: Body): Entry[] {
  return messagesOf(body)
    .filter((message) => !/^(?:system|developer)$/.test(roleOf(message)))
    .map((message): Entry => {
      if (roleOf(message) === "assistant") return readAssistant(message);
      if (roleOf(message) === "tool") {
        const answer = wordsOf(at(message, "content"));
        return { role: "user", parts: [{ kind: "result", id: text(message, "tool_call_id"), text: answer }] };
      }
      return { role: "user", parts: readContent(at(message, "content")) };
    });
}

/** How a server's wire shows thinking. */
export interface ChatWriter {
  /** The members of a message or of a delta that show this much of a thought. */
  readonly thought: (words: string) => Record<string, unknown>;
  /** The members that show text; the content in a string, where a server does nothing else. */
  readonly content?: (words: string) => Record<string, unknown>;
}

const asString = (words: string) => ({ content: words });
const finish = (made: readonly Part[]): string => (callsIn(made).length > 0 ? "tool_calls" : "stop");
const usage = { prompt_tokens: 40, completion_tokens: 30, total_tokens: 70 };
const wireCall = ({ id, name, input }: { id: string; name: string; input: unknown }) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

const shell = (object: string, tag: string, turn: number, body: Body) => ({
  id: `chatcmpl-${token(24, tag, turn)}`,
  object,
  created: 1_790_000_000,
  model: body["model"],
});

/** A whole reply. */
export function chatReply(writer: ChatWriter, made: readonly Part[], tag: string, turn: number, body: Body): unknown {
  const message: Record<string, unknown> = { role: "assistant", content: null };
  for (const part of made) {
    if (part.kind === "thinking") Object.assign(message, writer.thought(part.text));
    if (part.kind === "text") Object.assign(message, { content: part.text });
  }
  const calls = callsIn(made);
  if (calls.length > 0) message["tool_calls"] = calls.map(wireCall);
  const choice = { index: 0, message, logprobs: null, finish_reason: finish(made) };
  return { ...shell("chat.completion", tag, turn, body), choices: [choice], usage };
}

function deltasOf(part: Part, index: number, writer: ChatWriter): Record<string, unknown>[] {
  if (part.kind === "thinking") return part.text === "" ? [] : pieces(part.text).map(writer.thought);
  if (part.kind === "text") return pieces(part.text).map(writer.content ?? asString);
  if (part.kind !== "call") return [];
  const { function: call, ...rest } = wireCall(part);
  return [
    { tool_calls: [{ index, ...rest, function: { name: call.name, arguments: "" } }] },
    ...pieces(call.arguments).map((words) => ({ tool_calls: [{ index, function: { arguments: words } }] })),
  ];
}

/** A stream. Usage comes in a last chunk without choices, where it was asked for. */
export function chatStream(writer: ChatWriter, made: readonly Part[], tag: string, turn: number, body: Body): Reply {
  const head = shell("chat.completion.chunk", tag, turn, body);
  const withUsage = at(body, "stream_options", "include_usage") === true;
  const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null) =>
    dataRecord({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(withUsage ? { usage: null } : {}),
    });
  let calls = 0;
  const deltas = made.flatMap((part) => deltasOf(part, part.kind === "call" ? calls++ : 0, writer));
  return eventReply([
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, finish(made)),
    ...(withUsage ? [dataRecord({ ...head, choices: [], usage })] : []),
    dataRecord("[DONE]"),
  ]);
}

/** The first message whose calls are not all answered by the tool messages right behind it. */
export function unansweredCalls(body: Body): { index: number; ids: string[] } | undefined {
  const messages = messagesOf(body);
  for (const [index, message] of messages.entries()) {
    const behind = messages.slice(index + 1);
    const end = behind.findIndex((one) => roleOf(one) !== "tool");
    const answers = behind.slice(0, end < 0 ? behind.length : end).map((one) => text(one, "tool_call_id"));
    const ids = callIds(message).filter((id) => !answers.includes(id));
    if (ids.length > 0) return { index, ids };
  }
  return undefined;
}

/** The first tool message that answers no call of the assistant message before it. */
export function unaskedResult(body: Body): number | undefined {
  const messages = messagesOf(body);
  const index = messages.findIndex((message, at) => {
    if (roleOf(message) !== "tool") return false;
    const requested = messages.slice(0, at).findLast((one) => roleOf(one) !== "tool");
    return !callIds(requested).includes(text(message, "tool_call_id"));
  });
  return index < 0 ? undefined : index;
}

/** The assistant message and its results at the second step of the dialogue, for rows that spoil them. */
export const secondStep = (body: Body) => {
  const index = messagesOf(body).findIndex((message) => roleOf(message) === "assistant");
  return { assistant: messagesOf(body)[index] as Body, result: messagesOf(body)[index + 1] as Body, index };
};
