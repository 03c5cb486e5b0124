// Who asks and in which class of service, on OpenAI-shaped wires.
import { createHash } from "node:crypto";
import type { ChatRequest } from "../../canonical/chat.ts";
import type { JsonObject } from "../../lib/json.ts";

const maxUserChars = 64;
const tiers = ["default", "flex", "priority", "fast"] as const;

/** Classes that canon does not know are told as extras; `auto` is none. */
export function parseService(wire: JsonObject): Pick<ChatRequest, "tier" | "endUser"> {
  const tier = tiers.find((known) => known === wire.service_tier);
  const endUser = [wire.safety_identifier, wire.user].find((id) => typeof id === "string" && id !== "");
  return {
    ...(tier === undefined ? {} : { tier }),
    ...(typeof endUser === "string" ? { endUser } : {}),
  };
}

/** End user ids longer than servers take are hashed: same user, same id. */
export function renderUser(endUser: string | undefined): string | undefined {
  if (endUser === undefined || endUser.length <= maxUserChars) return endUser;
  return createHash("sha256").update(endUser).digest("hex");
}
