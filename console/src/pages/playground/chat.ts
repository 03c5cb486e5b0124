// Sends a conversation over the gateway's own client endpoints and reads its stream.
import { ApiError, base } from "../../data/gateway.ts";
import type { Format, WireEvent } from "./format.ts";
import type { Chat, Sink } from "./message.ts";
import { chatCompletions, responses } from "./openai-formats.ts";
import { anthropicMessages, gemini } from "./other-formats.ts";

export const formats = { chat: chatCompletions, responses, messages: anthropicMessages, gemini } as const;
export type FormatName = keyof typeof formats;
export const formatOf = (name: FormatName): Format => formats[name];

function readEvent(block: string, format: Format, sink: Sink, { status, requestId }: Answered): void {
  const data = block
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trimStart())
    .join("\n");
  if (data === "" || data === "[DONE]") return;
  const event = JSON.parse(data) as WireEvent;
  const error = event.error ?? event.response?.error;
  if (error) {
    const { message = "The stream ended with an error.", code = "unknown" } = error;
    throw new ApiError(message, { status, code: String(code), requestId });
  }
  format.read(event, sink);
}

/** What an error in the stream has from its head. */
interface Answered {
  readonly status: number;
  readonly requestId: string | null;
}

interface Sending {
  readonly format: FormatName;
  readonly key: string;
  readonly sink: Sink;
  readonly signal: AbortSignal;
  /** The ID of the request, which is known before its content. */
  readonly begun: (requestId: string | null) => void;
}

/** Sends the chat, and gives its content to the sink as it arrives. */
export async function send(chat: Chat, { format: name, key, sink, signal, begun }: Sending): Promise<void> {
  const format = formatOf(name);
  const response = await fetch(base + format.path(chat), {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...format.headers },
    body: JSON.stringify(format.body(chat)),
    signal,
  });
  const requestId = response.headers.get("x-request-id");
  begun(requestId);
  if (!response.ok || response.body === null) {
    const body = (await response.json().catch(() => ({}))) as { error?: { message?: string; code?: string | number } };
    const { message = `The gateway answered with status ${response.status}.`, code = "unknown" } = body.error ?? {};
    throw new ApiError(message, { status: response.status, code: String(code), requestId });
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) readEvent(block, format, sink, { status: response.status, requestId });
    if (done) return;
  }
}
