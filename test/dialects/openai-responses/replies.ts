// Replies that the tests of this dialect have it tell, whole and streamed.
import type { Block, ChatResponse, FinishReason } from "../../../src/canonical/chat.ts";
import { streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { zeroUsage } from "../../../src/canonical/usage.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import type { Can } from "../../support/arbitraries.ts";
import { dialect, hello, writeContext, written } from "./helpers.ts";

/** What this wire can say. */
export const can: Can = {
  thinking: true,
  signature: true,
  choices: false,
  createdAt: true,
  cacheWrite: true,
  reasoningTokens: true,
  stops: ["end", "length", "filter", "tool-use"],
};

export const signature = { origin: "anthropic", data: "sig==" };
export const usage = { ...zeroUsage, inputTokens: 40, cacheReadTokens: 60, outputTokens: 20, reasoningTokens: 10 };

export function answerOf(blocks: Block[], stop: FinishReason["kind"] = "end"): ChatResponse {
  const choices = [{ index: 0, blocks, finishReason: { kind: stop } }];
  return { operation: "chat", id: "up-1", model: "up-model", choices, usage };
}

export const whole = (response: ChatResponse, wire: JsonObject = hello): JsonObject =>
  dialect.response.render(response, writeContext({ wire }));

export const outputOf = (blocks: Block[], stop?: FinishReason["kind"], wire?: JsonObject): JsonObject[] =>
  whole(answerOf(blocks, stop), wire).output as JsonObject[];

export const streamed = (blocks: Block[], stop?: FinishReason["kind"], wire: JsonObject = hello): JsonObject[] =>
  written(streamEventsOf(answerOf(blocks, stop)), { wire });

export const lastResponse = (events: JsonObject[]): JsonObject => (events.at(-1)?.response ?? {}) as JsonObject;

export const types = (events: JsonObject[]) => events.map((event) => event.type);

/** The turn of the worked example. */
export const turn: Block[] = [
  { type: "thinking", text: "Need two lookups.", signature },
  { type: "text", text: "Let me check." },
  { type: "tool-call", id: "t_a", name: "get_time", kind: "function", input: '{"zone":"UTC"}' },
  { type: "tool-call", id: "t_b", name: "get_day", kind: "function", input: "{}" },
];
