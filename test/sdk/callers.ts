// How each official SDK asks, whole and streamed, and what it understood through its own types and accumulators.
import type Anthropic from "@anthropic-ai/sdk";
import type { GenerateContentConfig, GenerateContentResponse } from "@google/genai";
import type OpenAI from "openai";
import { at, list, text } from "../support/chat-stream-reader.ts";
import type { ClientName } from "../translation-matrix/clients.ts";
import type { Setting } from "./setting.ts";

/** What a caller understood of a reply. */
export interface Understood {
  text: string;
  thinking: string;
  calls: { name: string; input: unknown }[];
  stop: string;
  refusal?: string;
  /** Where the SDK gathers them. */
  logprobs?: [token: string, logprob: number][];
}

const pair = ({ token, logprob }: { token: string; logprob: number }): [string, number] => [token, logprob];

export type Body = Record<string, unknown>;
type Caller = (sdks: Setting, body: Body, stream: boolean) => Promise<Understood>;

/** The SDK gathers what it knows; thinking it only shows chunk by chunk. */
const chat: Caller = async ({ openai }, body, stream) => {
  let thinking = "";
  const streamed = () =>
    openai.chat.completions
      .stream(body as never)
      .on("chunk", (chunk) => {
        thinking += text(chunk, "choices", 0, "delta", "reasoning_content");
      })
      .finalChatCompletion();
  const reply = await (stream
    ? streamed()
    : openai.chat.completions.create(body as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming));
  const [choice] = reply.choices;
  if (!choice) throw new Error("the SDK made no choice of it");
  const { message, finish_reason } = choice;
  return {
    text: message.content ?? "",
    thinking: thinking || text(message, "reasoning_content"),
    calls: list(message, "tool_calls").map((call) => ({
      name: text(call, "function", "name"),
      input: JSON.parse(text(call, "function", "arguments")),
    })),
    stop: finish_reason,
    logprobs: (choice.logprobs?.content ?? []).map(pair),
    ...(message.refusal ? { refusal: message.refusal } : {}),
  };
};

const completions: Caller = async ({ openai }, body, stream) => {
  const understood: Understood = { text: "", thinking: "", calls: [], stop: "" };
  const transcribe = (part: OpenAI.Completion): void => {
    understood.text += part.choices[0]?.text ?? "";
    understood.stop ||= part.choices[0]?.finish_reason ?? "";
  };
  const ask = body as unknown as OpenAI.CompletionCreateParamsNonStreaming;
  if (!stream) transcribe(await openai.completions.create(ask));
  else for await (const part of await openai.completions.create({ ...ask, stream: true })) transcribe(part);
  return understood;
};

const responses: Caller = async ({ openai }, body, stream) => {
  const response = stream
    ? await openai.responses.stream(body as never).finalResponse()
    : await openai.responses.parse({ ...body, stream: false } as never);
  if (response.error) throw Object.assign(new Error(response.error.message), { ofResponse: true });
  const understood: Understood = { text: response.output_text, thinking: "", calls: [], stop: response.status ?? "" };
  if (response.incomplete_details?.reason) understood.stop += ` ${response.incomplete_details.reason}`;
  for (const item of response.output) {
    if (item.type === "reasoning") understood.thinking += item.summary.map((part) => part.text).join("\n\n");
    if (item.type === "function_call")
      understood.calls.push({ name: item.name, input: JSON.parse(item.arguments || "{}") });
    if (item.type !== "message") continue;
    for (const part of item.content) {
      if (part.type === "refusal") understood.refusal = part.refusal;
      else understood.logprobs = [...(understood.logprobs ?? []), ...(part.logprobs ?? []).map(pair)];
    }
  }
  return understood;
};

const messages: Caller = async ({ anthropic }, body, stream) => {
  const ask = body as unknown as Anthropic.MessageCreateParamsNonStreaming;
  const { content, stop_reason } = stream
    ? await anthropic.messages.stream(ask).finalMessage()
    : await anthropic.messages.create(ask);
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    thinking: content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join(""),
    calls: content.flatMap((block) => (block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [])),
    stop: stop_reason ?? "",
  };
};

/** The SDK keeps most of a body under `config`. */
function googleAsk({ model, contents, tools, generationConfig }: Body) {
  const config = {
    ...(generationConfig as object),
    ...(tools === undefined ? {} : { tools }),
  } as GenerateContentConfig;
  return { model: String(model), contents: contents as never, config };
}

const gemini: Caller = async ({ google }, body, stream) => {
  const ask = googleAsk(body);
  const replies: GenerateContentResponse[] = stream
    ? await Array.fromAsync(await google.models.generateContentStream(ask))
    : [await google.models.generateContent(ask)];
  const parts = replies.flatMap((reply) => list(reply, "candidates", 0, "content", "parts"));
  const spoken = (isThought: boolean) =>
    parts.filter((part) => (at(part, "thought") === true) === isThought).map((part) => text(part, "text"));
  return {
    text: spoken(false).join(""),
    thinking: spoken(true).join(""),
    calls: replies.flatMap((reply) => reply.functionCalls ?? []).map(({ name = "", args }) => ({ name, input: args })),
    stop: replies.map((reply) => text(reply, "candidates", 0, "finishReason")).join(""),
  };
};

export const callers: { readonly [name in ClientName]: Caller } = { chat, completions, responses, messages, gemini };
