// What a transcription takes and what it refuses, on each side of each bound, and how errors of the upstream are told.
import { describe, expect, test } from "bun:test";
import { setting } from "../http/setting.ts";
import { formOf, type Part, smallest, wavFile } from "./transcription-forms.ts";

const { world, bearer, send } = await setting();
const { alpha } = world.upstreams;
const path = "POST /v1/audio/transcriptions";
const bare = { text: "Hello there." };

const transcribe = (parts: readonly Part[], to = "/v1/audio/transcriptions") =>
  send(to, { method: "POST", headers: bearer, body: formOf(parts) });
const errorOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: Record<string, unknown> };
  return { status: answer.status, param: error["param"], code: error["code"] };
};

describe("bounds", () => {
  const most = 26_214_400;
  const file = (bytes: number, type = "audio/wav") => new File([new Uint8Array(bytes)], "a.wav", { type });
  const without = (name: string) => smallest.filter(([each]) => each !== name);

  test.each<{ parts: Part[] }>([
    { parts: [["temperature", "0"]] },
    { parts: [["temperature", "1"]] },
    { parts: [["language", "de"]] },
    { parts: [["prompt", ""]] },
    { parts: [["timestamp_granularities[]", "word"]] },
    { parts: [["stream", "0"]] },
    { parts: [["chunking_strategy", "auto"]] },
  ])("case %# is taken", async ({ parts }) => {
    alpha.on(path, { json: bare });
    expect((await transcribe([...smallest, ...parts])).status).toBe(200);
  });

  test.each<{ param: string | null; parts: readonly Part[]; status?: number }>([
    { param: "file", parts: without("file") },
    { param: "file", parts: [...without("file"), ["file", "a text"]] },
    { param: "file", parts: [...without("file"), ["file", file(0)]] },
    { param: "file", parts: [...smallest, ["file", wavFile]] },
    { param: "file", parts: [...without("file"), ["file", file(most + 1)]], status: 413 },
    { param: "model", parts: without("model") },
    { param: "model", parts: [...without("model"), ["model", ""]] },
    { param: "temperature", parts: [...smallest, ["temperature", "1.01"]] },
    { param: "temperature", parts: [...smallest, ["temperature", "-0.1"]] },
    { param: "temperature", parts: [...smallest, ["temperature", "warm"]] },
    { param: "response_format", parts: [...smallest, ["response_format", "docx"]] },
    { param: "timestamp_granularities[0]", parts: [...smallest, ["timestamp_granularities[]", "letter"]] },
    { param: "include[0]", parts: [...smallest, ["include[]", "everything"]] },
    { param: "stream", parts: [...smallest, ["stream", "perhaps"]] },
  ])("$param, case %#, is refused", async ({ param, parts, status = 400 }) => {
    expect(await errorOf(await transcribe(parts))).toMatchObject({ status, param });
    expect(alpha.requests).toHaveLength(0);
  });

  test("the largest file is taken", async () => {
    alpha.on(path, (line) => line.play({ json: { text: String(line.request.text.length) } }));
    const reply = (await (
      await transcribe([
        ["model", "gpt-x"],
        ["file", file(most)],
      ])
    ).json()) as { text: string };
    expect(Number(reply.text)).toBeGreaterThan(most);
  });

  test.each([
    { body: "{}", type: "application/json", status: 415 },
    { body: "", type: "multipart/form-data", status: 400 },
    { body: "--b", type: "multipart/form-data; boundary=b", status: 400 },
  ])("case %# is no form", async ({ body, type, status }) => {
    const answer = await send("/v1/audio/transcriptions", {
      method: "POST",
      headers: { ...bearer, "content-type": type },
      body,
    });
    expect(answer.status).toBe(status);
  });
});

describe("errors", () => {
  test.each([
    {
      reply: {
        status: 400,
        json: { error: { message: "bad audio", type: "invalid_request_error", param: "file", code: "bad" } },
      },
      expected: { status: 400, param: "file", code: "bad" },
    },
    {
      reply: { json: { error: { message: "no", type: "invalid_request_error", code: "x" } } },
      expected: { status: 400, code: "x" },
    },
    { reply: { status: 401, json: { error: { message: "key canary-alpha" } } }, expected: { status: 502 } },
    { reply: { status: 503, text: "busy" }, expected: { status: 503 } },
  ])("case %# is the gateway's own", async ({ reply, expected }) => {
    alpha.on(path, reply);
    expect(await errorOf(await transcribe(smallest))).toMatchObject(expected);
  });

  test("a model of nobody is unknown", async () => {
    expect(
      await errorOf(
        await transcribe([
          ["model", "nobody"],
          ["file", wavFile],
        ]),
      ),
    ).toMatchObject({ status: 404 });
  });
});
