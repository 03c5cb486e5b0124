// The price of an interrupted request: for its recorded usage, at the recorded provider, otherwise at the first that it
// may have reached.
import { GatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import type { Provider } from "../../providers/provider.ts";
import type { InterruptedRequest } from "../ledger/recovery.ts";
import type { Money, Prices } from "../prices/prices.ts";
import type { Catalog } from "../routing/catalog.ts";
import { resolve } from "../routing/resolve.ts";

const unknownList = (provider: Provider) => ({ provider, models: null, ids: new Set<string>() });

/** Where it may have been sent, by the names under which prices are looked up. */
function placesOf({ provider, upstreamModel, model, operation }: InterruptedRequest, catalog: Catalog) {
  if (provider !== null) {
    const found = catalog.providers.find(({ entry }) => entry.name === provider);
    return [{ provider, kind: found?.kind.name ?? "", model: upstreamModel ?? "" }];
  }
  try {
    const { candidates } = resolve(catalog, unknownList, model, operation as Operation);
    return candidates.map((each) => ({
      provider: each.provider.entry.name,
      kind: each.provider.kind.name,
      model: each.model,
    }));
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [];
    throw thrown;
  }
}

/** Null if none of these has a price. */
export function interruptedPrice(prices: Prices, catalog: Catalog): (request: InterruptedRequest) => Money | null {
  return (request) => {
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, atMs } = request;
    const usage = { ...zeroUsage, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens };
    const operation = request.operation as Operation;
    const all = placesOf(request, catalog).map((place) =>
      prices.of({ ...place, operation, atMs }, request.model, usage),
    );
    return all.find(({ priceNanoDollars }) => priceNanoDollars !== null) ?? null;
  };
}
