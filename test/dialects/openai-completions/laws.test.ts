// The laws: what is rendered parses back, what is written reads back, the cut of the bytes does not matter.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import type { ChatRequest } from "../../../src/canonical/chat.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import { openaiCompletions } from "../../../src/dialects/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { formatFrame } from "../../../src/lib/sse.ts";
import { answers, type Can, streams, words } from "../../support/arbitraries.ts";
import { wireText } from "../../support/fixtures.ts";
import {
  answersRoundTrip,
  cutsDoNotMatter,
  envelopeOf,
  lawModel,
  readAll,
  requestsRoundTrip,
  streamsRoundTrip,
  writeAll,
} from "../../support/laws.ts";
import { context, parse, thrown } from "./helpers.ts";

const can: Can = {
  thinking: false,
  signature: false,
  choices: true,
  createdAt: true,
  cacheWrite: true,
  reasoningTokens: true,
  stops: ["end", "length", "filter"],
};
const streamAsk: ChatRequest = { ...parse({ stream: true }), includeUsage: true };

const prompts: fc.Arbitrary<Json> = fc.oneof(
  words,
  fc.constantFrom<Json>("", null),
  fc.array(words, { minLength: 2, maxLength: 3 }),
  fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 }),
);
const wires: fc.Arbitrary<JsonObject> = fc.record(
  {
    model: fc.constant(lawModel),
    prompt: prompts,
    max_tokens: fc.nat({ max: 9999 }),
    temperature: fc.constantFrom(0, 0.5, 2),
    top_p: fc.constantFrom(0, 1),
    presence_penalty: fc.constantFrom(-2, 2),
    seed: fc.integer(),
    logit_bias: fc.constant({ "1": -100 }),
    stop: fc.array(words, { minLength: 1, maxLength: 4 }),
    n: fc.integer({ min: 2, max: 128 }),
    best_of: fc.integer({ min: 1, max: 20 }),
    echo: fc.constant(true),
    suffix: words,
    logprobs: fc.integer({ min: 0, max: 5 }),
    user: words,
  },
  { requiredKeys: ["model", "prompt"] },
);

/** Only text: this wire has no calls and no thinking. */
const textOnly = (blocks: readonly { type: string }[]) => blocks.every(({ type }) => type === "text");
const plainAnswers = answers(can).filter(({ choices }) => choices.every(({ blocks }) => textOnly(blocks)));
const plainStreams = streams({ ...can, choices: false }).filter((events) =>
  events.every((event) => event.type !== "block-start" || event.open.kind === "text"),
);

describe("laws", () => {
  test("requests come back", () => {
    // Said in the order in which this dialect says it, because extras keep the order of the wire.
    const asks = wires.map((wire) => parse(openaiCompletions.request.render(parse(wire), context()).call.body));
    requestsRoundTrip(openaiCompletions, asks);
  });

  test("what is rendered passes the schema, and is what the client said", () => {
    const validator = Compile(openaiCompletions.request.schema);
    fc.assert(
      fc.property(wires, (wire) => {
        const { body } = openaiCompletions.request.render(parse(wire), context()).call;
        expect(validator.Errors(body)).toEqual([]);
        expect(body).toEqual(wire);
      }),
    );
  });

  test("the parts of a request together are the request", () => {
    fc.assert(
      fc.property(wires, (wire) => {
        const parts = openaiCompletions.request.split?.(wire) ?? [];
        const wirePrompt = parts.length === 1 ? parts[0]?.prompt : parts.map(({ prompt }) => prompt ?? null);
        expect(wirePrompt).toEqual(wire.prompt as Json);
      }),
    );
  });

  test("replies come back", () => answersRoundTrip(openaiCompletions, plainAnswers, parse()));

  test("streams come back", () => streamsRoundTrip(openaiCompletions, plainStreams, streamAsk));

  test("the cut of the bytes does not matter (bug 30)", () => {
    const written = plainStreams.map((events) =>
      writeAll(openaiCompletions, events, streamAsk).map(formatFrame).join(""),
    );
    cutsDoNotMatter(openaiCompletions, written, { numRuns: 20 });
    const names = ["text", "two-prompts", "logprobs", "error-midstream"];
    const fixtures = names.map((name) => wireText(`openai-completions/${name}.sse`));
    cutsDoNotMatter(openaiCompletions, fc.constantFrom(...fixtures), { numRuns: 20 });
    cutsDoNotMatter(openaiCompletions, fc.constantFrom(...fixtures.map((wire) => wire.replaceAll("\n", "\r\n"))), {
      numRuns: 4,
    });
  });

  test("strange bodies, replies and records are refused in words of ours, never with a crash", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const choice = fc.record(
      { index: value, text: value, logprobs: value, finish_reason: value },
      { requiredKeys: [] },
    );
    const reply = fc.oneof(value, fc.record({ id: value, choices: fc.array(choice, { maxLength: 2 }), usage: value }));
    const calm = (act: () => unknown): void => {
      const error = thrown(act);
      expect("kind" in error || !("stack" in error)).toBe(true);
    };
    const validator = Compile(openaiCompletions.request.schema);
    fc.assert(
      fc.property(value, reply, (prompt, wire) => {
        calm(() => openaiCompletions.response.parse(wire, { origin: "m" }));
        calm(() => openaiCompletions.error.parse(400, wire));
        const events = readAll(openaiCompletions, [{ data: JSON.stringify(wire) }, { data: "[DONE]" }]);
        expect(firstStreamViolation(events)).toBeNull();
        const body = { model: "m", prompt } as JsonObject;
        if (!validator.Check(body)) return;
        calm(() => {
          const request = openaiCompletions.request.parse(body, envelopeOf());
          openaiCompletions.request.split?.(body);
          openaiCompletions.request.render(request, context());
        });
      }),
      { numRuns: 500 },
    );
  });
});
