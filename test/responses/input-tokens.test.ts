// Input tokens of a response request: counted by a provider that has a counter, estimated elsewhere, history included.
import { expect, test } from "bun:test";
import { type Far, fars, refusalOf, setting } from "./setting.ts";

const { mine, theirs, allSay, upstreamRequest, make, send, world } = await setting();
const [alpha, claude, responder] = fars as readonly [Far, Far, Far];
const { upstreams } = world;

test("a provider of this format is asked, with what it accepts", async () => {
  upstreams.responder.on("POST /v1/responses/input_tokens", {
    json: { object: "response.input_tokens", input_tokens: 41 },
  });
  const ask = {
    instructions: "Be brief.",
    input: "hi",
    reasoning: { effort: "low" as const },
    store: true,
    stream: true,
  };
  const counted = await mine.responses.inputTokens.count({ model: responder.model, ...ask });
  expect({ ...counted }).toMatchObject({ object: "response.input_tokens", input_tokens: 41 });
  expect(upstreamRequest(responder)).toEqual({
    model: "gpt-r",
    instructions: "Be brief.",
    input: "hi",
    reasoning: { effort: "low" },
  });
});

test("stored history is part of what is counted", async () => {
  allSay("text.json");
  const first = await make(responder, "one");
  upstreams.responder.clear();
  upstreams.responder.on("*", { json: { object: "response.input_tokens", input_tokens: 7 } });
  const continued = { model: responder.model, input: "two", previous_response_id: first.id };
  await mine.responses.inputTokens.count(continued);
  const sent = upstreamRequest(responder)["input"] as { content: unknown }[];
  expect(JSON.stringify(sent.map(({ content }) => content))).toMatch(/one.*Hello there.*two/);
  expect(upstreamRequest(responder)).not.toHaveProperty("previous_response_id");
  expect(await refusalOf(theirs.responses.inputTokens.count(continued))).toMatchObject({
    status: 400,
    code: "previous_response_not_found",
  });
});

test("elsewhere it is estimated, and grows with the history", async () => {
  allSay("text.json");
  const first = await make(alpha, "one");
  const count = async (body: object) => {
    const response = await send("/v1/responses/input_tokens", { method: "POST", body: JSON.stringify(body) });
    return {
      tokens: ((await response.json()) as { input_tokens: number }).input_tokens,
      by: response.headers.get("x-turnpike-provider"),
    };
  };
  const single = await count({ model: alpha.model, input: "two" });
  const continued = await count({ model: alpha.model, input: "two", previous_response_id: first.id });
  expect([single.by, continued.by]).toEqual(["estimate", "estimate"]);
  expect(single.tokens).toBeGreaterThan(0);
  expect(continued.tokens).toBeGreaterThan(single.tokens);
});

test("the counter of another format is asked in its own words", async () => {
  upstreams.claude.on("POST /v1/messages/count_tokens", { json: { input_tokens: 12 } });
  const counted = await mine.responses.inputTokens.count({ model: claude.model, input: "hi" });
  expect(counted.input_tokens).toBe(12);
  expect(upstreamRequest(claude)).toMatchObject({ messages: [{ role: "user" }] });
});

test("a client of another format is counted by this counter, whatever bounds its reply has", async () => {
  upstreams.responder.on("POST /v1/responses/input_tokens", {
    json: { object: "response.input_tokens", input_tokens: 9 },
  });
  const response = await send("/v1/messages/count_tokens", {
    method: "POST",
    headers: { "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: responder.model,
      stop_sequences: ["END"],
      messages: [{ role: "user", content: "hi" }],
    }),
  });
  expect(await response.json()).toEqual({ input_tokens: 9 });
  expect(Object.keys(upstreamRequest(responder)).sort()).toEqual(["input", "model"]);
});

test("what is missing is named", async () => {
  expect(await refusalOf(mine.responses.inputTokens.count({ model: alpha.model }))).toMatchObject({
    status: 400,
    param: "input",
  });
});
