// A strict upstream: refuses what its vendor refuses, in the vendor's words, and plays the dialogue otherwise.
import type { Reply } from "../support/sample-responses.ts";
import type { Line, Seen } from "../support/upstream.ts";
import { type Conversation, type Entry, type Part, takeRequest } from "./conversation.ts";

export type Body = Record<string, unknown>;

/** What a refusal says; the vendor's envelope is put around it. */
export interface Fault {
  readonly message: string;
  readonly status?: number;
  readonly type?: string;
  readonly param?: string;
  readonly code?: string;
}

/** One thing that the vendor refuses. */
export interface Refusal {
  readonly refuses: string;
  /** Where the vendor's words were seen. */
  readonly source: string;
  readonly fault: (body: Body, conversation: Conversation) => Fault | undefined;
  /** Spoils a request that the vendor accepts, so that this row refuses it. */
  readonly spoil: (body: Body) => void;
}

export interface Vendor {
  readonly name: string;
  /** Where it is asked, whole and streamed. */
  readonly paths: RegExp;
  readonly refusals: readonly Refusal[];
  readonly envelope: (fault: Fault) => unknown;
  readonly read: (body: Body) => Entry[];
  readonly thinks: (body: Body) => boolean;
  /** It wants thoughts back that nobody signed. */
  readonly wantsThoughts?: boolean;
  /** True for a signature that the vendor accepts in place of its own. */
  readonly standIn?: (state: string) => boolean;
  /** What the model makes of a turn of the dialogue. */
  readonly make: (body: Body, tag: string, turn: number) => Part[];
  readonly reply: (made: readonly Part[], tag: string, turn: number, body: Body) => unknown;
  readonly stream: (made: readonly Part[], tag: string, turn: number, body: Body) => Reply;
  readonly isStream: (seen: Seen) => boolean;
}

const noStandIn = (): boolean => false;

/** The first refusal of a request, in the vendor's envelope; undefined for one that it accepts. */
export function refusalOf(vendor: Vendor, body: Body, conversation: Conversation): Reply | undefined {
  for (const { fault } of vendor.refusals) {
    const found = fault(body, conversation);
    if (found !== undefined) return { status: found.status ?? 400, json: vendor.envelope(found) };
  }
  return undefined;
}

/** Answers one request in the conversation. */
function replyTo(vendor: Vendor, seen: Seen, conversation: Conversation): Reply {
  const body = seen.json as Body;
  const refusal = refusalOf(vendor, body, conversation);
  if (refusal !== undefined) {
    conversation.refusals.push(`${vendor.name}: ${JSON.stringify(refusal.json)}`);
    return refusal;
  }
  if (/gw1\.|Z3cxL/.test(seen.text)) conversation.faults.push("an envelope of the gateway went to the vendor");
  const turn = takeRequest(conversation, {
    vendor: vendor.name,
    entries: vendor.read(body),
    thinks: vendor.thinks(body),
    standIn: vendor.standIn ?? noStandIn,
    wantsThoughts: vendor.wantsThoughts === true,
  });
  const made = vendor.make(body, conversation.tag, turn);
  conversation.made[turn] = made;
  conversation.makers[turn] = vendor.name;
  return vendor.isStream(seen)
    ? vendor.stream(made, conversation.tag, turn, body)
    : { json: vendor.reply(made, conversation.tag, turn, body) };
}

/** The script of an upstream that speaks for these vendors by their paths. */
export function speaksFor(vendors: readonly Vendor[], conversation: () => Conversation, name = "") {
  return async (line: Line): Promise<void> => {
    const seen = line.request;
    if (conversation().down.has(name)) return await line.play({ status: 503, json: { error: { message: "busy" } } });
    const vendor = vendors.find(({ paths }) => paths.test(seen.path));
    await line.play(
      vendor === undefined ? { status: 404, json: { error: {} } } : replyTo(vendor, seen, conversation()),
    );
  };
}
