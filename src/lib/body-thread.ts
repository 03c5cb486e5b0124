// Large bodies are read beside the event loop; small ones in place, where the way to a thread would cost more.

import { isAscii } from "node:buffer";
import { inSteps } from "./event-loop-turn.ts";
import type { Json } from "./json.ts";
import { writeSteps } from "./json-write.ts";
import { type JsonFault, type JsonLimits, type JsonResult, parseJson } from "./read-json.ts";
import { putBack, type TakenOut } from "./redact-bytes.ts";
import { isLargerThan } from "./size.ts";
import { createThread, type Thread } from "./thread.ts";
import { jsonText } from "./well-formed.ts";
import { workerAddress } from "./worker.ts";

export interface ParseJob {
  readonly bytes: Uint8Array;
  readonly limits: JsonLimits;
}

/** `root` has one member, the value; its long texts come on their own. */
export type ParseResult =
  | ({ readonly root: { value: Json }; readonly mayBeExact: boolean; readonly bytes: Uint8Array } & Omit<
      TakenOut,
      "texts"
    >)
  | { readonly fault: JsonFault };

/** Up to this size a body takes less than 10 ms in place, whatever is in it. */
const inPlaceBytes = 128 * 1024;
/** Up to this size it does where it is ASCII and holds few strings and containers: wider text takes twice as long at every step. */
const plainBytes = 1024 * 1024;
const plainContainers = 10_000;
const plainQuotes = 40_000;

/** True where a byte occurs at most so often: native searches, which cost little where it is rare. */
function isRare(bytes: Uint8Array, byte: number, most: number): boolean {
  let count = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) if (++count > most) return false;
  return true;
}

/** True for a body that is parsed in less time than the way to a thread and back takes. */
function isPlain(bytes: Uint8Array): boolean {
  if (bytes.length <= inPlaceBytes) return true;
  if (bytes.length > plainBytes || !isAscii(bytes)) return false;
  const [quote, bracket, brace] = [34, 91, 123];
  return (
    isRare(bytes, bracket, plainContainers) &&
    isRare(bytes, brace, plainContainers) &&
    isRare(bytes, quote, plainQuotes)
  );
}

/** One for the process: it belongs to the runtime, as the event loop that it relieves. */
const thread: Thread<ParseJob, ParseResult> = createThread(() => workerAddress("lib/body-worker.ts", import.meta));

/** The buffer behind bytes where nothing else lies in it: it can be given away. */
function ownBuffer({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** The limits alone: what is posted is copied. */
function limitsIn(limits: JsonLimits): JsonLimits {
  const { maxJsonDepth, maxJsonValues, maxJsonContainers, maxJsonMembers } = limits;
  const { maxJsonObjectMembers, maxJsonStrings, maxJsonNumberChars } = limits;
  return {
    ...{ maxJsonDepth, maxJsonValues, maxJsonContainers, maxJsonMembers },
    ...{ maxJsonObjectMembers, maxJsonStrings, maxJsonNumberChars },
  };
}

/** What was parsed, with its bytes: those that were given may have gone to a thread and back. */
export type ParsedBody<Bytes extends Uint8Array = Uint8Array> = JsonResult & { readonly bytes?: Bytes };

/** As `parseJson`. The bytes are given away. */
export async function parseBody<Bytes extends Uint8Array>(
  bytes: Bytes,
  limits: JsonLimits,
): Promise<ParsedBody<Bytes>> {
  if (isPlain(bytes)) {
    const parsed = parseJson(bytes, limits);
    return parsed.ok ? { ...parsed, bytes } : parsed;
  }
  const { result, texts } = await thread.run({ bytes, limits: limitsIn(limits) }, ownBuffer(bytes));
  if ("fault" in result) return { ok: false, fault: result.fault };
  const { root, mayBeExact, places, exact, bytes: returned } = result;
  putBack(root, { places, texts, exact });
  return { ok: true, value: root.value, mayBeExact, bytes: returned as Bytes };
}

/** JSON as it leaves: a text where it is small, else bytes that were written in several turns of the event loop. */
export function writeBody(value: Json): string | Promise<Uint8Array<ArrayBuffer>> {
  return isLargerThan(value, inPlaceBytes) ? inSteps(writeSteps(value)) : jsonText(value);
}
