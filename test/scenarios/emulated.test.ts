// What the gateway does itself where the upstream cannot: several choices, stop texts that it does not take.
import { expect } from "bun:test";
import { says } from "../support/fixtures.ts";
import type { Call } from "../support/http-client.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";

const toClaude = (more: object): Call => ({ body: { model: "claude-x", ...more } });
const text = "anthropic-messages/text";

const rows: Scenario[] = [
  {
    name: "two choices of an upstream that gives one are two calls, numbered and summed",
    call: toClaude({ n: 2 }),
    upstream: { claude: says(`${text}.json`) },
    sees: {
      body: {
        choices: [
          { index: 0, finish_reason: "stop" },
          { index: 1, finish_reason: "stop" },
        ],
      },
    },
    requested: { claude: [{}, {}] },
    ledger: { state: "completed", attempts: 1 },
  },
  {
    name: "streamed, each choice has its number and one finish, and there is one end",
    call: toClaude({ n: 2, stream: true, stream_options: { include_usage: true } }),
    upstream: { claude: says(`${text}.sse`) },
    sees: { result: { text: "Hello there, traveller.Hello there, traveller.", isEnded: true } },
    requested: { claude: [{}, {}] },
    also: (received) => {
      const finishes = received.text.match(/"finish_reason":"stop"/g);
      expect([finishes?.length, received.text.match(/\[DONE\]/g)?.length]).toEqual([2, 1]);
      expect(received.text).toContain('"index":1');
    },
  },
  {
    name: "one of two calls that fails is the failure of both",
    call: toClaude({ n: 2 }),
    upstream: { claude: [says(`${text}.json`), says("anthropic-messages/error-500.json")] },
    sees: { status: 502, error: { type: "upstream_error" } },
  },
  {
    name: "a stop text of white space is watched by the gateway",
    call: toClaude({ stop: ["re, t", " "] }),
    upstream: { claude: says(`${text}.json`) },
    sees: {
      result: { text: "Hello", stop: "stop" },
      headers: { "x-turnpike-warnings": /emulated;field=stop/ },
    },
    requested: { claude: [{ body: { stop_sequences: ["re, t"] } }] },
  },
  {
    name: "streamed, the text ends at the stop, wherever the stream was cut",
    call: toClaude({ stop: [" "], stream: true }),
    upstream: { claude: says(`${text}.sse`, { cutAt: "byte" }) },
    sees: { result: { text: "Hello", stop: "stop", isEnded: true } },
  },
];

scenarios("emulated", rows);
