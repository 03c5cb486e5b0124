// The passthrough: the client's own wire goes on.
import { expect, test } from "bun:test";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { envelopeOf } from "../../support/laws.ts";
import { clientContext, dialect } from "./bench.ts";

const context = { ...clientContext, model: "upstream-name" };
const callOf = (wire: JsonObject, headers: Record<string, string> = {}) =>
  dialect.passthrough.render(wire, context, envelopeOf(headers));

test("only the model changes, and nothing is copied that need not be", () => {
  const wire = wireJson<JsonObject>("anthropic-messages/agent-request.json");
  const { path, body } = callOf({ ...wire, tomorrow: { kept: true } });
  expect(path).toBe("v1/messages");
  expect(body).toEqual({ ...wire, tomorrow: { kept: true }, model: "upstream-name" });
  expect(body["messages"]).toBe(wire["messages"]);
});

const headers: [Record<string, string>, Record<string, string>][] = [
  [{}, { "anthropic-version": "2023-06-01" }],
  [{ "anthropic-version": "2026-10-21" }, { "anthropic-version": "2026-10-21" }],
  [{ "vendor-version": "2024-01-01", "anthropic-version": "x" }, { "anthropic-version": "2024-01-01" }],
  [
    { "anthropic-version": "v", "anthropic-beta": "a,b", "x-other": "1" },
    { "anthropic-version": "v", "anthropic-beta": "a,b" },
  ],
];

test.each(headers)("headers %j", (given, sent) => {
  expect(callOf({ messages: [] }, given).headers).toEqual(sent);
});

test.each([
  ["some-model", { temperature: 0.5 }, "2023-06-01"],
  ["claude-opus-4-6", { top_p: 1 }, "2023-06-01"],
  ["claude-opus-4-6", { top_k: 5 }, "2023-06-01"],
  ["claude-opus-4-6", { temperature: null }, "2026-10-21"],
  ["claude-opus-4-7", { temperature: 0.5 }, "2026-10-21"],
])("the newer version refuses sampling: %s with %j is asked under %s", (model, sampling, version) => {
  const envelope = envelopeOf({ "anthropic-version": "2026-10-21" });
  const call = dialect.passthrough.render({ messages: [], ...sampling }, { ...context, model }, envelope);
  expect(call.headers).toEqual({ "anthropic-version": version });
  expect(call.body).toMatchObject(sampling);
});

test("envelopes: own state is opened in place, foreign state goes with its block", () => {
  const thought = (signature: string) => ({ type: "thinking", thinking: "hm", signature });
  const own = wrapProviderState({ origin: "anthropic", data: "own" });
  const foreign = wrapProviderState({ origin: "openai", data: "x" });
  const none = wrapProviderState({ origin: "none", data: "" });
  const text = { type: "text", text: "a" };
  const madeUp = { type: "web_search_result_location", encrypted_index: foreign };
  const real = { type: "web_search_result_location", encrypted_index: "Eo8B" };
  const user = { role: "user", content: "q" };
  const assistant = (...content: JsonObject[]) => ({ role: "assistant", content });
  const wire = {
    messages: [
      user,
      assistant(thought("bare"), thought(own), thought(foreign), thought(none), text),
      user,
      assistant({ type: "redacted_thinking", data: own }, { type: "redacted_thinking", data: foreign }),
      user,
      assistant({ ...text, citations: [madeUp, real] }, { ...text, citations: [madeUp] }),
      assistant(thought(foreign)),
      user,
    ],
  };
  const before = JSON.stringify(wire);
  expect(JSON.parse(JSON.stringify(callOf(wire).body["messages"]))).toEqual([
    user,
    assistant(thought("bare"), thought("own"), text),
    user,
    assistant({ type: "redacted_thinking", data: "own" }),
    user,
    assistant({ ...text, citations: [real] }, text),
    user,
  ]);
  expect(JSON.stringify(wire)).toBe(before);
});
