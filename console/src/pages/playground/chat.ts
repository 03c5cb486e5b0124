// A chat over the gateway's own client endpoints: the request in each client format, and the text of its stream.
import { ApiError, base } from "../../data/api.ts";

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export interface Chat {
  readonly format: FormatName;
  readonly model: string;
  readonly key: string;
  readonly system: string;
  readonly messages: readonly Message[];
}

interface Format {
  readonly title: string;
  readonly path: (chat: Chat) => string;
  readonly body: (chat: Chat) => Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The text in one event of the stream. */
  readonly textOf: (event: Event) => string | undefined;
}

interface Event {
  readonly type?: string;
  readonly delta?: string | { readonly text?: string };
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: string; readonly thought?: boolean }[] };
  }[];
  readonly error?: { readonly message?: string };
}

const maxTokens = 2_048;

const all = ({ system, messages }: Chat) =>
  system === "" ? messages : [{ role: "system", content: system }, ...messages];

export const formats = {
  chat: {
    title: "OpenAI Chat Completions",
    path: () => "/v1/chat/completions",
    body: (chat) => ({ model: chat.model, messages: all(chat), stream: true }),
    textOf: ({ choices }) => choices?.[0]?.delta?.content ?? undefined,
  },
  responses: {
    title: "OpenAI Responses",
    path: () => "/v1/responses",
    body: ({ model, system, messages }) => ({
      model,
      input: messages,
      stream: true,
      ...(system === "" ? {} : { instructions: system }),
    }),
    textOf: ({ type, delta }) =>
      type === "response.output_text.delta" && typeof delta === "string" ? delta : undefined,
  },
  messages: {
    title: "Anthropic Messages",
    path: () => "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: ({ model, system, messages }) => ({
      model,
      max_tokens: maxTokens,
      messages,
      stream: true,
      ...(system === "" ? {} : { system }),
    }),
    textOf: ({ type, delta }) => (type === "content_block_delta" && typeof delta === "object" ? delta.text : undefined),
  },
  gemini: {
    title: "Google Gemini",
    path: ({ model }) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: ({ system, messages }) => ({
      contents: messages.map(({ role, content }) => ({
        role: role === "user" ? "user" : "model",
        parts: [{ text: content }],
      })),
      ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    }),
    textOf: ({ candidates }) =>
      candidates?.[0]?.content?.parts
        ?.filter(({ thought }) => thought !== true)
        .map(({ text }) => text ?? "")
        .join(""),
  },
} as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof formats;
export const formatOf = (name: FormatName): Format => formats[name];

export function curlOf(chat: Chat): string {
  const { path, body, headers = {} } = formatOf(chat.format);
  const more = Object.entries(headers).map(([name, value]) => ` -H "${name}: ${value}"`);
  const text = JSON.stringify(body(chat), null, 2).replaceAll("'", "'\\''");
  return `curl ${base}${path(chat)} \\\n  -H "Authorization: Bearer $TURNPIKE_KEY" -H "Content-Type: application/json"${more.join("")} \\\n  -d '${text}'`;
}

interface Reading {
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
}

function readEvent(block: string, { textOf }: Format, onText: (text: string) => void): void {
  const data = block
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trimStart())
    .join("\n");
  if (data === "" || data === "[DONE]") return;
  const event = JSON.parse(data) as Event;
  if (event.error !== undefined) throw new Error(event.error.message ?? "The stream ended with an error.");
  const text = textOf(event);
  if (text !== undefined && text !== "") onText(text);
}

/** Sends the chat, and reports the text as it arrives. Returns the request id. */
export async function send(chat: Chat, { onText, signal }: Reading): Promise<string | null> {
  const format = formatOf(chat.format);
  const response = await fetch(base + format.path(chat), {
    method: "POST",
    headers: { authorization: `Bearer ${chat.key}`, "content-type": "application/json", ...format.headers },
    body: JSON.stringify(format.body(chat)),
    signal,
  });
  const requestId = response.headers.get("x-request-id");
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
    for (const block of blocks) readEvent(block, format, onText);
    if (done) return requestId;
  }
}
