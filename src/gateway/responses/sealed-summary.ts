// Summaries that travel through a client: encrypted, and bound to the key that they were created with.
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

/** The summary in an encrypted text; null if it belongs to another owner or installation, or is damaged. */
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
    // The response is the same for all reasons, so that it does not reveal them.
    return null;
  }
}
