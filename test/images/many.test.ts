// Several images from upstreams that make fewer in one call: bounded calls, one answer, and what all of it cost.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { at } from "../support/chat-stream-reader.ts";
import { imageSetting, message } from "./setting.ts";
import { dot, fars, nameOf } from "./upstream-dialects.ts";

const { up, url, ask, gateway } = await imageSetting();

function unitsOfLast(): unknown {
  using database = new Database(join(gateway.dataFolder, "ledger.db"), { readonly: true });
  return database.query("select images from requests order by n desc limit 1").get();
}

/** Answers as many images as a call asks for. */
const counted = (count: (json: unknown) => unknown) => {
  for (const far of fars)
    up.on(far.route, (line) =>
      line.play(far.answers(Array.from({ length: Number(count(line.request.json) ?? 1) }, () => url))),
    );
};

test.each([
  { model: "gemini-gemini-3-pro-image", n: 3, calls: 3 },
  { model: "ark-seedream-4", n: 3, calls: 3 },
  { model: "zhipu-cogview-4", n: 2, calls: 2 },
  { model: "siliconflow-kolors", n: 5, calls: 2 },
  { model: "minimax-image-01", n: 9, calls: 1 },
  { model: "minimax-image-01", n: 10, calls: 2 },
  { model: "gemini-imagen-4", n: 5, calls: 2 },
  { model: "xai-grok-image", n: 10, calls: 1 },
  { model: "openai-dall-e-9", n: 10, calls: 1 },
  { model: "dall-e-3", n: 2, calls: 2 },
  { model: "dashscope-qwen-image-2.0", n: 6, calls: 1 },
  { model: "dashscope-qwen-image-2.0", n: 7, calls: 2 },
  { model: "qwen-image-plus", n: 2, calls: 2 },
])("$n of $model are $calls calls, in both shapes", async ({ model, n, calls }) => {
  const count = (json: unknown) =>
    at(json, "n") ?? at(json, "batch_size") ?? at(json, "parameters", "n") ?? at(json, "parameters", "sampleCount");
  for (const body of [{ model, prompt: "a fox", n }, message(model, [{ text: "a fox" }], { n })]) {
    up.clear();
    counted(count);
    const { status, body: result } = await ask("/v1/images/generations", body);
    expect({ status, images: (result["data"] as unknown[]).length }).toEqual({ status: 200, images: n });
    expect(up.requests).toHaveLength(calls);
    expect(unitsOfLast()).toEqual({ images: n });
  }
});

test("tokens of all calls are added up", async () => {
  const far = fars.find(({ model }) => model === "gemini-3-pro-image")!;
  up.on(far.route, far.answers([]));
  const { body } = await ask("/v1/images/generations", { model: nameOf(far), prompt: "a fox", n: 3 });
  expect(body["usage"]).toMatchObject({ input_tokens: 27, output_tokens: 3360 });
  expect(body["data"]).toEqual(Array.from({ length: 3 }, () => ({ b64_json: dot, revised_prompt: "Here it is." })));
});
