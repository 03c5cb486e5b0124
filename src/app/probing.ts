// Probes of a gateway: their timer, and the request for one token that a provider may be configured for.
import { dialects } from "../dialects/index.ts";
import type { Gateway } from "../gateway/pipeline/gateway.ts";
import { createGatewayRequest } from "../gateway/pipeline/gateway-request.ts";
import { callerOf, defaultProject } from "../gateway/policy/caller.ts";
import { createProbes } from "../gateway/routing/probes.ts";
import { systemClock } from "../lib/clock.ts";
import { randomId } from "../lib/ids.ts";

const tick = 250;
/** Probes are in the ledger under this key. */
const caller = callerOf({
  ...{ keyId: "probe", name: "probe", rules: null },
  project: { id: defaultProject, rules: null },
});
const meta = { header: () => null, params: {} };

/** A chat completion of one token, which is admitted, booked and counted like any other request. */
async function ask(gateway: Gateway, provider: string, model: string, signal: AbortSignal): Promise<void> {
  const dialect = dialects.find(({ operation }) => operation === "chat");
  if (dialect === undefined) return;
  const id = randomId("req_");
  const wire = { model: `${provider}/${model}`, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] };
  const request = createGatewayRequest(
    { dialect, wire, envelope: meta, strict: false, asJson: true },
    { wire, id, createdAt: Math.floor(systemClock.nowMs() / 1_000) },
  );
  const arrivedMs = systemClock.monotonicMs();
  await gateway.answer(request, { caller, signal: () => signal, arrivedMs, requestId: id, session: null });
}

/** Returns a function that ends them. */
export function startProbes(gateway: Gateway): () => void {
  const probes = createProbes({
    catalog: gateway.catalog.current,
    health: gateway.router.health,
    clock: systemClock,
    random: Math.random,
    ask: (provider, model, signal) => ask(gateway, provider, model, signal),
  });
  const failed = (cause: unknown): void => gateway.events.backgroundTaskFailed("probes", cause);
  const timer = setInterval(() => void probes.run().catch(failed), tick);
  timer.unref();
  return () => clearInterval(timer);
}
