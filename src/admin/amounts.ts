// Amounts of the ledger as the admin API shows them: tokens by kind, and units.
import { Type } from "typebox";
import type { TokenBucket } from "../canonical/usage.ts";
import type { unitNames } from "../gateway/ledger/columns.ts";
import type { JsonObject } from "../lib/json.ts";
import { integer } from "./fields.ts";

type UnitName = (typeof unitNames)[number];
export type Amounts = Readonly<Record<TokenBucket | UnitName, number>>;

const tokenMembers: { readonly [bucket in TokenBucket]: string } = {
  inputTokens: "input",
  cacheReadTokens: "cache_read",
  cacheWriteTokens: "cache_write",
  cacheWrite1hTokens: "cache_write_1h",
  audioInputTokens: "audio_input",
  imageInputTokens: "image_input",
  outputTokens: "output",
  reasoningTokens: "reasoning",
  audioOutputTokens: "audio_output",
  imageOutputTokens: "image_output",
};

const unitMembers: { readonly [unit in UnitName]: string } = {
  images: "images",
  audioMs: "audio_ms",
  videoMs: "video_ms",
  characters: "characters",
  pages: "pages",
  searches: "searches",
  billedRequests: "requests",
};

const schemaOf = (members: Readonly<Record<string, string>>, description: string) =>
  Type.Object(Object.fromEntries(Object.values(members).map((name) => [name, integer(name)])), { description });

export const amountMembers = {
  tokens: schemaOf(tokenMembers, "Tokens in disjoint kinds: none is counted twice."),
  units: schemaOf(unitMembers, "What is not counted in tokens."),
};

function pick(amounts: Amounts, members: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [member, amounts[name as keyof Amounts]]));
}

export function writeAmounts(amounts: Amounts): { readonly tokens: JsonObject; readonly units: JsonObject } {
  return { tokens: pick(amounts, tokenMembers), units: pick(amounts, unitMembers) };
}
