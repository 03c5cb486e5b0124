// Bounds on a JSON document: one walk over its values, and a scan of its bytes that finds where a bound is exceeded.
import { type Extremes, extremesOf } from "./exact-json.ts";
import type { Json } from "./json.ts";

export interface JsonLimits {
  readonly maxJsonDepth: number;
  /** All values together. */
  readonly maxJsonValues: number;
  readonly maxJsonContainers: number;
  readonly maxJsonMembers: number;
  /** Members of one object. */
  readonly maxJsonObjectMembers: number;
  readonly maxJsonStrings: number;
  readonly maxJsonNumberChars: number;
}

/** Why bytes were refused, with the byte offset if it is known. */
export interface JsonFault {
  readonly reason: "encoding" | "depth" | "values" | "containers" | "members" | "strings" | "syntax" | "number";
  readonly at?: number;
}

interface Counts {
  values: number;
  containers: number;
  members: number;
  strings: number;
  extremes: Extremes;
}

/** Limits in the order in which they are checked; null if none is exceeded. */
function overLimit(
  { values, containers, members, strings }: Omit<Counts, "extremes">,
  limits: JsonLimits,
): JsonFault["reason"] | null {
  if (values > limits.maxJsonValues) return "values";
  if (containers > limits.maxJsonContainers) return "containers";
  if (members > limits.maxJsonMembers) return "members";
  return strings > limits.maxJsonStrings ? "strings" : null;
}

type Container = Json[] | { readonly [name: string]: Json | undefined };

/** Counts one level of a document, and collects its containers in `below`. */
function countLevel(level: readonly Container[], counts: Counts, below: Container[], limits: JsonLimits) {
  const count = (value: Json | undefined): void => {
    if (typeof value === "string") counts.strings++;
    else if (typeof value === "number") counts.extremes = extremesOf(value, counts.extremes);
    else if (typeof value === "object" && value !== null) below.push(value as Container);
  };
  for (const container of level) {
    let children = 0;
    if (Array.isArray(container)) {
      children = container.length;
      for (const value of container) count(value);
    } else {
      for (const name in container) {
        children++;
        count(container[name]);
      }
      counts.members += children;
      if (children > limits.maxJsonObjectMembers) return "members";
    }
    counts.containers++;
    counts.values += Math.max(children, 1);
    const reason = overLimit(counts, limits);
    if (reason !== null) return reason;
  }
  return null;
}

/** The result of a walk over a document. */
interface JsonWalk {
  readonly fault: JsonFault["reason"] | null;
  readonly extremes: Extremes;
}

/** Level by level, so that no nesting can exhaust the stack. It stops at the first exceeded bound. */
export function walkJson(root: Json, limits: JsonLimits): JsonWalk {
  const counts: Counts = { values: 0, containers: 0, members: 0, strings: 0, extremes: 0 };
  if (typeof root === "number") counts.extremes = extremesOf(root, 0);
  let level: Container[] = typeof root === "object" && root !== null ? [root as Container] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limits.maxJsonDepth) return { fault: "depth", extremes: counts.extremes };
    const below: Container[] = [];
    const fault = countLevel(level, counts, below, limits);
    if (fault !== null) return { fault, extremes: counts.extremes };
    level = below;
  }
  return { fault: null, extremes: counts.extremes };
}

const quote = 34;
const backslash = 92;

/**
 * The end of the string that opens at `at`. Long strings are most of a conversation, and a native search is the
 * fastest.
 */
function endOfString(bytes: Uint8Array, at: number): number {
  let end = at;
  for (;;) {
    end = bytes.indexOf(quote, end + 1);
    if (end < 0) return bytes.length;
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
}

interface ScanCounts {
  depth: number;
  values: number;
  containers: number;
  members: number;
  /** Including member names. */
  strings: number;
  /** Members of the open objects, by depth. */
  readonly open: number[];
}

function overScanned(counts: ScanCounts, limits: JsonLimits): JsonFault["reason"] | null {
  if (counts.depth > limits.maxJsonDepth) return "depth";
  if ((counts.open[counts.depth] ?? 0) > limits.maxJsonObjectMembers) return "members";
  return overLimit({ ...counts, strings: counts.strings - counts.members }, limits);
}

/** `+`, `-`, `.`, `E` and `e`. */
const numberSigns = new Set([43, 45, 46, 69, 101]);

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57;

/** The end of a number. */
function endOfNumber(bytes: Uint8Array, at: number): number {
  let end = at;
  for (let byte = bytes[end]; isDigit(byte) || numberSigns.has(byte ?? 0); byte = bytes[++end]);
  return end;
}

/**
 * Counts values in the bytes; null when within bounds. Slower than the walk, but it needs no parse and returns the
 * position.
 */
export function scanJson(bytes: Uint8Array, limits: JsonLimits): JsonFault | null {
  const counts: ScanCounts = { depth: 0, values: 0, containers: 0, members: 0, strings: 0, open: [] };
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      at = endOfString(bytes, at);
      counts.strings++;
    } else if (byte === 123 || byte === 91) {
      counts.open[++counts.depth] = 0;
      counts.containers++;
      counts.values++;
    } else if (byte === 125 || byte === 93) counts.depth--;
    else if (byte === 58) {
      counts.members++;
      counts.open[counts.depth] = (counts.open[counts.depth] ?? 0) + 1;
    } else if (byte === 44) counts.values++;
    else if (isDigit(byte) || byte === 45) {
      const end = endOfNumber(bytes, at);
      if (end - at > limits.maxJsonNumberChars) return { reason: "number", at };
      at = end - 1;
      continue;
    } else continue;
    const reason = overScanned(counts, limits);
    if (reason !== null) return { reason, at };
  }
  return null;
}
