// What the three scripted upstreams of the billing matrix say: the same reply in each dialect, whole or in frames, with any usage.
import type { UpstreamName } from "../support/fixture-gateway.ts";

export type Count = unknown;

/** A stream by its stages, so that a fault can come after each. `usage` is undefined where nothing is reported. */
export interface Stages {
  readonly opening: string[];
  readonly pieces: string[];
  readonly finish: string[];
  readonly end: string[];
}

export interface UpstreamWire {
  readonly upstream: UpstreamName;
  readonly provider: string;
  readonly model: string;
  /** The column of test/fixtures/tokens that is the truth for it, and how far an estimate may be off. */
  readonly truth: "o200k" | "claude2" | "gemma3";
  readonly tolerance: number;
  whole(text: string, usage: readonly [Count, Count] | undefined): unknown;
  stages(pieces: readonly string[], usage: readonly [Count, Count] | undefined): Stages;
  readonly errorFrame: string;
}

const data = (body: unknown): string => `data: ${JSON.stringify(body)}\n\n`;
const event = (body: { type: string }): string => `event: ${body.type}\n${data(body)}`;

const chatUsage = (usage: readonly [Count, Count] | undefined) =>
  usage === undefined ? {} : { usage: { prompt_tokens: usage[0], completion_tokens: usage[1] } };
const chatChunk = (delta: unknown, reason: string | null = null) =>
  data({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });

const chat: UpstreamWire = {
  upstream: "alpha",
  provider: "alpha",
  model: "gpt-x",
  truth: "o200k",
  tolerance: 0.05,
  whole: (text, usage) => ({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    ...chatUsage(usage),
  }),
  stages: (pieces, usage) => ({
    opening: [chatChunk({ role: "assistant", content: "" })],
    pieces: pieces.map((content) => chatChunk({ content })),
    finish: [
      chatChunk({}, "stop"),
      ...(usage === undefined
        ? []
        : [data({ id: "c", object: "chat.completion.chunk", choices: [], ...chatUsage(usage) })]),
    ],
    end: ["data: [DONE]\n\n"],
  }),
  errorFrame: data({ error: { message: "boom", type: "server_error", code: null } }),
};

const messageUsage = (usage: readonly [Count, Count] | undefined) =>
  usage === undefined ? {} : { usage: { input_tokens: usage[0], output_tokens: usage[1] } };

const messages: UpstreamWire = {
  upstream: "claude",
  provider: "claude",
  model: "claude-x",
  truth: "claude2",
  tolerance: 0.15,
  whole: (text, usage) => ({
    id: "msg",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    ...messageUsage(usage),
  }),
  stages: (pieces, usage) => ({
    opening: [
      event({
        type: "message_start",
        message: { id: "msg", type: "message", role: "assistant", model: "m", content: [], stop_reason: null },
      } as never),
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as never),
    ],
    pieces: pieces.map((text) =>
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as never),
    ),
    finish: [
      event({ type: "content_block_stop", index: 0 } as never),
      event({ type: "message_delta", delta: { stop_reason: "end_turn" }, ...messageUsage(usage) } as never),
    ],
    end: [event({ type: "message_stop" })],
  }),
  errorFrame: event({ type: "error", error: { type: "api_error", message: "boom" } } as never),
};

const geminiUsage = (usage: readonly [Count, Count] | undefined) =>
  usage === undefined ? {} : { usageMetadata: { promptTokenCount: usage[0], candidatesTokenCount: usage[1] } };
const candidate = (text: string, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
});

const gemini: UpstreamWire = {
  upstream: "google",
  provider: "google",
  model: "gemini-x",
  truth: "gemma3",
  tolerance: 0.15,
  whole: (text, usage) => ({ ...candidate(text, { finishReason: "STOP" }), ...geminiUsage(usage) }),
  stages: (pieces, usage) => ({
    opening: [],
    pieces: pieces.map((text) => data(candidate(text))),
    finish: [data({ ...candidate("", { finishReason: "STOP" }), ...geminiUsage(usage) })],
    end: [],
  }),
  errorFrame: data({ error: { code: 500, message: "boom", status: "INTERNAL" } }),
};

export const upstreamWires: readonly UpstreamWire[] = [chat, messages, gemini];
