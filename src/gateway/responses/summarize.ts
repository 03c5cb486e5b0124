// A conversation made short through the corridor: by the provider where it can, else as a summary, in pieces if need be.
import { GatewayError } from "../../canonical/error.ts";
import { addUsage, type Usage, zeroUsage } from "../../canonical/usage.ts";
import {
  compactionDialect,
  foreignItem,
  parseUsage,
  type SummaryWish,
  summaryAsk,
  summaryDialect,
  transcriptOf,
} from "../../dialects/stored-responses.ts";
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import type { ServedBy } from "../pipeline/exchange.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { type GatewayRequest, measured } from "../pipeline/gateway-request.ts";
import { type IncomingRequest, streamEncoderOf } from "../pipeline/incoming-request.ts";
import type { OpenedItems } from "./encrypted-summary.ts";

/** What is to be made short. */
export interface ConversationToCompact {
  readonly asked: IncomingRequest;
  /** The conversation as an upstream may see it. */
  readonly opened: OpenedItems;
  /** Of these, what a summary has to cover: from the last compaction on. */
  readonly tail: readonly JsonObject[];
}

interface Told {
  readonly usage: Usage;
  readonly model: string;
  readonly by: ServedBy | null;
}

/** Either a provider's own output, with its compaction in it, or a summary in plain text. */
export type CompactedConversation = Told & ({ readonly native: readonly JsonObject[] } | { readonly summary: string });

/** Characters of a transcript for one request; the next one is tried where a model cannot read so much at once. */
const pieceChars = [400_000, 90_000, 20_000] as const;
const decoder = new TextDecoder();

function readBody(body: unknown): JsonObject {
  const text = body instanceof Uint8Array ? decoder.decode(body) : body;
  const read = typeof text === "string" ? parseJsonText(text) : undefined;
  if (isObject(read)) return read;
  throw new GatewayError("internal_error", "The response to a compaction is not an object.");
}

/** Items before the last compaction are in it already; state that only a provider reads goes beside the transcript. */
function askFor({ opened }: ConversationToCompact, wish: SummaryWish): GatewayRequest["request"] {
  const request = summaryAsk(wish);
  const { pinnedTo } = opened;
  if (pinnedTo === undefined) return request;
  const items = opened.items.filter(({ type }) => type === "compaction");
  const blocks = items.map((item) => foreignItem(item, pinnedTo.path));
  return { ...request, messages: [{ role: "user", blocks }, ...request.messages] };
}

/** The first piece may be compacted by the provider itself, which then gets the whole conversation. */
function inquiryFor(work: ConversationToCompact, wish: SummaryWish, isFirst: boolean, nowMs: number): GatewayRequest {
  const { asked, opened } = work;
  const request = askFor(work, wish);
  const wire = { ...asked.wire, input: [...opened.items] };
  const createdAt = Math.floor(nowMs / 1000);
  return {
    dialect: isFirst ? compactionDialect : summaryDialect,
    wire,
    envelope: asked.envelope,
    request,
    strict: false,
    ...measured({ request, wire, id: asked.id, createdAt }),
    ...(opened.pinnedTo === undefined ? {} : { pinnedTo: opened.pinnedTo }),
  };
}

async function askOnce(
  dependencies: Gateway,
  work: ConversationToCompact,
  wish: SummaryWish,
  isFirst: boolean,
): Promise<CompactedConversation> {
  const gatewayRequest = inquiryFor(work, wish, isFirst, dependencies.clock.nowMs());
  const wire = streamEncoderOf(gatewayRequest.dialect, work.asked.id);
  const { body, by } = await dependencies.answer(gatewayRequest, { ...work.asked.visit, encoder: wire });
  const read = readBody(body);
  const output = Array.isArray(read.output) ? read.output.filter(isObject) : [];
  const model = typeof read.model === "string" && read.model !== "" ? read.model : wish.model;
  const told = { usage: parseUsage(read.usage) ?? zeroUsage, model, by };
  const summary = output.find(({ type }) => type === "compaction")?.summary;
  return typeof summary === "string" ? { ...told, summary } : { ...told, native: output };
}

async function inPieces(
  dependencies: Gateway,
  work: ConversationToCompact,
  maxChars: number,
): Promise<CompactedConversation> {
  const { model, instructions } = work.asked.wire;
  const wish = { model: String(model), ...(typeof instructions === "string" ? { instructions } : {}) };
  const [first = "", ...others] = transcriptOf(work.tail, maxChars);
  let shortened = await askOnce(dependencies, work, { ...wish, transcript: first }, true);
  for (const transcript of others) {
    if (!("summary" in shortened)) return shortened;
    const next = await askOnce(dependencies, work, { ...wish, transcript, soFar: shortened.summary }, false);
    shortened = { ...next, usage: addUsage(shortened.usage, next.usage) };
  }
  return shortened;
}

/** Makes it short. Throws what the corridor throws; an empty summary is an `upstream_protocol_error`. */
export async function compactConversation(
  dependencies: Gateway,
  work: ConversationToCompact,
): Promise<CompactedConversation> {
  const [most, ...smaller] = pieceChars;
  let chars: number = most;
  for (const next of [...smaller, null]) {
    try {
      return await inPieces(dependencies, work, chars);
    } catch (thrown) {
      const isTooLong = thrown instanceof GatewayError && thrown.kind === "context_length_exceeded";
      if (!isTooLong || next === null) throw thrown;
      chars = next;
    }
  }
  throw new GatewayError("internal_error", "The conversation cannot be split further.");
}
