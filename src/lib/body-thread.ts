// Parses and serializes large bodies in a worker thread; small ones in place, where a thread would cost more.
import { isAscii } from "node:buffer";
import { inSteps } from "./event-loop-turn.ts";
import { type Json, jsonText } from "./json.ts";
import { writeSteps } from "./json-write.ts";
import { type JsonFault, type JsonLimits, type JsonResult, parseJson } from "./read-json.ts";
import { putBack, type TakenOut } from "./redact-bytes.ts";
import { isLargerThan } from "./size.ts";
import { createThread, type Thread } from "./thread.ts";
import { workerAddress } from "./worker.ts";

export interface ParseJob {
  readonly bytes: Uint8Array;
  readonly limits: JsonLimits;
}

/** `root` has one member, the value; its long texts arrive separately. */
export type ParseResult =
  | ({ readonly root: { value: Json }; readonly mayBeExact: boolean; readonly bytes: Uint8Array } & Omit<
      TakenOut,
      "texts"
    >)
  | { readonly fault: JsonFault };

/** Up to this size any body takes less than 10 ms in place. */
const inPlaceBytes = 128 * 1024;
/**
 * Up to this size a simple body does: ASCII with few strings and containers. Other text takes twice as long at every
 * step.
 */
const plainBytes = 1024 * 1024;
const plainContainers = 10_000;
const plainQuotes = 40_000;
const plainCommas = 100_000;
const [quote, comma, bracket, brace] = [34, 44, 91, 123];

/** Whether a byte occurs at most so many times, with native searches, which are fast where it is rare. */
function isRare(bytes: Uint8Array, byte: number, most: number): boolean {
  let count = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) if (++count > most) return false;
  return true;
}

/**
 * Quotes and commas are frequent in text: they are counted in a part of each block, at a place that changes from block
 * to block.
 */
const blockBytes = 4_096;
const partBytes = 256;
const partsOfBlock = blockBytes / partBytes;
const placeStep = 7;

function hasFew(bytes: Uint8Array, byte: number, mostInAll: number): boolean {
  const most = mostInAll / partsOfBlock;
  let count = 0;
  let place = bytes.length;
  for (let block = 0; block < bytes.length; block += blockBytes) {
    place = (place * placeStep + (bytes[block] ?? 0) + 1) % partsOfBlock;
    const part = bytes.subarray(block + place * partBytes, block + (place + 1) * partBytes);
    for (let at = part.indexOf(byte); at >= 0; at = part.indexOf(byte, at + 1)) if (++count > most) return false;
  }
  return true;
}

/** Whether a body is parsed faster than it is transferred to a thread and back. */
function isPlain(bytes: Uint8Array): boolean {
  if (bytes.length <= inPlaceBytes) return true;
  if (bytes.length > plainBytes || !isAscii(bytes)) return false;
  if (!isRare(bytes, bracket, plainContainers) || !isRare(bytes, brace, plainContainers)) return false;
  return hasFew(bytes, quote, plainQuotes) && hasFew(bytes, comma, plainCommas);
}

/** One for the process: it belongs to the runtime, like the event loop that it relieves. */
const thread: Thread<ParseJob, ParseResult> = createThread(() => workerAddress("lib/body-worker.ts", import.meta));

/** The buffer of these bytes if it contains nothing else, so that it can be transferred. */
function ownBuffer({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Only the limits, because a message to a thread is copied. */
function limitsIn(limits: JsonLimits): JsonLimits {
  const { maxJsonDepth, maxJsonValues, maxJsonContainers, maxJsonMembers } = limits;
  const { maxJsonObjectMembers, maxJsonStrings, maxJsonNumberChars } = limits;
  return {
    ...{ maxJsonDepth, maxJsonValues, maxJsonContainers, maxJsonMembers },
    ...{ maxJsonObjectMembers, maxJsonStrings, maxJsonNumberChars },
  };
}

/** The parsed value with its bytes: the given ones may have been transferred to a thread and back. */
type ParsedBody<Bytes extends Uint8Array = Uint8Array> = JsonResult & { readonly bytes?: Bytes };

/** As `parseJson`. The bytes are transferred and must not be used afterwards. */
export function parseBody<Bytes extends Uint8Array>(
  bytes: Bytes,
  limits: JsonLimits,
): ParsedBody<Bytes> | Promise<ParsedBody<Bytes>> {
  if (!isPlain(bytes)) return parseApart(bytes, limits);
  const parsed = parseJson(bytes, limits);
  return parsed.ok ? { ok: true, value: parsed.value, mayBeExact: parsed.mayBeExact, bytes } : parsed;
}

async function parseApart<Bytes extends Uint8Array>(bytes: Bytes, limits: JsonLimits): Promise<ParsedBody<Bytes>> {
  const { result, texts } = await thread.run({ bytes, limits: limitsIn(limits) }, ownBuffer(bytes));
  if ("fault" in result) return { ok: false, fault: result.fault };
  const { root, mayBeExact, places, exact, bytes: returned } = result;
  putBack(root, { places, texts, exact });
  return { ok: true, value: root.value, mayBeExact, bytes: returned as Bytes };
}

/** Serialized JSON: a text if it is small, otherwise bytes that were written in several turns of the event loop. */
export function writeBody(value: Json): string | Promise<Uint8Array<ArrayBuffer>> {
  return isLargerThan(value, inPlaceBytes) ? inSteps(writeSteps(value)) : jsonText(value);
}
