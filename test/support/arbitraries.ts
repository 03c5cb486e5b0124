// Random asks, answers and delta streams for the laws; a dialect's suite switches off what its wire cannot say.
import fc from "fast-check";
import type {
  Block,
  ChatRequest,
  ChatResponse,
  FinishReason,
  Message,
  TextBlock,
  Tool,
} from "../../src/canonical/chat.ts";
import { type StreamEvent, streamEventsOf } from "../../src/canonical/stream-event.ts";
import type { Usage } from "../../src/canonical/usage.ts";
import { lawModel, lawOrigin } from "./laws.ts";

/** What the wire of a dialect can say. */
export interface Can {
  thinking: boolean;
  /** Thinking carries a signature. */
  signature: boolean;
  /** More than one choice. */
  choices: boolean;
  createdAt: boolean;
  cacheWrite: boolean;
  reasoningTokens: boolean;
  stops: FinishReason["kind"][];
}

/** Text that is never blank, with characters of one to four bytes. */
export const words: fc.Arbitrary<string> = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .map((text) => `w${text}`);

const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/);
const callInput = fc
  .dictionary(words, fc.oneof(words, fc.integer(), fc.boolean()), { maxKeys: 3 })
  .map((o) => JSON.stringify(o));

/** The blocks of one reply in the order that every dialect can keep: thinking, then text, then calls. */
function replyBlocks(can: Can): fc.Arbitrary<Block[]> {
  const signature = fc.base64String({ minLength: 4 }).map((data) => ({ origin: lawOrigin, data }));
  const thinking = fc
    .tuple(can.signature ? fc.oneof({ weight: 4, arbitrary: words }, fc.constant("")) : words, signature)
    .map(
      ([messageOf, by]): Block => ({ type: "thinking", text: messageOf, ...(can.signature ? { signature: by } : {}) }),
    );
  const text = fc.record({ type: fc.constant("text" as const), text: words });
  const calls = fc.uniqueArray(toolCall, { maxLength: 3, selector: (call) => call.id });
  return fc
    .tuple(fc.array(thinking, { maxLength: can.thinking ? 1 : 0 }), fc.array(text, { maxLength: 1 }), calls)
    .map((parts) => parts.flat());
}

const toolCall = fc.record({
  type: fc.constant("tool-call" as const),
  id: name.map((id) => `call_${id}`),
  name,
  kind: fc.constant("function" as const),
  input: callInput,
});

/** Replies whose stop fits their blocks: `tool-use` if and only if there is a call. */
export function answers(can: Can): fc.Arbitrary<ChatResponse> {
  const choice = fc.tuple(replyBlocks(can), fc.constantFrom(...can.stops));
  return fc
    .record({
      operation: fc.constant("chat" as const),
      id: name,
      model: fc.constant(lawModel),
      ...(can.createdAt ? { createdAt: fc.integer({ min: 1, max: 2_000_000_000 }) } : {}),
      choices: fc.array(choice, { minLength: 1, maxLength: can.choices ? 3 : 1 }),
      usage: usages(can),
    })
    .map((answer) => ({
      ...answer,
      choices: answer.choices.map(([blocks, stop], index) => ({
        index,
        blocks,
        finishReason: { kind: stopFor(blocks, stop) },
      })),
    }));
}

function stopFor(blocks: Block[], wanted: FinishReason["kind"]): FinishReason["kind"] {
  if (blocks.some((block) => block.type === "tool-call")) return "tool-use";
  return wanted === "tool-use" ? "end" : wanted;
}

/** Well-formed streams: replies replayed, with the body of each block cut into pieces. */
export function streams(can: Can): fc.Arbitrary<StreamEvent[]> {
  const cut = fc.tuple(answers(can), fc.integer({ min: 1, max: 5 }));
  return cut.map(([answer, size]) => [...streamEventsOf(answer)].flatMap((event) => inPieces(event, size)));
}

function inPieces(event: StreamEvent, size: number): StreamEvent[] {
  if (!("text" in event)) return [event];
  return pieces(event.text, size).map((text): StreamEvent => ({ ...event, text }));
}

function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const starts = Array.from({ length: Math.ceil(characters.length / size) }, (_, index) => index * size);
  return starts.map((start) => characters.slice(start, start + size).join(""));
}

function usages(can: Can): fc.Arbitrary<Usage> {
  const count = fc.integer({ min: 0, max: 1_000_000 });
  return fc.record({
    // No request has an empty input.
    inputTokens: fc.integer({ min: 1, max: 1_000_000 }),
    cacheReadTokens: count,
    cacheWriteTokens: can.cacheWrite ? count : fc.constant(0),
    outputTokens: count,
    reasoningTokens: can.reasoningTokens ? count : fc.constant(0),
  });
}

const textBlock: fc.Arbitrary<TextBlock> = fc.record({ type: fc.constant("text" as const), text: words });
const tool: fc.Arbitrary<Tool> = fc.record({
  kind: fc.constant("function" as const),
  name,
  description: words,
  parameters: fc.constant({ type: "object", properties: { zone: { type: "string" } } }),
});

/** A round of calls and their results: an assistant turn and the tool turn that answers it. */
const callRound: fc.Arbitrary<Message[]> = fc
  .uniqueArray(toolCall, { minLength: 1, maxLength: 3, selector: (call) => call.id })
  .map((calls) => [
    { role: "assistant", blocks: calls },
    { role: "tool", blocks: calls.map((call) => result(call.id)) },
  ]);

function result(callId: string): Block {
  return { type: "tool-result", callId, content: [{ type: "text", text: `result of ${callId}` }], isError: false };
}

/** Conversations that every chat dialect can say: system, user, assistant, calls with results. */
export const asks: fc.Arbitrary<ChatRequest> = fc.record({
  operation: fc.constant("chat" as const),
  model: fc.constant(lawModel),
  stream: fc.constant(false),
  system: fc.array(textBlock, { maxLength: 1 }),
  messages: fc.tuple(words, fc.array(callRound, { maxLength: 2 }), words).map(conversation),
  tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 3, selector: (each) => ("name" in each ? each.name : "") }),
  maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
  sampling: fc.record({ temperature: fc.constantFrom(0, 0.5, 1), topP: fc.constantFrom(0.25, 1) }),
  stopSequences: fc.array(words, { maxLength: 2 }),
  choices: fc.constant(1),
  unmappedFields: fc.constant([]),
});

function conversation([first, rounds, last]: [string, Message[][], string]): Message[] {
  const messageOf = (role: Message["role"], text: string): Message => ({ role, blocks: [{ type: "text", text }] });
  return [messageOf("user", first), ...rounds.flat(), messageOf("assistant", "Done."), messageOf("user", last)];
}
