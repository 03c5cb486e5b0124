// The request as an upstream gets it: stored items before the client's own, compactions opened, the gateway's fields left out.
import type { JsonObject } from "../../lib/json.ts";
import type { IncomingRequest, Overrides } from "../pipeline/incoming-request.ts";
import type { Conversation } from "./conversation.ts";
import type { ResponsesDependencies } from "./dependencies.ts";
import { openCompactions } from "./encrypted-summary.ts";

/** Fields that only the gateway acts on. */
const ownFields = ["previous_response_id", "background"];

/** The changed wire and what goes with it; the client's own input where nothing in it has to change. */
export function resolvedInput(
  dependencies: ResponsesDependencies,
  { wire: given, visit }: IncomingRequest,
  conversation: Conversation,
): Overrides & { readonly wire: JsonObject } {
  const items = [...conversation.earlier, ...conversation.own];
  const { items: opened, pinnedTo } = openCompactions(items, dependencies.sealKey, visit.caller.keyId);
  const wire: JsonObject = { ...given };
  for (const field of ownFields) delete wire[field];
  if (conversation.isResolved || opened !== items) wire.input = [...opened];
  return { wire, ...(pinnedTo === undefined ? {} : { pinnedTo }) };
}
