// The two client formats of OpenAI: requests of a conversation, and what their streams bring.
import type { Format, WireEvent } from "./format.ts";
import type { Chat, Message, Part } from "./message.ts";
import { textOf, withoutMedia } from "./message.ts";

const given = (value: number | null, name: string) => (value === null ? {} : { [name]: value });

function chatContent({ parts }: Message): unknown {
  if (parts.every(({ kind }) => kind === "text"))
    return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return parts.flatMap((part): object[] => {
    if (part.kind === "text") return [{ type: "text", text: part.text }];
    return part.kind === "image" ? [{ type: "image_url", image_url: { url: part.url } }] : [];
  });
}

function chatMessages(message: Message): object[] {
  const calls = message.parts.flatMap((part) =>
    part.kind === "call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.args } }]
      : [],
  );
  const results = message.parts.flatMap((part) =>
    part.kind === "result" ? [{ role: "tool", tool_call_id: part.id, content: part.text }] : [],
  );
  if (results.length > 0) return results;
  if (message.role === "user") return [{ role: "user", content: chatContent(message) }];
  const content = textOf(message);
  if (content === "" && calls.length === 0) return [];
  return [
    { role: "assistant", content: content === "" ? null : content, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
  ];
}

export const chatCompletions: Format = {
  title: "OpenAI Chat Completions",
  path: () => "/v1/chat/completions",
  outputs: ["audio"],
  body: ({ model, system, messages, tools, effort, output, temperature, maxTokens }: Chat) => ({
    model,
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...messages.flatMap(chatMessages)],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    ...(effort === "" ? {} : { reasoning_effort: effort }),
    ...(output === "audio" ? { modalities: ["text", "audio"], audio: { voice: "alloy", format: "pcm16" } } : {}),
    ...given(temperature, "temperature"),
    ...given(maxTokens, "max_completion_tokens"),
    stream: true,
  }),
  read({ choices }: WireEvent, sink) {
    const delta = choices?.[0]?.delta;
    sink.thinking(delta?.reasoning_content ?? delta?.reasoning ?? "");
    sink.text(delta?.content ?? "");
    sink.text(delta?.audio?.transcript ?? "");
    if (delta?.audio?.data) sink.audio("audio/pcm;rate=24000", delta.audio.data);
    for (const { image_url: image } of delta?.images ?? []) if (image?.url) sink.image(image.url);
    for (const { index = 0, id, function: called = {} } of delta?.tool_calls ?? [])
      sink.call(String(index), {
        ...(id === undefined ? {} : { id }),
        ...(called.name === undefined ? {} : { name: called.name }),
        args: called.arguments ?? "",
      });
  },
};

function inputItems({ role, parts }: Message): object[] {
  const content = parts.flatMap((part): object[] => {
    if (part.kind === "text") return [{ type: role === "user" ? "input_text" : "output_text", text: part.text }];
    return part.kind === "image" ? [{ type: "input_image", image_url: part.url }] : [];
  });
  const item = (part: Part): object[] => {
    if (part.kind === "call")
      return [{ type: "function_call", call_id: part.id, name: part.name, arguments: part.args }];
    return part.kind === "result" ? [{ type: "function_call_output", call_id: part.id, output: part.text }] : [];
  };
  return [...(content.length === 0 ? [] : [{ role, content }]), ...parts.flatMap(item)];
}

export const responses: Format = {
  title: "OpenAI Responses",
  path: () => "/v1/responses",
  outputs: ["image"],
  body: ({ model, system, messages, tools, effort, output, temperature, maxTokens }: Chat) => {
    const functions = tools.map((tool) => ({ type: "function", ...tool }));
    const all = output === "image" ? [...functions, { type: "image_generation" }] : functions;
    return {
      model,
      ...(system === "" ? {} : { instructions: system }),
      input: messages.map(withoutMedia).flatMap(inputItems),
      ...(all.length === 0 ? {} : { tools: all }),
      ...(effort === "" ? {} : { reasoning: { effort, summary: "auto" } }),
      ...given(temperature, "temperature"),
      ...given(maxTokens, "max_output_tokens"),
      stream: true,
    };
  },
  read({ type, delta, item, output_index: at }: WireEvent, sink) {
    const piece = typeof delta === "string" ? delta : "";
    const key = String(at ?? 0);
    if (type === "response.output_text.delta" || type === "response.refusal.delta") sink.text(piece);
    if (type === "response.reasoning_summary_text.delta" || type === "response.reasoning_text.delta")
      sink.thinking(piece);
    if (type === "response.function_call_arguments.delta") sink.call(key, { args: piece });
    if (type === "response.output_item.done" && item?.type === "image_generation_call" && item.result)
      sink.image(`data:image/${item.output_format ?? "png"};base64,${item.result}`);
    if (type === "response.output_item.added" && item?.type === "function_call")
      sink.call(key, { id: item.call_id ?? "", name: item.name ?? "" });
  },
};
