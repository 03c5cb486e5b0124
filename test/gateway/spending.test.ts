// What was billed for a request that failed in the end stands in the ledger all the same.
import { expect, test } from "bun:test";
import { setting } from "../http/setting.ts";
import { says } from "../support/fixtures.ts";
import { ledgerRows, settledRow } from "../support/ledger.ts";

const { world, bearer, send } = await setting();
const { claude } = world.upstreams;
const { dataFolder } = world.gateway;

test("a part that succeeded counts although another part failed", async () => {
  const refusal = { type: "error", error: { type: "invalid_request_error", message: "no" } };
  // The refusal comes late enough for the other part to have been read.
  claude.on("POST /v1/messages", says("anthropic-messages/text.json"), { status: 400, json: refusal, delayMs: 50 });
  const before = ledgerRows(dataFolder).length;
  const reply = await send("/v1/chat/completions", {
    method: "POST",
    headers: { ...bearer, "content-type": "application/json" },
    body: JSON.stringify({ model: "claude-x", n: 2, messages: [{ role: "user", content: "hi" }] }),
  });
  expect(reply.status).toBe(400);
  const { state, inputTokens, outputTokens } = await settledRow(dataFolder, before);
  expect(state).toBe("rejected");
  expect(inputTokens).toBeGreaterThan(0);
  expect(outputTokens).toBeGreaterThan(0);
});
