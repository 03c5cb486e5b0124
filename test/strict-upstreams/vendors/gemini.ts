// Google's Gemini API: since version 3 the first call of every step is signed, and the signature has to come back with it.
import { at, text } from "../../support/chat-stream-reader.ts";
import { type Entry, type Part, signature, token } from "../conversation.ts";
import { play } from "../model.ts";
import { dataRecord, eventReply, pieces } from "../stream.ts";
import type { Body, Vendor } from "../vendor.ts";
import { contentsOf, isStandIn, member, partsOf, refusals, signatureOf } from "./gemini-refusals.ts";

/** Calls without ids are known by their names, which are different ones in every step of the dialogue. */
const idOf = (call: unknown): string => text(call, "id") || text(call, "name");

function readPart(part: unknown): Part[] {
  const state = signatureOf(part);
  const sealed = state === "" ? {} : { state };
  const [call, response] = [member(part, "functionCall"), member(part, "functionResponse")];
  if (call !== undefined)
    return [{ kind: "call", id: idOf(call), name: text(call, "name"), input: at(call, "args") ?? {}, ...sealed }];
  if (response !== undefined) {
    const words = text(response, "response", "output");
    return [{ kind: "result", id: idOf(response), name: text(response, "name"), text: words }];
  }
  const kind = at(part, "thought") === true ? "thinking" : "text";
  return [{ kind, text: text(part, "text"), ...sealed }];
}

const partOf = (part: Part, hasIds: boolean): Record<string, unknown> => {
  const sealed = part.kind === "result" || part.state === undefined ? {} : { thoughtSignature: part.state };
  if (part.kind === "thinking") return { text: part.text, thought: true, ...sealed };
  if (part.kind !== "call") return { text: part.text, ...sealed };
  return { functionCall: { ...(hasIds ? { id: part.id } : {}), name: part.name, args: part.input }, ...sealed };
};

/** Text comes in increments; the signature of a text comes last, with an empty one. */
function increments(part: Part, hasIds: boolean): Record<string, unknown>[] {
  if (part.kind === "call") return [partOf(part, hasIds)];
  if (part.kind === "result") return [];
  const thought = part.kind === "thinking" ? { thought: true } : {};
  const parts: Record<string, unknown>[] = pieces(part.text).map((words) => ({ text: words, ...thought }));
  return part.state === undefined ? parts : [...parts, { text: "", thoughtSignature: part.state }];
}

const usageMetadata = { promptTokenCount: 40, candidatesTokenCount: 20, thoughtsTokenCount: 10, totalTokenCount: 70 };

interface Model {
  readonly name: string;
  /** Version 3: it always thinks, signs its calls and gives them ids. */
  readonly signs: boolean;
}

function vendorOf({ name, signs }: Model): Vendor {
  const response = (parts: unknown[], tag: string, turn: number, isLast: boolean) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(isLast ? { finishReason: "STOP" } : {}) }],
    usageMetadata,
    modelVersion: name,
    responseId: token(22, tag, turn),
  });
  const includesThoughts = (body: Body): boolean =>
    member(member(member(body, "generationConfig"), "thinkingConfig"), "includeThoughts") === true;
  return {
    name,
    paths: new RegExp(`^/v1(?:beta)?/models/${name}:(?:streamG|g)enerateContent$`),
    refusals: refusals(signs),
    envelope: ({ message }) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
    read: (body) =>
      contentsOf(body).map(
        (entry): Entry => ({
          role: text(entry, "role") === "model" ? "assistant" : "user",
          parts: partsOf(entry).flatMap(readPart),
        }),
      ),
    thinks: (body) => signs || includesThoughts(body),
    standIn: isStandIn,
    make: (body, tag, turn) =>
      play(turn, {
        thought: includesThoughts(body) ? { shown: true } : null,
        callId: (index, called) => (signs ? token(8, tag, turn, index) : called),
        callState: (index) => (signs && index === 0 ? signature(tag, turn) : undefined),
        ...(signs ? { textState: signature(tag, turn, "text") } : {}),
      }),
    isStream: ({ path }) => path.endsWith(":streamGenerateContent"),
    reply: (made, tag, turn) =>
      response(
        made.map((part) => partOf(part, signs)),
        tag,
        turn,
        true,
      ),
    stream(made, tag, turn) {
      const parts = made.flatMap((part) => increments(part, signs));
      return eventReply(
        parts.map((part, index) => dataRecord(response([part], tag, turn, index === parts.length - 1))),
      );
    },
  };
}

export const gemini3 = vendorOf({ name: "gemini-3-pro-preview", signs: true });
export const gemini25 = vendorOf({ name: "gemini-2.5-flash", signs: false });
