// Why a request went where it did, through the admin API: the rule that chose the first candidate, and who was passed over.
import { expect, test } from "bun:test";
import { clientKey } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { admin } from "./setting.ts";

const { ask, token, running } = await admin({
  yaml: `models:
  drawn: { strategy: weighted, candidates: [{ provider: sandbox, model: chat }, { provider: sandbox, model: slow, supports: { tools: false } }] }
`,
});

test("a request has the decisions about its candidates, for those who may read attempts", async () => {
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
  const answer = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "drawn", messages: [{ role: "user", content: "hi" }], tools }),
  });
  expect(answer.status).toBe(200);
  const id = answer.headers.get("x-request-id");
  const one = await until("it is settled", async () => {
    const { status, body } = await ask(`GET requests/${id}`);
    return status === 200 && body["state"] !== "open" ? body : null;
  });
  expect(one["decisions"]).toEqual([
    {
      ...{ provider: "sandbox", upstream_model: "chat", code: "chosen_by_weighted", field: null },
      reason: expect.stringContaining("weight"),
    },
    {
      ...{ provider: "sandbox", upstream_model: "slow", code: "lacks_tools", field: null },
      reason: "It does not support tools, which the request has.",
    },
  ]);
  const key = await token("requests:read");
  expect((await ask(`GET requests/${id}`, undefined, { key })).body).not.toHaveProperty("decisions");
});
