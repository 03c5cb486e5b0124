// Upstreams that answer with a task, asked within one request: how a task is followed, and DashScope's own over sockets.
import { describe, expect, test } from "bun:test";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { pollUntilDone, type TaskPolling } from "../../src/providers/task-polling.ts";
import { at } from "../support/chat-stream-reader.ts";
import { imageSetting, message } from "./setting.ts";
import { dot } from "./upstream-dialects.ts";

const follow: TaskPolling = {
  dialect: {} as Dialect,
  next: (reply) => (typeof reply.next === "string" ? reply.next : null),
  waitsMs: [10, 20],
  mostMs: 150,
};
const reply = (body: object, status = 200) => Response.json(body, { status });

/** Follows from a first reply through these answers; an Error is a connection that failed. */
async function run(first: Response, answers: readonly (Response | Error)[], signal = new AbortController().signal) {
  const waits: number[] = [];
  const requested: string[] = [];
  let nowMs = 0;
  const last = await pollUntilDone(
    first,
    follow,
    {
      clock: { monotonicMs: () => nowMs },
      ask: async (path) => {
        requested.push(path);
        const answer = answers[requested.length - 1] ?? reply({ next: "again" });
        if (answer instanceof Error) throw answer;
        return answer.clone() as Response;
      },
      wait: async (ms, given) => {
        if (given.aborted) throw given.reason;
        waits.push(ms);
        nowMs += ms;
      },
    },
    signal,
  );
  return { status: last.status, body: await last.json(), waits, requested };
}

describe("a task", () => {
  test("that is done is answered at once, byte for byte", async () => {
    expect(await run(reply({ done: "ü" }), [])).toMatchObject({ body: { done: "ü" }, requested: [], waits: [] });
  });

  test("is asked for at the paths that its replies name, ever more slowly", async () => {
    const result = await run(reply({ next: "a" }), [reply({ next: "b" }), reply({ next: "b" }), reply({ done: 1 })]);
    expect(result).toEqual({ status: 200, body: { done: 1 }, waits: [10, 20, 20], requested: ["a", "b", "b"] });
  });

  test("that was refused is not followed", async () => {
    expect(await run(reply({ next: "a" }, 400), [])).toMatchObject({ status: 400, requested: [] });
  });

  test("outlives two failures in a row, and as many again after an answer", async () => {
    const broken = new Error("reset");
    const busy = reply({}, 503);
    const answers = [broken, busy, reply({ next: "b" }), busy, broken, reply({ done: 1 })];
    expect(await run(reply({ next: "a" }), answers)).toMatchObject({
      body: { done: 1 },
      requested: ["a", "a", "a", "b", "b", "b"],
    });
  });

  test("is given up at the third failure in a row, with what was said then", async () => {
    expect(await run(reply({ next: "a" }), [reply({}, 503), reply({}, 429), reply({ why: 1 }, 500)])).toMatchObject({
      status: 500,
      body: { why: 1 },
    });
    const broken = new Error("reset");
    expect(run(reply({ next: "a" }), [broken, broken, broken])).rejects.toBe(broken);
  });

  test("whose answer is a refusal ends there", async () => {
    expect(await run(reply({ next: "a" }), [reply({ why: 1 }, 404)])).toMatchObject({ status: 404, requested: ["a"] });
  });

  test("has a bound in time", async () => {
    expect(run(reply({ next: "a" }), [])).rejects.toMatchObject({ kind: "upstream_timeout", status: 504 });
  });

  test("is left when the client leaves", async () => {
    const leaving = new AbortController();
    leaving.abort(new Error("gone"));
    expect(run(reply({ next: "a" }), [], leaving.signal)).rejects.toThrow("gone");
  });
});

const { up, url, ask, openai, gateway } = await imageSetting();
const submit = "POST /api/v1/services/aigc/text2image/image-synthesis";
const poll = "GET /api/v1/tasks/task-1";
const task = (output: object, more: object = {}) => ({
  json: { output: { task_id: "task-1", ...output }, request_id: "r", ...more },
});
const model = "wan2.2-t2i-flash";

test("a task becomes one answer", async () => {
  up.on(submit, task({ task_status: "PENDING" }));
  const results = [
    { url, orig_prompt: "a fox", actual_prompt: "A red fox." },
    { code: "InternalError", message: "Oh." },
  ];
  up.on(poll, task({ task_status: "SUCCEEDED", results }, { usage: { image_count: 1 } }));
  const parameters = { size: "1024x1024", negative_prompt: "dogs", watermark: false, prompt_extend: true, n: 2 };
  const { status, body } = await ask("/v1/images/generations", message(model, [{ text: "a fox" }], parameters));
  expect({ status, data: body["data"] }).toEqual({ status: 200, data: [{ url, revised_prompt: "A red fox." }] });
  const [submitted, polled] = up.requests;
  expect(submitted?.json).toEqual({
    model,
    input: { prompt: "a fox", negative_prompt: "dogs" },
    parameters: { size: "1024*1024", n: 2, prompt_extend: true, watermark: false },
  });
  expect(submitted?.headers.get("x-dashscope-async")).toBe("enable");
  expect(polled?.headers.get("authorization")).toBe("Bearer canary-dashscope");
  expect(at(polled, "method")).toBe("GET");
});

test("an edit is a task on a path of its own, and bytes are brought from the result", async () => {
  up.on(
    "POST /api/v1/services/aigc/image2image/image-synthesis",
    task({ task_status: "SUCCEEDED", results: [{ url }] }),
  );
  const images = [{ image_url: "https://example.com/a.png" }];
  const { body } = await ask("/v1/images/edits", { model, prompt: "x", images, response_format: "b64_json" });
  expect(body["data"]).toEqual([{ b64_json: dot }]);
  expect(up.requests[0]?.json).toMatchObject({
    input: { prompt: "x", images: ["https://example.com/a.png"] },
    parameters: { n: 1 },
  });
});

test.each([
  {
    output: { task_status: "FAILED", code: "DataInspectionFailed", message: "No." },
    expected: { status: 400, code: "content_policy_violation" },
  },
  {
    output: { task_status: "FAILED", code: "InvalidParameter.Size", message: "No." },
    expected: { status: 400, code: "InvalidParameter.Size" },
  },
  {
    output: { task_status: "FAILED", code: "InternalError.Timeout", message: "No." },
    expected: { status: 504, code: "upstream_timeout" },
  },
  { output: { task_status: "FAILED" }, expected: { status: 502, code: "upstream_failed" } },
  { output: { task_status: "CANCELED" }, expected: { status: 502, code: "upstream_failed" } },
  { output: { task_status: "UNKNOWN" }, expected: { status: 502, code: "upstream_failed" } },
  {
    output: { task_status: "SUCCEEDED", results: [{ code: "DataInspectionFailed", message: "No." }] },
    expected: { status: 400, code: "content_policy_violation" },
  },
])("a task that ends as $output.task_status $output.code is $expected.status", async ({ output, expected }) => {
  up.on(submit, task(output));
  const { status, body } = await ask("/v1/images/generations", { model, prompt: "x" });
  expect({ status, ...(body["error"] as object) }).toMatchObject(expected);
});

test("a client that leaves ends the questions", async () => {
  up.on(submit, task({ task_status: "RUNNING" }));
  up.on(poll, { ending: "hang", head: "" });
  const leaving = new AbortController();
  const requested = openai.images
    .generate({ model, prompt: "x" }, { signal: leaving.signal })
    .catch((thrown: Error) => thrown.name);
  const polled = await up.seen(1);
  leaving.abort();
  await requested;
  expect(await polled.aborted).toBeGreaterThan(0);
  expect(up.requests).toHaveLength(2);
  expect(gateway.url).toContain("127.0.0.1");
});
