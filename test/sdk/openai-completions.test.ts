// The official openai SDK asking for text completions of all upstream dialects: prompts, choices, echo, stop, streams.
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { says } from "../support/fixtures.ts";
import { fars } from "../translation-matrix/upstreams.ts";
import { setting, thrownBy } from "./setting.ts";

const { openai, world } = await setting();

describe.each([...fars])("text completions, upstream speaks $speaks", ({ speaks, at, model, replies }) => {
  const up = world.upstreams[at];
  const { text, usage: [input, output] = [0, 0] } = replies.text;
  const relevant = () =>
    up.requests.filter(({ path }) =>
      speaks === "openai-chat" ? path === "/v1/chat/completions" : !path.endsWith("completions"),
    );

  test("several prompts with an echo: one choice for each, in order, usage summed", async () => {
    up.on("*", says(`${speaks}/text.json`));
    const reply = await openai.completions.create({ model, prompt: ["One: ", "Two: "], echo: true, max_tokens: 50 });
    expect(reply.object).toBe("text_completion");
    expect(reply.choices.map(({ index, text: result }) => [index, result])).toEqual([
      [0, `One: ${text}`],
      [1, `Two: ${text}`],
    ]);
    expect(reply.usage).toMatchObject({ prompt_tokens: 2 * input, completion_tokens: 2 * output });
    expect(relevant()).toHaveLength(2);
  });

  test("n choices, streamed: each ends once, usage at the end", async () => {
    up.on("*", says(`${speaks}/text.sse`));
    const stream = await openai.completions.create({
      model,
      prompt: "Go: ",
      n: 2,
      max_tokens: 50,
      stream: true,
      stream_options: { include_usage: true },
    });
    const texts = ["", ""];
    const ends: number[] = [];
    let total = 0;
    for await (const { choices, usage } of stream) {
      total += usage?.total_tokens ?? 0;
      for (const choice of choices) {
        texts[choice.index] += choice.text;
        if (choice.finish_reason) ends.push(choice.index);
      }
    }
    const asks = speaks === "openai-chat" ? 1 : 2;
    expect(texts.slice(0, asks)).toEqual(Array.from({ length: asks }, () => text));
    expect(ends.sort()).toEqual([0, 1].slice(0, asks));
    expect(total).toBe(asks * (input + output));
  });

  test("a prompt of tokens and a suffix are refused by name", async () => {
    const asks = [
      [{ prompt: [1, 2, 3] }, "prompt"],
      [{ prompt: "a", suffix: "z" }, "suffix"],
      [{ prompt: "a", echo: true, logprobs: 1 }, "echo"],
      [{ prompt: "a", best_of: 3 }, "best_of"],
    ] as const;
    for (const [ask, param] of asks) {
      const thrown = await thrownBy(openai.completions.create({ model, ...ask } as never));
      expect(thrown).toBeInstanceOf(OpenAI.BadRequestError);
      expect(thrown).toMatchObject({ param, code: "unsupported_parameter" });
    }
    expect(relevant()).toHaveLength(0);
  });
});

test("natively served text completions go through as they are", async () => {
  world.upstreams.responder.clear();
  world.upstreams.responder.on("POST /v1/completions", says("openai-completions/text.json"));
  const reply = await openai.completions.create({ model: "responder/gpt-3.5-turbo-instruct", prompt: "Say this" });
  expect(reply.choices[0]?.text).toBe("\n\nThis is indeed a test");
  expect(world.upstreams.responder.requests.map(({ path }) => path)).toEqual(["/v1/completions"]);
});
