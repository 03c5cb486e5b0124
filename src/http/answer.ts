// Answers a request to a model; for clients that ask for it, with what it costs in the usage of the reply.
import { addUsageCost, withoutCostRequest } from "../dialects/usage-cost.ts";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { gatewayRequestOf, type IncomingRequest } from "../gateway/pipeline/gateway-request.ts";
import type { GatewayReply } from "../gateway/pipeline/request-context.ts";
import { formatDecimal } from "../lib/decimal.ts";
import { inNextPhase } from "../lib/event-loop-turn.ts";
import { exactNumber, parseExactText } from "../lib/exact-json.ts";
import type { Json } from "../lib/json.ts";
import { formatFrame, frameSplitter, readFrame } from "../lib/sse.ts";

const nanoDigits = 9;
const encoder = new TextEncoder();

/** A number with all of its digits; null where the model has no price. */
const costOf = (price: bigint | null): Json => (price === null ? null : exactNumber(formatDecimal(price, nanoDigits)));

/** Runs the pipeline, with heartbeats and errors in the format of the request's dialect. */
function runIncoming(gateway: Gateway, incoming: IncomingRequest): Promise<GatewayReply> {
  const request = gatewayRequestOf(incoming, gateway.clock.nowMs());
  return inNextPhase(incoming.bytes, () => gateway.answer(request, incoming.context));
}

/** The reply to a request; one that does not ask for its cost is not touched. */
export async function answerIncoming(
  gateway: Gateway,
  incoming: IncomingRequest,
  answer = (given: IncomingRequest): Promise<GatewayReply> => runIncoming(gateway, given),
): Promise<GatewayReply> {
  const wire = withoutCostRequest(incoming.dialect, incoming.wire);
  if (wire === null) return answer(incoming);
  const reply = await answer({ ...incoming, wire, source: undefined });
  const { body, exchange, price = null } = reply;
  if (exchange === undefined) return reply;
  const settled = (): bigint | null => exchange.settlement?.priceNanoDollars ?? null;
  if (body instanceof ReadableStream)
    return { ...reply, body: costStream(body, settled, gateway.limits.maxEventBytes) };
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const shown = addUsageCost(parseExactText(text), costOf(price));
  return shown === null ? reply : { ...reply, body: JSON.stringify(shown) };
}

/**
 * The last event with usage is held back, with what follows it, until the stream has ended: it is settled before its
 * last bytes.
 */
function costStream(
  body: ReadableStream<Uint8Array>,
  price: () => bigint | null,
  maxEventBytes: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const splitter = frameSplitter(maxEventBytes);
  let held: string[] = [];
  const release = (): string => {
    const text = held.map((raw) => `${raw}\n\n`).join("");
    held = [];
    return text;
  };
  const take = (raws: readonly string[]): string => {
    let text = "";
    for (const raw of raws) {
      const isUsage = addUsageCost(parsed(raw), null) !== null;
      if (isUsage) text += release();
      if (isUsage || held.length > 0) held.push(raw);
      else text += `${raw}\n\n`;
    }
    return text;
  };
  const last = (): string => {
    const [usage, ...others] = held;
    held = others;
    return usage === undefined ? "" : withCost(usage, costOf(price())) + release();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let text = ""; text === ""; ) {
          const { done, value } = await reader.read();
          if (done) {
            text = take(splitter.rest()?.raws ?? []) + last();
            if (text !== "") controller.enqueue(encoder.encode(text));
            return controller.close();
          }
          text = take(splitter.push(value)?.raws ?? []);
          if (text !== "") controller.enqueue(encoder.encode(text));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Most events have no usage, and are not parsed. */
const parsed = (raw: string): Json | undefined =>
  raw.includes('"usage"') ? parseExactText(readFrame(raw)?.data ?? "") : undefined;

function withCost(raw: string, cost: Json): string {
  const [frame, shown] = [readFrame(raw), addUsageCost(parsed(raw), cost)];
  return frame === null || shown === null ? `${raw}\n\n` : formatFrame({ ...frame, data: JSON.stringify(shown) });
}
