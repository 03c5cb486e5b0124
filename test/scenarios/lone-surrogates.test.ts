// Halves of surrogate pairs in a request reach no upstream: they are no characters, and servers refuse them.
import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  clearUpstreams,
  startUpstreams,
  startWorld,
  stopWorld,
  type UpstreamName,
} from "../support/fixture-gateway.ts";
import { make, type Surface } from "../support/http-client.ts";

const upstreams = await startUpstreams();
const world = await startWorld(upstreams);
beforeEach(() => clearUpstreams(upstreams));
afterAll(() => stopWorld(world));

const half = "\\ud83d";
const inner = JSON.stringify(`{"q":"x${half}"}`);
const bodies: readonly [Surface, string][] = [
  [
    "chat",
    `"messages":[{"role":"user","content":"x${half}"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"q\\":\\"x${half}\\"}"}}]},{"role":"tool","tool_call_id":"a","content":"x${half}"}]`,
  ],
  [
    "messages",
    `"max_tokens":9,"messages":[{"role":"user","content":"x${half}"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"q":"x${half}"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x${half}"}]}]`,
  ],
  [
    "responses",
    `"input":[{"role":"user","content":"x${half}"},{"type":"function_call","call_id":"a","name":"f","arguments":"{\\"q\\":\\"x${half}\\"}"},{"type":"function_call_output","call_id":"a","output":"x${half}"}]`,
  ],
];
const models: readonly [UpstreamName, string][] = [
  ["alpha", "gpt-x"],
  ["claude", "claude-x"],
  ["responder", "gpt-r"],
  ["google", "gemini-x"],
];
const crossings = bodies.flatMap(([client, body]) => models.map(([far, model]) => [client, far, model, body] as const));

/** Arguments may be JSON within JSON: a half may be escaped twice. */
const halves = /\\+ud83d/i;

test.each(crossings)("from %s to %s, translated or passed through", async (client, far, model, body) => {
  await make({ to: client, rawBody: `{"model":"${model}",${body}}` }, world);
  const sent = upstreams[far].requests.at(-1)?.text ?? "";
  expect(sent).not.toMatch(halves);
  expect(sent.split("x\ufffd").length - 1).toBe(3);
});

test("pairs, and words about escapes, stay as they are", async () => {
  const content = `😀 \\ud83d\\ude00 ${inner.slice(1, -1)}`;
  await make({ rawBody: `{"model":"gpt-x","messages":[{"role":"user","content":"${content}"}]}` }, world);
  const expected: unknown = JSON.parse(`"${content}"`);
  expect(upstreams.alpha.requests[0]?.json).toMatchObject({ messages: [{ content: expected }] });
});

test("in bodies that are written in several turns too", async () => {
  const content = `${"a".repeat(300_000)}x${half}`;
  const message = `{"role":"user","content":"${content}"}`;
  await make({ rawBody: `{"model":"gpt-x","messages":[${message},${message}]}` }, world);
  const sent = upstreams.alpha.requests[0]?.text ?? "";
  expect([sent.match(halves), sent.split("x\ufffd").length]).toEqual([null, 3]);
});
