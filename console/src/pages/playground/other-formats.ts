// The client formats of Anthropic and Google: requests of a conversation, and what their streams bring.
import type { Format, WireEvent } from "./format.ts";
import { dataOf } from "./media-bytes.ts";
import { type Chat, type Effort, type Message, type Part, parsed, withoutMedia } from "./message.ts";

const usualTokens = 4_096;
/** Tokens of reasoning for formats that have no words for it. */
const budgets: Readonly<Record<Exclude<Effort, "">, number>> = { low: 1_024, medium: 4_096, high: 16_384 };

function block(part: Part): object[] {
  if (part.kind === "text") return [{ type: "text", text: part.text }];
  if (part.kind === "call") return [{ type: "tool_use", id: part.id, name: part.name, input: parsed(part.args) }];
  if (part.kind === "result") return [{ type: "tool_result", tool_use_id: part.id, content: part.text }];
  if (part.kind === "thinking")
    return part.proof === undefined ? [] : [{ type: "thinking", thinking: part.text, signature: part.proof }];
  if (part.kind === "audio") return [];
  const data = dataOf(part.url);
  const source =
    data === null ? { type: "url", url: part.url } : { type: "base64", media_type: data.type, data: data.data };
  return [{ type: "image", source }];
}

export const anthropicMessages: Format = {
  title: "Anthropic Messages",
  outputs: [],
  path: () => "/v1/messages",
  headers: { "anthropic-version": "2023-06-01" },
  body: ({ model, system, messages, tools, effort, temperature, maxTokens }: Chat) => {
    const budget = effort === "" ? 0 : budgets[effort];
    return {
      model,
      max_tokens: (maxTokens ?? usualTokens) + budget,
      ...(system === "" ? {} : { system }),
      messages: messages
        .map(withoutMedia)
        .map(({ role, parts }) => ({ role, content: parts.flatMap(block) }))
        .filter(({ content }) => content.length > 0),
      ...(tools.length === 0
        ? {}
        : { tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })) }),
      ...(budget === 0 ? {} : { thinking: { type: "enabled", budget_tokens: budget } }),
      ...(temperature === null ? {} : { temperature }),
      stream: true,
    };
  },
  read({ type, index, content_block: start, delta }: WireEvent, sink) {
    const key = String(index ?? 0);
    if (type === "content_block_start" && start?.type === "tool_use")
      sink.call(key, { id: start.id ?? "", name: start.name ?? "" });
    if (type !== "content_block_delta" || typeof delta !== "object") return;
    if (delta.type === "text_delta") sink.text(delta.text ?? "");
    if (delta.type === "thinking_delta") sink.thinking(delta.thinking ?? "");
    if (delta.type === "signature_delta") sink.thinking("", delta.signature ?? "");
    if (delta.type === "input_json_delta") sink.call(key, { args: delta.partial_json ?? "" });
  },
};

function geminiPart(part: Part): object[] {
  if (part.kind === "text") return [{ text: part.text }];
  if (part.kind === "thinking") return [];
  if (part.kind === "audio") return [];
  if (part.kind === "result") return [{ functionResponse: { name: part.name, response: { result: part.text } } }];
  if (part.kind === "call")
    return [
      {
        functionCall: { name: part.name, args: parsed(part.args) },
        ...(part.proof === undefined ? {} : { thoughtSignature: part.proof }),
      },
    ];
  const data = dataOf(part.url);
  return data === null
    ? [{ fileData: { fileUri: part.url, mimeType: "image/*" } }]
    : [{ inlineData: { mimeType: data.type, data: data.data } }];
}

const contents = ({ role, parts }: Message) => ({
  role: role === "user" ? "user" : "model",
  parts: parts.flatMap(geminiPart),
});

const modalities = { image: ["TEXT", "IMAGE"], audio: ["AUDIO"] } as const;

function settings({ effort, output, temperature, maxTokens }: Chat): object {
  const all = {
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
    ...(output === "" ? {} : { responseModalities: modalities[output] }),
    ...(effort === "" ? {} : { thinkingConfig: { includeThoughts: true, thinkingBudget: budgets[effort] } }),
  };
  return Object.keys(all).length === 0 ? {} : { generationConfig: all };
}

export const gemini: Format = {
  title: "Google Gemini",
  outputs: ["image", "audio"],
  path: ({ model }) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  body: (chat: Chat) => ({
    contents: chat.messages
      .map(withoutMedia)
      .map(contents)
      .filter(({ parts }) => parts.length > 0),
    ...(chat.system === "" ? {} : { systemInstruction: { parts: [{ text: chat.system }] } }),
    ...(chat.tools.length === 0 ? {} : { tools: [{ functionDeclarations: chat.tools }] }),
    ...settings(chat),
  }),
  read({ candidates }: WireEvent, sink) {
    for (const { text, thought, functionCall, thoughtSignature, inlineData } of candidates?.[0]?.content?.parts ?? []) {
      const { mimeType = "", data = "" } = inlineData ?? {};
      if (mimeType.startsWith("audio/")) sink.audio(mimeType, data);
      else if (inlineData !== undefined) sink.image(`data:${mimeType};base64,${data}`);
      else if (functionCall !== undefined)
        sink.call(`${functionCall.name} ${JSON.stringify(functionCall.args)}`, {
          ...{ id: functionCall.id ?? functionCall.name, name: functionCall.name },
          args: JSON.stringify(functionCall.args ?? {}),
          ...(thoughtSignature === undefined ? {} : { proof: thoughtSignature }),
        });
      else if (thought === true) sink.thinking(text ?? "");
      else sink.text(text ?? "");
    }
  },
};
