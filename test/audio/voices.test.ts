// Voices of an account: standard names are given to voices that it has, voices are asked for by their names, refusals say why.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { type Upstream, upstream } from "../support/upstream.ts";
import { lossesOf, mp3, plain } from "./sounds.ts";

const behind: Upstream = await upstream();
let running: RunningGateway | null = null;

/** A gateway that has read no list yet. */
async function fresh(): Promise<RunningGateway> {
  await running?.stop();
  const entry = (kind: string, more: string) =>
    `  ${kind}: { kind: ${kind}, base_url: "${behind.url}", credential: "canary-key", models: []${more} }\n`;
  running = await gateway({
    yaml: `providers:\n${entry("elevenlabs", "")}${entry("azure-speech", ", region: westeurope")}`,
  });
  return running;
}

beforeEach(() => behind.clear());
afterAll(async () => {
  await running?.stop();
  await behind.stop();
});

async function speak({ url, key }: RunningGateway, model: string, voice: string): Promise<Response> {
  return fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "Hello there.", voice, response_format: "mp3" }),
  });
}

describe("ElevenLabs", () => {
  const model = "elevenlabs/eleven_flash_v2_5";
  const voices = (...rows: [id: string, name: string, gender: string, category?: string][]) =>
    behind.on("GET /v1/voices", {
      json: {
        voices: rows.map(([voice_id, name, gender, category = "generated"]) => ({
          ...{ voice_id, name, category },
          labels: { gender },
        })),
      },
    });
  const spoken = () => behind.requests.flatMap(({ path }) => /^\/v1\/text-to-speech\/([^/]+)/.exec(path)?.[1] ?? []);

  test("a standard name is given to a voice that the account has, always to the same one", async () => {
    voices(
      ["lib", "Star", "female", "professional"],
      ["anna", "Anna - Warm, Clear", "female"],
      ["otto", "Otto", "male"],
    );
    behind.on("*", plain(mp3, "audio/mpeg"));
    const to = await fresh();
    const answers = [];
    for (const voice of ["alloy", "onyx", "alloy"]) answers.push(await speak(to, model, voice));
    expect(answers.map((answer) => [answer.status, lossesOf(answer)])).toEqual(
      Array(3).fill([200, "approximated;field=voice"]),
    );
    expect(spoken()).toEqual(["anna", "otto", "anna"]);
    expect(behind.requests.filter(({ path }) => path === "/v1/voices")).toHaveLength(1);
    expect(behind.requests[0]?.headers.get("xi-api-key")).toBe("canary-key");
  });

  test("a default voice that the account has is used without a warning", async () => {
    voices(["anna", "Anna", "female"], ["SAz9YHcvj6GT2YYXdXww", "River", "neutral", "premade"]);
    behind.on("*", plain(mp3, "audio/mpeg"));
    const answer = await speak(await fresh(), model, "alloy");
    expect([answer.status, lossesOf(answer), spoken()]).toEqual([200, null, ["SAz9YHcvj6GT2YYXdXww"]]);
  });

  test("a voice of the account is found by its name or its id; another one is refused", async () => {
    voices(["v1", "Anna - Warm, Clear", "female"]);
    behind.on("*", plain(mp3, "audio/mpeg"));
    const to = await fresh();
    expect((await speak(to, model, "anna")).status).toBe(200);
    expect((await speak(to, model, "v1")).status).toBe(200);
    const refused = await speak(to, model, "bertha");
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: "voice" } }]);
    expect(spoken()).toEqual(["v1", "v1"]);
  });

  test("without a list the built-in voice speaks", async () => {
    behind.on("GET /v1/voices", { status: 403, json: { detail: "no permission" } });
    behind.on("*", plain(mp3, "audio/mpeg"));
    const to = await fresh();
    expect((await speak(to, model, "alloy")).status).toBe(200);
    expect(spoken()).toEqual(["SAz9YHcvj6GT2YYXdXww"]);
    expect(to.log.filter((line) => line.includes("model_list_failed"))).toHaveLength(1);
  });

  test("a voice that the plan does not include is refused in the provider's words", async () => {
    voices(["v1", "Anna", "female"]);
    const message =
      "Free users cannot use library voices via the API. Please upgrade your subscription to use this voice.";
    const detail = { type: "payment_required", code: "paid_plan_required", message, status: "payment_required" };
    behind.on("*", { status: 402, json: { detail } });
    const answer = await speak(await fresh(), model, "alloy");
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: "paid_plan_required", message, param: "voice" } },
    ]);
  });

  test("an account that has not paid is the operator's matter", async () => {
    voices(["v1", "Anna", "female"]);
    const detail = { type: "payment_required", code: "payment_issue", message: "Your last invoice is not paid." };
    behind.on("*", { status: 402, json: { detail } });
    expect((await speak(await fresh(), model, "alloy")).status).toBe(502);
  });
});

describe("Azure's speech service", () => {
  const voices = (...names: [name: string, gender: string][]) =>
    behind.on("GET /cognitiveservices/voices/list", {
      json: names.map(([ShortName, Gender]) => ({ ShortName, Gender, DisplayName: ShortName, Locale: "en-US" })),
    });
  const spoken = () => behind.requests.flatMap(({ text }) => /<voice name="([^"]+)"/.exec(text)?.[1] ?? []);
  const model = "azure-speech/neural";

  test.each([
    [[["en-US-AlloyMultilingualNeural", "Female"]], "en-US-AlloyMultilingualNeural", null],
    [
      [
        ["en-US-GuyNeural", "Male"],
        ["en-US-EvelynMultilingualNeural", "Female"],
      ],
      "en-US-EvelynMultilingualNeural",
      "approximated;field=voice",
    ],
    [
      [
        ["de-DE-KatjaNeural", "Female"],
        ["en-US-SomeMultilingualNeural", "Female"],
      ],
      "en-US-SomeMultilingualNeural",
      "approximated;field=voice",
    ],
  ] as [[string, string][], string, string | null][])("a region that has %j", async (names, voice, warnings) => {
    voices(...names);
    behind.on("*", plain(mp3, "audio/mpeg"));
    const answer = await speak(await fresh(), model, "alloy");
    expect([answer.status, spoken(), lossesOf(answer)]).toEqual([200, [voice], warnings]);
  });

  test("without a list a voice speaks that every region has", async () => {
    behind.on("GET /cognitiveservices/voices/list", { status: 500, json: {} });
    behind.on("*", plain(mp3, "audio/mpeg"));
    const answer = await speak(await fresh(), model, "onyx");
    expect([spoken(), lossesOf(answer)]).toEqual([["en-US-DavisMultilingualNeural"], "approximated;field=voice"]);
  });
});
