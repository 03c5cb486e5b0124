// Splits one chat request into several: for several prompts, or for several choices from an upstream that returns only
// one.
import type { ChatRequest, ChatResponse } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import type { OperationResponse } from "../../canonical/operation.ts";
import type { Adapt } from "../../canonical/stop-sequences.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { sumUsage } from "../../canonical/usage.ts";
import type { CompatibilityFlags, UpstreamDialect } from "../../dialects/dialect.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { GatewayLimits } from "../policy/limits.ts";

/** One of several requests; `offset` is the number of its first choice in the whole reply. */
export interface FanPart {
  readonly ask: ChatRequest;
  readonly offset: number;
}

/** The maximum calls of one request. */
export type FanOutLimits = Pick<GatewayLimits, "maxCallsPerRequest" | "maxEmulatedChoices">;

/** Whether an upstream supports several choices in one request. */
function givesMany(upstream: UpstreamDialect | null, options: CompatibilityFlags | undefined): boolean {
  return upstream === null || (upstream.request.supportsChoices === true && options?.oneChoice !== true);
}

/** Whether the client's own wire requests more choices than its upstream supports. */
export function overasks({ outline }: GatewayRequest, options: CompatibilityFlags | undefined): boolean {
  return outline.choices > 1 && options?.oneChoice === true;
}

/**
 * The single requests of a request, in the order of their choices; one if it is not split. `upstream` is null for
 * in-process providers.
 */
export function fanOut(
  gatewayRequest: GatewayRequest,
  upstream: UpstreamDialect | null,
  options: CompatibilityFlags | undefined,
  { maxCallsPerRequest, maxEmulatedChoices }: FanOutLimits,
): FanPart[] {
  const { request, dialect, wire, envelope } = gatewayRequest;
  if (request.operation !== "chat") return [];
  const wires = dialect.request.split?.(wire) ?? [wire];
  const requests =
    wires.length === 1 ? [request] : wires.map((one) => dialect.request.parse(one, envelope) as ChatRequest);
  const many = givesMany(upstream, options);
  if (!many && request.choices > maxEmulatedChoices)
    throw new GatewayError("unsupported_parameter", `This model supports at most ${maxEmulatedChoices} choices.`, {
      param: dialect.request.fieldPath("choices"),
    });
  const parts = requests.flatMap((one, prompt): FanPart[] => {
    const offset = prompt * one.choices;
    if (many || one.choices === 1) return [{ ask: one, offset }];
    return Array.from({ length: one.choices }, (_, choice) => ({
      ask: { ...one, choices: 1 },
      offset: offset + choice,
    }));
  });
  if (parts.length <= maxCallsPerRequest) return parts;
  throw new GatewayError("invalid_value", `A request may ask for at most ${maxCallsPerRequest} responses.`, {
    param: dialect.request.fieldPath("messages"),
  });
}

/** Several replies as one: choices numbered consecutively, usage added up. */
export function mergeAnswers(responses: readonly ChatResponse[], parts: readonly FanPart[]): ChatResponse {
  const [first] = responses;
  if (first === undefined) throw new GatewayError("internal_error", "There is no response to merge.");
  const choices = responses.flatMap((response, part) =>
    response.choices.map((choice) => ({ ...choice, index: choice.index + (parts[part]?.offset ?? 0) })),
  );
  const usage = sumUsage(responses.map((response) => response.usage));
  const { usage: _, ...rest } = first;
  return usage === undefined ? { ...rest, choices } : { ...rest, choices, usage };
}

/** The events of several streams as those of one: one start, choices numbered consecutively, one finish at the end. */
export function mergeDeltas(parts: readonly FanPart[]): (part: number, before?: Adapt) => Adapt {
  const finishes: Extract<StreamEvent, { type: "finish" }>[] = [];
  const renumbered = (part: number, event: StreamEvent): StreamEvent[] => {
    if (event.type === "start") return part === 0 ? [event] : [];
    if (event.type === "error") return [event];
    if (event.type !== "finish") return [{ ...event, choice: event.choice + (parts[part]?.offset ?? 0) }];
    finishes.push(event);
    if (finishes.length < parts.length) return [];
    const usage = sumUsage(finishes.map((finish) => finish.usage));
    const stops = finishes.flatMap((finish) => finish.finishReasons);
    return [
      usage === undefined ? { type: "finish", finishReasons: stops } : { type: "finish", finishReasons: stops, usage },
    ];
  };
  return (part, before) => (events) =>
    (before === undefined ? events : before(events)).flatMap((event) => renumbered(part, event));
}

/** Splits the stop sequences into those that the upstream supports and the others. */
export function divideStops(
  request: ChatRequest,
  upstream: UpstreamDialect,
): { ask: ChatRequest; watched: readonly string[] } {
  const { stops } = upstream.request;
  if (stops === undefined || request.stopSequences.length === 0) return { ask: request, watched: [] };
  const taken = request.stopSequences.filter((sequence) => stops.takes(sequence)).slice(0, stops.most);
  const watched = request.stopSequences.filter((sequence) => !taken.includes(sequence));
  return { ask: watched.length === 0 ? request : { ...request, stopSequences: taken }, watched };
}

/** The text of a response: its texts, reasoning and tool calls. */
export function textOfAnswer(response: OperationResponse): string {
  if (response.operation !== "chat") return "";
  const blocks = response.choices.flatMap((choice) => choice.blocks);
  return blocks
    .map((block) => (block.type === "tool-call" ? `${block.name}${block.input}` : "text" in block ? block.text : ""))
    .join("\n");
}
