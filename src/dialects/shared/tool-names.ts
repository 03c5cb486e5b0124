// Identifiers in the alphabet of strict dialects. The same input gives the same name, for calls and results; replies
// get the client's names and kinds back.
import { createHash } from "node:crypto";
import type { ChatRequest, ToolCallBlock } from "../../canonical/chat.ts";
import type { ReadContext } from "../dialect.ts";
import { isNoArguments } from "./arguments.ts";
import { unwrapCustomInput } from "./custom-tools.ts";

const cleanCallId = /^[A-Za-z0-9_-]{1,64}$/;
const cleanText = /^[A-Za-z0-9_-]+$/;
const outsideAlphabet = /[^A-Za-z0-9_-]/g;

/** Hexadecimal digits of SHA-256. */
export function digest(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

function suffixed(text: string, maxLength: number): string {
  return `${text.replace(outsideAlphabet, "_").slice(0, maxLength - 9)}_${digest(text, 8)}`;
}

/** A call id of at most 64 allowed characters; valid ids are unchanged. */
export function cleanId(id: string): string {
  return cleanCallId.test(id) ? id : suffixed(id || "call", 64);
}

/** Tool names of one request, to the wire and back. */
export interface ToolNames {
  toWire(name: string): string;
  toCanon(name: string): string;
}

const sameNames: ToolNames = { toWire: (name) => name, toCanon: (name) => name };

function* namesIn(request: ChatRequest): Generator<string> {
  for (const tool of request.tools) if (tool.kind !== "hosted") yield tool.name;
  for (const message of request.messages) {
    for (const block of message.blocks) if (block.type === "tool-call") yield block.name;
  }
}

/**
 * The mapping depends only on the request, so that request and reply use the same one. Names that match `clean` are
 * unchanged; others lose characters outside the strict alphabet, and get a leading `_` where one is needed.
 */
export function toolNames(request: ChatRequest, maxChars: number, clean: RegExp = cleanText): ToolNames {
  const names = new Set(namesIn(request));
  const isClean = (name: string): boolean => name.length <= maxChars && clean.test(name);
  const fit = (name: string): string => (clean.test(name) ? name : `_${name}`.slice(0, maxChars));
  const unclean = [...names].filter((name) => !isClean(name));
  if (unclean.length === 0) return sameNames;
  const toWire = new Map<string, string>();
  const toCanon = new Map([...names].filter(isClean).map((name) => [name, name]));
  for (const name of unclean) {
    const plain = fit(name.replace(outsideAlphabet, "_").slice(0, maxChars));
    const wire = plain === "_" || toCanon.has(plain) ? fit(suffixed(name, maxChars)) : plain;
    toWire.set(name, wire);
    toCanon.set(wire, name);
  }
  return { toWire: (name) => toWire.get(name) ?? name, toCanon: (name) => toCanon.get(name) ?? name };
}

/** The client's name of a tool, and whether it accepts free text. */
interface CalledTool {
  readonly name: string;
  readonly kind: ToolCallBlock["kind"];
}

/** Finds the requested tool by its name on the wire. */
export type ToolFinder = (wireName: string) => CalledTool;

/** `namesOf` must be the mapping that the request was rendered with. */
export function findTools({ request }: ReadContext, namesOf: (canonicalRequest: ChatRequest) => ToolNames): ToolFinder {
  if (request === undefined || request.operation !== "chat") return (name) => ({ name, kind: "function" });
  const names = namesOf(request);
  const custom = new Set(request.tools.flatMap((tool) => (tool.kind === "custom" ? [tool.name] : [])));
  return (wireName) => {
    const name = names.toCanon(wireName);
    return { name, kind: custom.has(name) ? "custom" : "function" };
  };
}

/** The canonical input of a call: JSON text unchanged, missing arguments as `{}`, free text unwrapped. */
export function callInput(kind: ToolCallBlock["kind"], json: string): string {
  const whole = isNoArguments(json) ? "{}" : json;
  return kind === "custom" ? unwrapCustomInput(whole) : whole;
}
