// Openings and settlements for the ledger's tests.
import { type Usage, zeroUsage } from "../../src/canonical/usage.ts";
import type { LedgerOpening, LedgerSettlement } from "../../src/gateway/ledger/ledger.ts";
import { settlementOf } from "../../src/gateway/ledger/settlement.ts";
import { createPriceBook } from "../../src/gateway/prices/price-book.ts";
import { createPrices } from "../../src/gateway/prices/prices.ts";

const noPrices = createPrices(createPriceBook("none", []), createPriceBook("none", []), []);

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

export const usageOf = (change: Partial<Usage> = {}): Usage => ({
  ...zeroUsage,
  inputTokens: 10,
  outputTokens: 5,
  ...change,
});

export const settlement = (change: Partial<LedgerSettlement> = {}): LedgerSettlement => ({
  ...settlementOf(
    {
      ...{ state: "completed", httpStatus: 200, errorCode: null, provider: "sandbox", upstreamModel: "sandbox-1" },
      ...{ attempts: 1, warnings: [], usage: usageOf(), isCharged: true, firstByteMs: 3, durationMs: 9 },
      ...{ operation: "chat", model: "smart", providerKind: "sandbox", admittedAtMs: 1_760_000_000_000 },
    },
    noPrices,
  ),
  ...change,
});
