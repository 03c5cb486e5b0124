// The five clients of the pairs: how each asks for a feature in its own words, and which words it then hears.

import { answerSchema, chatRound, claudeClockTool, clockTool, messagesRound, pixel } from "../scenarios/bodies.ts";
import type { Surface } from "../support/http-client.ts";

export const features = [
  "text",
  "parallel tools",
  "tool results",
  "images",
  "structured output",
  "log probabilities",
  "thinking",
  "stop",
  "length",
  "refusal",
  "error before",
  "error within",
] as const;
export type Feature = (typeof features)[number];

export type ClientName = "chat" | "completions" | "responses" | "messages" | "gemini";

export interface Client {
  name: ClientName & Surface;
  /** The dialect of this client, as upstreams call it. */
  speaks: string;
  /** What every request of it holds. */
  base: Record<string, unknown>;
  /** Laid over the base; a feature that is not named is only received, not asked for. */
  asks: Partial<Record<Feature, Record<string, unknown>>>;
  /** Laid over a streamed request. */
  streams?: Record<string, unknown>;
  /** How it is told why a reply ended. */
  stops: Record<"end" | "sequence" | "tools" | "length", string> & { refusal: RegExp };
  /** False where a format has no words for what a reply holds. */
  reads: { thinking: boolean; calls: boolean; logprobs: boolean };
  /** All tokens of the prompt, and all of the reply, in this client's usage. */
  usage: readonly [input: string, output: string];
}

/** A stop text that every upstream's reply holds. */
export const stopText = ", ";
export const outputBound = 64;
/** How many likely tokens are asked for in the place of each. */
export const alternatives = 2;

const day = { type: "function", function: { name: "get_day", parameters: { type: "object", properties: {} } } };
const png = `data:image/png;base64,${pixel}`;
const question = "What is in the picture?";

const chatUser = (content: unknown) => ({ messages: [{ role: "user", content }] });
const flat = ({ function: { name, parameters } }: { function: { name: string; parameters: object } }) => ({
  type: "function",
  name,
  parameters,
});

const chat: Client = {
  name: "chat",
  speaks: "openai-chat",
  base: chatUser("Say hello."),
  streams: { stream_options: { include_usage: true } },
  asks: {
    "parallel tools": { tools: [clockTool, day], parallel_tool_calls: true },
    "tool results": { messages: chatRound, tools: [clockTool, day] },
    images: chatUser([
      { type: "text", text: question },
      { type: "image_url", image_url: { url: png } },
    ]),
    "structured output": {
      response_format: { type: "json_schema", json_schema: { name: "at", schema: answerSchema, strict: true } },
    },
    "log probabilities": { logprobs: true, top_logprobs: alternatives },
    thinking: { reasoning_effort: "high" },
    stop: { stop: [stopText] },
    length: { max_completion_tokens: outputBound },
  },
  stops: { end: "stop", sequence: "stop", tools: "tool_calls", length: "length", refusal: /^(?:content_filter|stop)$/ },
  reads: { thinking: true, calls: true, logprobs: true },
  usage: ["prompt_tokens", "completion_tokens"],
};

/** It has no words for most features: what other servers take beside the prompt is what a client would try. */
const completions: Client = {
  name: "completions",
  speaks: "openai-completions",
  base: { prompt: "Say hello.", max_tokens: 500 },
  streams: { stream_options: { include_usage: true } },
  asks: {
    "parallel tools": { tools: [clockTool, day] },
    "tool results": { messages: chatRound },
    images: { images: [pixel] },
    "structured output": {
      response_format: { type: "json_schema", json_schema: { name: "at", schema: answerSchema } },
    },
    "log probabilities": { logprobs: alternatives },
    thinking: { reasoning_effort: "high" },
    stop: { stop: [stopText] },
    length: { max_tokens: outputBound },
  },
  stops: { end: "stop", sequence: "stop", tools: "stop", length: "length", refusal: /^(?:content_filter|stop)$/ },
  reads: { thinking: false, calls: false, logprobs: true },
  usage: ["prompt_tokens", "completion_tokens"],
};

const responses: Client = {
  name: "responses",
  speaks: "openai-responses",
  base: { input: "Say hello.", store: false },
  asks: {
    "parallel tools": { tools: [flat(clockTool), flat(day)], parallel_tool_calls: true },
    "tool results": {
      tools: [flat(clockTool), flat(day)],
      input: [
        { role: "user", content: "What time and day is it?" },
        { type: "function_call", call_id: "call_a", name: "get_time", arguments: '{"zone":"UTC"}' },
        { type: "function_call", call_id: "call_b", name: "get_day", arguments: "{}" },
        { type: "function_call_output", call_id: "call_a", output: "12:00" },
        { type: "function_call_output", call_id: "call_b", output: "Monday" },
      ],
    },
    images: {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: question },
            { type: "input_image", image_url: png, detail: "auto" },
          ],
        },
      ],
    },
    "structured output": {
      text: { format: { type: "json_schema", name: "at", schema: answerSchema, strict: true } },
    },
    "log probabilities": { top_logprobs: alternatives, include: ["message.output_text.logprobs"] },
    thinking: { reasoning: { effort: "high", summary: "auto" }, include: ["reasoning.encrypted_content"] },
    stop: { stop: [stopText] },
    length: { max_output_tokens: outputBound },
  },
  stops: {
    end: "completed",
    sequence: "completed",
    tools: "completed",
    length: "incomplete max_output_tokens",
    refusal: /^(?:completed|incomplete content_filter)$/,
  },
  reads: { thinking: true, calls: true, logprobs: true },
  usage: ["input_tokens", "output_tokens"],
};

const claudeDay = { name: "get_day", input_schema: { type: "object", properties: {} } };

const messages: Client = {
  name: "messages",
  speaks: "anthropic-messages",
  base: { max_tokens: 4000, messages: [{ role: "user", content: "Say hello." }] },
  asks: {
    "parallel tools": { tools: [claudeClockTool, claudeDay] },
    "tool results": { messages: messagesRound, tools: [claudeClockTool, claudeDay] },
    images: {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: question },
            { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
          ],
        },
      ],
    },
    "structured output": { output_config: { format: { type: "json_schema", schema: answerSchema } } },
    thinking: { thinking: { type: "enabled", budget_tokens: 2048 } },
    stop: { stop_sequences: [stopText] },
    length: { max_tokens: outputBound },
  },
  stops: { end: "end_turn", sequence: "stop_sequence", tools: "tool_use", length: "max_tokens", refusal: /^refusal$/ },
  reads: { thinking: true, calls: true, logprobs: false },
  usage: ["input_tokens", "output_tokens"],
};

const asGoogle = (name: string, parameters: object) => ({ name, parametersJsonSchema: parameters });
const googleTools = [
  {
    functionDeclarations: [
      asGoogle("get_time", clockTool.function.parameters),
      asGoogle("get_day", day.function.parameters),
    ],
  },
];

const gemini: Client = {
  name: "gemini",
  speaks: "gemini",
  base: { contents: [{ role: "user", parts: [{ text: "Say hello." }] }] },
  asks: {
    "parallel tools": { tools: googleTools },
    "tool results": {
      tools: googleTools,
      contents: [
        { role: "user", parts: [{ text: "What time and day is it?" }] },
        {
          role: "model",
          parts: [
            {
              functionCall: { id: "call_a", name: "get_time", args: { zone: "UTC" } },
              thoughtSignature: "c2lnbmF0dXJl",
            },
            { functionCall: { id: "call_b", name: "get_day", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "call_a", name: "get_time", response: { output: "12:00" } } },
            { functionResponse: { id: "call_b", name: "get_day", response: { output: "Monday" } } },
          ],
        },
      ],
    },
    images: {
      contents: [{ role: "user", parts: [{ text: question }, { inlineData: { mimeType: "image/png", data: pixel } }] }],
    },
    "structured output": {
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: answerSchema },
    },
    "log probabilities": { generationConfig: { responseLogprobs: true, logprobs: alternatives } },
    thinking: { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } } },
    stop: { generationConfig: { stopSequences: [stopText] } },
    length: { generationConfig: { maxOutputTokens: outputBound } },
  },
  stops: {
    end: "STOP",
    sequence: "STOP",
    tools: "STOP",
    length: "MAX_TOKENS",
    refusal: /^(?:SAFETY|PROHIBITED_CONTENT)$/,
  },
  reads: { thinking: true, calls: true, logprobs: true },
  usage: ["promptTokenCount", "candidatesTokenCount"],
};

export const clients: readonly Client[] = [chat, completions, responses, messages, gemini];
