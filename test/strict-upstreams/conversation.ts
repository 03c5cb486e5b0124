// What a strict upstream made in one conversation, and whether a request brings back that and nothing else.
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { followUp, question, turns } from "./dialogue.ts";

export type Part =
  | { readonly kind: "thinking"; readonly text: string; readonly state?: string }
  | { readonly kind: "text"; readonly text: string; readonly state?: string }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly state?: string;
    }
  | { readonly kind: "result"; readonly id: string; readonly name?: string; readonly text: string };

/** A message of a request, in no vendor's words. */
export interface Entry {
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
}

/** What one request asked for, as the upstream understood it. */
export interface RequestedTurn {
  readonly turn: number;
  /** True when thinking was on. */
  readonly thinks: boolean;
  /** States that the model made before, and how many of them came back. */
  readonly made: number;
  readonly returned: number;
  /** Signatures that stand in for one that was lost. */
  readonly standIns: number;
}

/** What of the history a client is known to change by itself. */
export interface Keeping {
  /** False where the client makes its own ids. */
  readonly keepsIds: boolean;
  /** False where the client loses pieces of thoughts that are not signed. */
  readonly keepsThoughts: boolean;
  /** What it says beside the results of calls. */
  readonly remark: string;
}

export interface Conversation extends Keeping {
  /** Marks everything that the upstream makes in it. */
  readonly tag: string;
  readonly made: Part[][];
  /** Who made each turn. */
  readonly makers: string[];
  /** Upstreams that answer nothing more. */
  readonly down: Set<string>;
  readonly requested: RequestedTurn[];
  /** Requests that the vendor would have refused, in its words. */
  readonly refusals: string[];
  /** What came back otherwise than it was made. */
  readonly faults: string[];
}

export function newConversation(tag: string, keeping?: Keeping): Conversation {
  return {
    tag,
    keepsIds: true,
    keepsThoughts: true,
    remark: "",
    ...keeping,
    made: [],
    makers: [],
    down: new Set(),
    requested: [],
    refusals: [],
    faults: [],
  };
}

/** Text of letters and digits that is the same for the same words. */
export function token(length: number, ...words: (string | number)[]): string {
  const digest = createHash("sha512").update(words.join("\n")).digest("hex");
  return digest.slice(0, length);
}

/** A signature as vendors write it: standard base64 with its padding and both its special characters. */
export function signature(tag: string, ...words: (string | number)[]): string {
  const digest = createHash("sha512")
    .update([tag, ...words].join("\n"))
    .digest();
  return Buffer.concat([Buffer.of(0xfb, 0xef, 0xff), digest, Buffer.of(1)]).toString("base64");
}

const isState = (part: Part): part is Exclude<Part, { kind: "result" }> & { state: string } =>
  part.kind !== "result" && part.state !== undefined;

/** All states in order. */
const statesIn = (parts: readonly Part[]): string[] => parts.filter(isState).map(({ state }) => state);

/** True when the upstream made this state anywhere in the conversation. */
export function madeState({ made }: Conversation, state: string): boolean {
  return made.some((parts) => statesIn(parts).includes(state));
}

/** State that a vendor wants back: that of a text is optional everywhere. */
const isOwed = (part: Part): boolean => isState(part) && part.kind !== "text";
/** Unsigned thoughts are only wanted back beside the calls that they led to. */
const thoughtsWithCalls = (parts: readonly Part[]): Part[] =>
  callsIn(parts).length === 0 ? [] : parts.filter((part) => part.kind === "thinking" && part.text !== "");
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

type IsStandIn = (state: string) => boolean;

export const callsIn = (parts: readonly Part[]) => parts.filter((part) => part.kind === "call");
const resultsIn = (parts: readonly Part[]) => parts.filter((part) => part.kind === "result");
const textIn = (parts: readonly Part[]) => parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

/** Neighboring entries of one role as one. */
function mergedEntries(entries: readonly Entry[]): Entry[] {
  const merged: Entry[] = [];
  for (const entry of entries) {
    const last = merged.at(-1);
    if (last?.role !== entry.role) merged.push(entry);
    else merged[merged.length - 1] = { role: last.role, parts: [...last.parts, ...entry.parts] };
  }
  return merged;
}

/** The place in what was made where this part belongs; -1 when it was not made. */
function placeOf(part: Part, made: readonly Part[], standIn: IsStandIn): number {
  return made.findIndex((one) => {
    if (one.kind !== part.kind || one.kind === "result" || part.kind === "result") return false;
    const sameState = part.state === undefined || part.state === one.state || standIn(part.state);
    if (one.kind === "call" && part.kind === "call")
      return sameState && one.name === part.name && isDeepStrictEqual(one.input, part.input);
    if (one.kind === "text") return sameState;
    return sameState && one.kind === "thinking" && part.kind === "thinking" && one.text === part.text;
  });
}

/** Increments of one thought, which clients replay as they came, as one. */
function joinedThoughts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isMore = last?.kind === "thinking" && last.state === undefined && part.kind === "thinking";
    if (isMore) joined[joined.length - 1] = { ...part, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

/** The parts of a message without what the client is known to change by itself. */
const comparable = (parts: readonly Part[], { keepsThoughts }: Keeping): Part[] =>
  joinedThoughts(parts).filter((part) => keepsThoughts || part.kind !== "thinking" || part.state !== undefined);

/** How one assistant message differs from what the model made. */
function alteredIn(parts: readonly Part[], turn: number, made: readonly Part[], standIn: IsStandIn): string[] {
  const faults: string[] = [];
  const places = parts.map((part) => placeOf(part, made, standIn));
  for (const [index, place] of places.entries()) {
    if (place < 0) faults.push(`turn ${turn} was not made so: ${JSON.stringify(parts[index])}`);
    else if (places.slice(0, index).some((before) => before > place))
      faults.push(`turn ${turn} came back out of order`);
  }
  if (textIn(parts) !== textIn(made)) faults.push(`turn ${turn} said ${JSON.stringify(textIn(parts))}`);
  const [came, gone] = [callsIn(parts).length, callsIn(made).length];
  if (came !== gone) faults.push(`turn ${turn} came back with ${came} calls in place of ${gone}`);
  return faults;
}

function wrongIds(entry: Entry, turn: number, made: readonly Part[], keepsIds: boolean): string[] {
  const ids = callsIn(entry.parts).map(({ id }) => id);
  const own = callsIn(made).map(({ id }) => id);
  if (new Set(ids).size !== ids.length) return [`turn ${turn} has the same id twice`];
  return !keepsIds || isDeepStrictEqual(ids, own) ? [] : [`turn ${turn} has the ids ${ids} in place of ${own}`];
}

/** How the message behind an assistant message differs from the results of its calls. */
function wrongResults(answer: Entry | undefined, replies: Entry, turn: number): string[] {
  const results = resultsIn(answer?.parts ?? []).map(({ id, text }) => ({ id, text }));
  const expected = callsIn(replies.parts).map(({ id }, index) => ({ id, text: turns[turn]?.calls[index]?.result }));
  return isDeepStrictEqual(results, expected)
    ? []
    : [`the results of turn ${turn} are ${JSON.stringify(results)} in place of ${JSON.stringify(expected)}`];
}

function wrongWords(entries: readonly Entry[], remark: string): string[] {
  const words = entries.filter(({ role }) => role === "user").map(({ parts }) => textIn(parts));
  const expected = words.map((_, index) => (index === 0 ? question : index === 3 ? followUp : remark));
  return isDeepStrictEqual(words, expected) ? [] : [`the user said ${JSON.stringify(words)}`];
}

/** A request in no vendor's words. */
export interface NeutralRequest {
  readonly vendor: string;
  readonly entries: readonly Entry[];
  readonly thinks: boolean;
  readonly standIn: IsStandIn;
  readonly wantsThoughts: boolean;
}

function takeDown(conversation: Conversation, replies: readonly Entry[], request: NeutralRequest): void {
  const { thinks, standIn, wantsThoughts } = request;
  const owed = (parts: readonly Part[]) => (wantsThoughts ? thoughtsWithCalls(parts) : parts.filter(isOwed)).length;
  const returned = replies.map(({ parts }) => joinedThoughts(parts));
  const standIns = returned.flat().filter((part) => isState(part) && standIn(part.state)).length;
  conversation.requested.push({
    turn: replies.length,
    thinks,
    made: sum(conversation.made.slice(0, replies.length).map(owed)),
    returned: sum(returned.map(owed)) - standIns,
    standIns,
  });
}

/**
 * What a vendor may see of a turn: of another's turn the words and the calls, without any state; thoughts only where the
 * vendor wants them unsigned, since nobody can tell who made those.
 */
function ownParts({ made, makers }: Conversation, turn: number, { vendor, wantsThoughts }: NeutralRequest): Part[] {
  const parts = made[turn] ?? [];
  if (makers[turn] === vendor) return parts;
  return parts
    .filter(({ kind }) => wantsThoughts || kind !== "thinking")
    .map(({ state: _, ...part }: Part & { state?: string }) => part);
}

/** Compares a request with what was made, takes down what it asked for, and returns the number of the turn that follows. */
export function takeRequest(conversation: Conversation, request: NeutralRequest): number {
  const entries = mergedEntries(request.entries);
  const replies = entries.filter(({ role }) => role === "assistant");
  for (const [turn, entry] of replies.entries()) {
    const made = ownParts(conversation, turn, request);
    const answer = entries[entries.indexOf(entry) + 1];
    conversation.faults.push(
      ...alteredIn(comparable(entry.parts, conversation), turn, made, request.standIn),
      ...wrongIds(entry, turn, made, conversation.keepsIds),
      ...wrongResults(answer, entry, turn),
    );
  }
  conversation.faults.push(...wrongWords(entries, conversation.remark));
  takeDown(conversation, replies, request);
  return replies.length;
}
