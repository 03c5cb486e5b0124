// Summaries on their way through a client: encrypted, and bound to the key that they were created with.
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject } from "../../lib/json.ts";
import { open, seal } from "../../lib/secret.ts";
import type { ResponsesDependencies } from "./persist.ts";

const version = 1;
const contextOf = (ownerKeyId: string): string => `compaction:${ownerKeyId}`;

/** A summary as text that only this owner can send back. `createdAt` in Unix seconds. */
export function sealSummary(
  { sealKey, codec }: ResponsesDependencies,
  ownerKeyId: string,
  summary: { readonly summary: string; readonly model: string; readonly createdAt: number },
): string {
  const text = JSON.stringify({ version, ...summary });
  return codec.compactions.sealedPrefix + seal(sealKey, text, contextOf(ownerKeyId));
}

/** The summary in a sealed text; null where it is another owner's, damaged, or of another installation. */
export function openSummary(
  { sealKey, codec }: ResponsesDependencies,
  ownerKeyId: string,
  sealed: string,
): string | null {
  try {
    const encrypted = sealed.slice(codec.compactions.sealedPrefix.length);
    const content = parseExactText(open(sealKey, encrypted, contextOf(ownerKeyId)).reveal());
    return isObject(content) && typeof content.summary === "string" ? content.summary : null;
  } catch {
    // Why it does not open must not be shown: the answer is the same for all reasons.
    return null;
  }
}
