// Asking several times for one request: several prompts, or several choices from an upstream that gives only one.
import type { ChatAnswer, ChatAsk } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import type { Delta } from "../../canonical/stream-event.ts";
import type { Dialect, DialectOptions } from "../../dialects/dialect.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import { type Adapt, sumUsage } from "../streaming/stop-sequences.ts";

/** One of several asks; `offset` is the number of its first choice among all. */
export interface FanPart {
  readonly ask: ChatAsk;
  readonly offset: number;
}

/** Choices that one request may fan out to; what is asked beyond it is refused. */
const mostEmulatedChoices = 8;
const mostParts = 128;

/** True where an upstream takes several choices in one request, and gives them. */
function givesMany(upstream: Dialect, options: DialectOptions | undefined): boolean {
  return upstream.request.manyChoices === true && options?.oneChoice !== true;
}

/** True where the client's own wire would ask for more choices than its upstream gives. */
export function overasks({ ask }: Inquiry, options: DialectOptions | undefined): boolean {
  return ask.operation === "chat" && ask.choices > 1 && options?.oneChoice === true;
}

/** The single asks behind an inquiry, in the order of their choices; one when nothing fans out. */
export function fanOut(inquiry: Inquiry, upstream: Dialect, options: DialectOptions | undefined): FanPart[] {
  const { ask, dialect, wire, envelope } = inquiry;
  if (ask.operation !== "chat") return [];
  const wires = dialect.request.split?.(wire) ?? [wire];
  const asks = wires.length === 1 ? [ask] : wires.map((one) => dialect.request.parse(one, envelope) as ChatAsk);
  const many = givesMany(upstream, options);
  if (!many && ask.choices > mostEmulatedChoices)
    throw new GatewayError("unsupported_parameter", `This model gives at most ${mostEmulatedChoices} choices.`, {
      param: dialect.request.fieldPath("choices"),
    });
  const parts = asks.flatMap((one, prompt): FanPart[] => {
    const offset = prompt * one.choices;
    if (many || one.choices === 1) return [{ ask: one, offset }];
    return Array.from({ length: one.choices }, (_, choice) => ({
      ask: { ...one, choices: 1 },
      offset: offset + choice,
    }));
  });
  if (parts.length <= mostParts) return parts;
  throw new GatewayError("invalid_value", `One request may ask for at most ${mostParts} replies.`, {
    param: dialect.request.fieldPath("messages"),
  });
}

/** Several replies as one: choices numbered through, usage summed. */
export function mergeAnswers(answers: readonly ChatAnswer[], parts: readonly FanPart[]): ChatAnswer {
  const [first] = answers;
  if (first === undefined) throw new GatewayError("internal_error", "There is no reply to merge.");
  const choices = answers.flatMap((answer, part) =>
    answer.choices.map((choice) => ({ ...choice, index: choice.index + (parts[part]?.offset ?? 0) })),
  );
  const usage = sumUsage(answers.map((answer) => answer.usage));
  const { usage: _, ...rest } = first;
  return usage === undefined ? { ...rest, choices } : { ...rest, choices, usage };
}

/** The deltas of several streams as those of one: one start, choices numbered through, one finish at the very end. */
export function mergeDeltas(parts: readonly FanPart[]): (part: number, before?: Adapt) => Adapt {
  const finishes: Extract<Delta, { type: "finish" }>[] = [];
  const renumbered = (part: number, delta: Delta): Delta[] => {
    if (delta.type === "start") return part === 0 ? [delta] : [];
    if (delta.type === "error") return [delta];
    if (delta.type !== "finish") return [{ ...delta, choice: delta.choice + (parts[part]?.offset ?? 0) }];
    finishes.push(delta);
    if (finishes.length < parts.length) return [];
    const usage = sumUsage(finishes.map((finish) => finish.usage));
    const stops = finishes.flatMap((finish) => finish.stops);
    return [usage === undefined ? { type: "finish", stops } : { type: "finish", stops, usage }];
  };
  return (part, before) => (deltas) =>
    (before === undefined ? deltas : before(deltas)).flatMap((delta) => renumbered(part, delta));
}
