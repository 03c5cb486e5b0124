// Compacts a conversation through the pipeline: by a provider that supports it, otherwise as a summary, in pieces if
// necessary.
import { GatewayError } from "../../canonical/error.ts";
import { addUsage } from "../../canonical/usage.ts";
import type { CompactionReply, OpenedItems, SummaryRequest } from "../../dialects/stored-responses.ts";
import type { ServedBy } from "../pipeline/exchange.ts";
import type { IncomingRequest } from "../pipeline/gateway-request.ts";
import { createGatewayRequest, type GatewayRequest } from "../pipeline/gateway-request.ts";
import { nowSeconds, type ResponsesDependencies } from "./persist.ts";

/** The conversation to compact, as an upstream may see it. */
interface ConversationToCompact {
  readonly incoming: IncomingRequest;
  readonly opened: OpenedItems;
}

/** The result, and its provider. */
export type CompactedConversation = CompactionReply & { readonly servedBy: ServedBy | null };

/** Characters of a transcript per request; the next smaller size is tried if a model cannot read so much at once. */
const pieceChars = [400_000, 90_000, 20_000] as const;

/** The provider itself may compact the first piece, and then gets the whole conversation. */
function requestFor(
  dependencies: ResponsesDependencies,
  { incoming, opened }: ConversationToCompact,
  summary: SummaryRequest,
): GatewayRequest {
  const { compactions, requests } = dependencies.codec;
  const { wire: given, envelope, id } = incoming;
  const wire = requests.forUpstream(given, opened.items);
  const request = compactions.request(given, summary, opened);
  const dialect = summary.soFar === undefined ? compactions.dialect : compactions.summaryDialect;
  const pinned = opened.pinnedTo === undefined ? {} : { pinnedTo: opened.pinnedTo };
  const requestParts = { dialect, wire, envelope, strict: false, asJson: true as const, ...pinned };
  return createGatewayRequest(requestParts, { wire, id, createdAt: nowSeconds(dependencies) }, request);
}

async function summarizePiece(
  dependencies: ResponsesDependencies,
  work: ConversationToCompact,
  summary: SummaryRequest,
): Promise<CompactedConversation> {
  const { gateway, codec } = dependencies;
  const request = requestFor(dependencies, work, summary);
  const { json, servedBy } = await gateway.answer(request, work.incoming.context);
  if (json === undefined) throw new GatewayError("internal_error", "The response to a compaction is not an object.");
  const reply = codec.compactions.read(json);
  return { ...reply, model: reply.model === "" ? request.outline.model : reply.model, servedBy };
}

async function inPieces(
  dependencies: ResponsesDependencies,
  work: ConversationToCompact,
  maxChars: number,
): Promise<CompactedConversation> {
  const { compactions } = dependencies.codec;
  const [first = "", ...others] = compactions.transcript(compactions.uncovered(work.opened.items), maxChars);
  let compacted = await summarizePiece(dependencies, work, { transcript: first });
  for (const transcript of others) {
    if (!("summary" in compacted)) return compacted;
    const next = await summarizePiece(dependencies, work, { transcript, soFar: compacted.summary });
    compacted = { ...next, usage: addUsage(compacted.usage, next.usage) };
  }
  return compacted;
}

/** Compacts a conversation. Throws the errors of the pipeline; an empty summary is an `upstream_protocol_error`. */
export async function compactConversation(
  dependencies: ResponsesDependencies,
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
