// Openings and settlements for the ledger's tests.
import type { LedgerOpening, LedgerSettlement } from "../../src/gateway/ledger/ledger.ts";

export const opening = (id: string, change: Partial<LedgerOpening> = {}): LedgerOpening => ({
  id,
  requestId: `req_${id}`,
  atMs: 1_760_000_000_000,
  keyId: "key_a",
  operation: "chat",
  dialect: "openai-chat",
  model: "smart",
  stream: true,
  inputTokens: 0,
  inputBound: 0,
  ...change,
});

export const settlement = (change: Partial<LedgerSettlement> = {}): LedgerSettlement => ({
  state: "completed",
  httpStatus: 200,
  provider: "sandbox",
  upstreamModel: "sandbox-1",
  attempts: 1,
  inputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 5,
  reasoningTokens: 0,
  estimated: false,
  charged: true,
  units: null,
  costNanoDollars: null,
  priceVersion: null,
  firstByteMs: 3,
  durationMs: 9,
  errorCode: null,
  warnings: null,
  ...change,
});
