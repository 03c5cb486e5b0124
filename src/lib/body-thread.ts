// Parses and serializes large bodies in a worker thread; small ones in place, where a thread would cost more.
import { isAscii } from "node:buffer";
import { inSteps } from "./event-loop-turn.ts";
import { type Json, jsonText } from "./json.ts";
import { writeSteps } from "./json-write.ts";
import { bytesOf, type JsonBody, type JsonFault, type JsonLimits, type JsonResult, parseJson } from "./read-json.ts";
import { putBack, type TakenOut } from "./redact-bytes.ts";
import { isLargerThan } from "./size.ts";
import { createThread, type Thread } from "./thread.ts";
import { workerAddress } from "./worker.ts";

export interface ParseJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly limits: JsonLimits;
}

/** `root` has one member, the value; its long texts arrive separately. */
export type ParseResult =
  | ({ readonly root: { value: Json }; readonly mayBeExact: boolean; readonly bytes: Uint8Array<ArrayBuffer> } & Omit<
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

/** A part of each block is read, at a random place, so that no body can be made to hide what it holds. */
const blockChars = 4_096;
const partChars = 64;
const share = partChars / blockChars;

/** How often each ASCII character is in the parts of a text. */
function countParts(text: string): Uint32Array {
  const counts = new Uint32Array(128);
  for (let block = 0; block < text.length; block += blockChars) {
    const from = block + Math.floor(Math.random() * (blockChars - partChars));
    const to = Math.min(from + partChars, text.length);
    for (let at = from; at < to; at++) counts[text.charCodeAt(at)] = (counts[text.charCodeAt(at)] ?? 0) + 1;
  }
  return counts;
}

/** Whether a text is parsed faster than it is transferred to a thread and back. */
function isPlain(text: string): boolean {
  if (text.length <= inPlaceBytes) return true;
  if (text.length > plainBytes || Buffer.byteLength(text) !== text.length) return false;
  const counts = countParts(text);
  const isRare = (code: number, most: number): boolean => (counts[code] ?? 0) <= most * share;
  const hasFewContainers = isRare(bracket, plainContainers) && isRare(brace, plainContainers);
  return hasFewContainers && isRare(quote, plainQuotes) && isRare(comma, plainCommas);
}

/** One for the process: it belongs to the runtime, like the event loop that it relieves. */
const thread: Thread<ParseJob, ParseResult> = createThread(() => workerAddress("lib/body-worker.ts", import.meta));

/** The buffer of these bytes if it contains nothing else, so that it can be transferred. */
function ownBuffer({ buffer, byteLength }: Uint8Array<ArrayBuffer>): ArrayBuffer[] {
  return buffer.byteLength === byteLength ? [buffer] : [];
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

/** A text, or small bytes, that may be parsed in place; null for bytes that are too large, or neither small nor ASCII. */
function inPlace(body: JsonBody): JsonBody | null {
  if (typeof body === "string" || body.length <= inPlaceBytes) return body;
  return body.length <= plainBytes && isAscii(body)
    ? Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1")
    : null;
}

/** As `parseJson`, but the body of large or complex JSON is returned as bytes. Bytes may be transferred, and must not be used afterwards. */
export function parseBody(body: JsonBody, limits: JsonLimits): JsonResult | Promise<JsonResult> {
  const text = inPlace(body);
  const isApart = text === null || (typeof text === "string" && !isPlain(text));
  return isApart ? parseApart(bytesOf(body), limits) : parseJson(text, limits);
}

async function parseApart(bytes: Uint8Array<ArrayBuffer>, limits: JsonLimits): Promise<JsonResult> {
  const { result, texts } = await thread.run({ bytes, limits: limitsIn(limits) }, ownBuffer(bytes));
  if ("fault" in result) return { ok: false, fault: result.fault };
  const { root, mayBeExact, places, exact, bytes: body } = result;
  putBack(root, { places, texts, exact });
  return { ok: true, value: root.value, mayBeExact, body };
}

/** Serialized JSON: a text if it is small, otherwise bytes that were written in several turns of the event loop. */
export function writeBody(value: Json): string | Promise<Uint8Array<ArrayBuffer>> {
  return isLargerThan(value, inPlaceBytes) ? inSteps(writeSteps(value)) : jsonText(value);
}
