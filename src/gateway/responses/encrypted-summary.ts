// Compactions on their way through a client: summaries sealed for one owner, a provider's own tagged with who made them.
import { GatewayError } from "../../canonical/error.ts";
import { unwrapProviderState, wrapProviderState } from "../../canonical/provider-state.ts";
import { expandCompactions, sealedPrefix } from "../../dialects/stored-responses.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { open, seal } from "../../lib/secret.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";

const version = 1;
const contextOf = (ownerKeyId: string): string => `compaction:${ownerKeyId}`;

/** A summary as text that opens for this owner alone. `createdAt` in Unix seconds. */
export function sealSummary(
  key: Uint8Array,
  ownerKeyId: string,
  told: { readonly summary: string; readonly model: string; readonly createdAt: number },
): string {
  return sealedPrefix + seal(key, JSON.stringify({ version, ...told }), contextOf(ownerKeyId));
}

/** The summary in a sealed text; null when it is somebody else's, damaged, or of another installation. */
function openSummary(key: Uint8Array, ownerKeyId: string, sealed: string): string | null {
  try {
    const text = open(key, sealed.slice(sealedPrefix.length), contextOf(ownerKeyId)).reveal();
    const told = parseExactText(text);
    return isObject(told) && typeof told.summary === "string" ? told.summary : null;
  } catch {
    // Why it does not open must not be told: the answer is the same for all reasons.
    return null;
  }
}

/** A provider's own compaction for a client: only its maker may get it back. */
export function tagNative(item: JsonObject, origin: string): JsonObject {
  return { ...item, encrypted_content: wrapProviderState({ origin, data: String(item.encrypted_content) }) };
}

/** Items as an upstream may see them. `pinnedTo`: they hold what only one maker can read. */
export interface OpenedItems {
  readonly items: readonly JsonObject[];
  readonly pinnedTo?: NonNullable<GatewayRequest["pinnedTo"]>;
}

/** Opens every compaction of ours where it stands. Throws `invalid_value` naming one that this caller cannot have. */
export function openCompactions(items: readonly JsonObject[], key: Uint8Array, ownerKeyId: string): OpenedItems {
  const expanded = expandCompactions(items, (sealed) => openSummary(key, ownerKeyId, sealed));
  let pinnedTo: OpenedItems["pinnedTo"];
  const opened = expanded.map((item, index) => {
    const native = nativeOf(item);
    if (native === null) return item;
    const path = `input[${index}].encrypted_content`;
    if (pinnedTo !== undefined && pinnedTo.origin !== native.origin) throw twoMakers(path);
    pinnedTo ??= { origin: native.origin, path };
    return { ...item, encrypted_content: native.data };
  });
  return pinnedTo === undefined ? { items: expanded } : { items: opened, pinnedTo };
}

function nativeOf(item: JsonObject): ReturnType<typeof unwrapProviderState> {
  const { type, encrypted_content: sealed } = item;
  return type === "compaction" && typeof sealed === "string" ? unwrapProviderState(sealed) : null;
}

function twoMakers(path: string): GatewayError {
  const message = `'${path}' and the compaction before it were created by different providers and cannot be combined.`;
  return new GatewayError("invalid_value", message, { param: path });
}
