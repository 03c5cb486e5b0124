// The official SDK reads what this dialect writes: whole replies and streams, through its own accumulator with all its checks.
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Block, FinishReason } from "../../../src/canonical/chat.ts";
import { GatewayError } from "../../../src/canonical/error.ts";
import { streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { compactionFrames, compactionItem } from "../../../src/dialects/openai-responses/compact.ts";
import { type Frame, formatFrame } from "../../../src/lib/sse.ts";
import { streams } from "../../support/arbitraries.ts";
import { openaiClient } from "../../support/clients.ts";
import { wireText } from "../../support/fixtures.ts";
import { dialect, framesFor, writeContext } from "./helpers.ts";
import { answerOf, can, signature, usage } from "./replies.ts";

let body = "";
let type = "text/event-stream";
const server = Bun.serve({ port: 0, fetch: () => new Response(body, { headers: { "content-type": type } }) });
const client = openaiClient(`http://localhost:${server.port}`, "none");
afterAll(() => server.stop(true));

/** The events that the SDK saw, and the response that it made of them. */
async function receive(frames: Frame[] | string, more: object = {}) {
  type = "text/event-stream";
  body = typeof frames === "string" ? frames : frames.map(formatFrame).join("");
  const stream = client.responses.stream({ model: "m", input: "hi", ...more });
  const seen: string[] = [];
  stream.on("event", (event) => void seen.push(event.type));
  return { seen, response: await stream.finalResponse() };
}

const samples: readonly (readonly [string, Block[], FinishReason["kind"]])[] = [
  ["text", [{ type: "text", text: "Hello" }], "end"],
  ["nothing", [], "length"],
  ["refusal", [{ type: "refusal", text: "No." }], "refusal"],
  ["cut", [{ type: "text", text: "Once" }], "filter"],
  [
    "everything",
    [
      { type: "thinking", text: "Hm.", signature },
      { type: "thinking", text: "", signature, redacted: true },
      { type: "text", text: "See", citations: [{ url: "https://x", title: "X", start: 0, end: 3 }] },
      { type: "refusal", text: "but no" },
      { type: "text", text: " and more" },
      { type: "tool-call", id: "a", name: "f", kind: "function", input: '{"x":1}', signature },
      { type: "tool-call", id: "b", name: "g", kind: "function", input: "" },
      { type: "tool-call", id: "c", name: "h", kind: "custom", input: "raw" },
    ],
    "tool-use",
  ],
];

describe("streams", () => {
  test.each(samples)("%s is the response that the whole would be", async (_, blocks, stop) => {
    const canonicalResponse = answerOf(blocks, stop);
    const { seen, response } = await receive(framesFor(streamEventsOf(canonicalResponse)));
    const { output_text: text, ...rest } = response;
    expect(JSON.parse(JSON.stringify(rest))).toMatchObject(
      JSON.parse(JSON.stringify(dialect.response.render(canonicalResponse, writeContext()))),
    );
    expect(text).toBe(blocks.map((block) => (block.type === "text" ? block.text : "")).join(""));
    expect(seen[0]).toBe("response.created");
  });

  test("any stream passes every check of the accumulator", async () => {
    await fc.assert(
      fc.asyncProperty(streams(can), async (events) => {
        const { seen, response } = await receive(framesFor(events));
        expect(seen.length).toBeGreaterThan(2);
        expect(["completed", "incomplete"]).toContain(response.status ?? "");
      }),
      { numRuns: 40 },
    );
  });

  test("an error after some text resolves as failed, with the text so far", async () => {
    const events = [...streamEventsOf(answerOf([{ type: "text", text: "Hello" }]))].slice(0, 3);
    const error = new GatewayError("upstream_reset", "The upstream's stream ended before the reply was complete.");
    const { response } = await receive(framesFor([...events, { type: "error", error }]));
    expect(response).toMatchObject({ status: "failed", error: { code: "server_error" }, output_text: "Hello" });
  });

  test("the failed response of a stream whose writer is not at hand is read as one", async () => {
    const begun = framesFor([{ type: "start", id: "x", model: "m" }]);
    const error = new GatewayError("upstream_overloaded", "Busy.");
    const { response } = await receive([...begun, ...dialect.error.frames(error, "req-1")]);
    expect(response).toMatchObject({ status: "failed", error: { code: "server_is_overloaded", message: "Busy." } });
  });

  test("exactly one compaction item", async () => {
    const item = compactionItem("resp_1", 0, "gwc1.abc");
    const { response } = await receive(compactionFrames({ item, usage, model: "m" }, writeContext()));
    expect(response).toMatchObject({ status: "completed", output: [item] });
  });
});

test.each(samples)("a whole reply of %s", async (_, blocks, stop) => {
  type = "application/json";
  body = JSON.stringify(dialect.response.render(answerOf(blocks, stop), writeContext()));
  const response = await client.responses.create({ model: "m", input: "hi" });
  expect(response.output_text).toBe(blocks.map((block) => (block.type === "text" ? block.text : "")).join(""));
  expect(response.usage?.total_tokens).toBe(130);
});

test.each(["text", "tools", "reasoning", "custom-tool", "web-search", "refusal", "length"])(
  "the fixture %s is what a provider sends: the SDK reads it",
  async (name) => {
    const { response } = await receive(wireText(`openai-responses/${name}.sse`));
    expect(JSON.parse(JSON.stringify(response))).toMatchObject(JSON.parse(wireText(`openai-responses/${name}.json`)));
  },
);
