// How a strict upstream streams: deltas of a few characters, and writes that are cut inside of characters and frames.
import type { Reply } from "../support/sample-responses.ts";

/** A text in deltas of five code points: marks and joiners come apart from what they belong to. */
export function pieces(text: string): string[] {
  const points = Array.from(text);
  const count = Math.ceil(points.length / 5);
  return Array.from({ length: count }, (_, index) => points.slice(index * 5, index * 5 + 5).join(""));
}

const isContinued = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Offsets inside of the characters of several bytes, and one in the middle of each tenth of the rest. */
function cutsIn(bytes: Uint8Array): number[] {
  const inside = Array.from(bytes.keys()).filter((at) => isContinued(bytes[at]) && !isContinued(bytes[at - 1]));
  const tenths = Array.from({ length: 10 }, (_, index) => Math.floor((bytes.length * (2 * index + 1)) / 20));
  return [...new Set([...inside, ...tenths])].sort((left, right) => left - right);
}

/** These bytes, cut at the worst places. */
export function cutReply(bytes: Uint8Array, contentType: string): Reply {
  return { bytes: [bytes], cutAt: cutsIn(bytes), headers: { "content-type": contentType } };
}

/** Server-sent events, cut at the worst places. */
export function eventReply(records: readonly string[]): Reply {
  return cutReply(Buffer.from(records.map((record) => `${record}\n\n`).join("")), "text/event-stream; charset=utf-8");
}

export const dataRecord = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}`;
export const namedRecord = (data: { readonly type: string } & Record<string, unknown>): string =>
  `event: ${data.type}\n${dataRecord(data)}`;
