// Images and audio in answers of the playground, in Chromium: shown from their own bytes, saved, used again, and never loaded from elsewhere.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { axePath } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { clientKey, gateway, type RunningGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { type Reply, type Upstream, upstream } from "../support/upstream.ts";
import { faultsOf, picture } from "./looks.ts";
import { fewViews, signedIn, type View } from "./setting.ts";

const canRun =
  hasBrowser && existsSync(axePath) && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picturePart = { inlineData: { mimeType: "image/png", data: pixel } };
const address = "https://images.example/secret.png";
const markup = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString(
  "base64",
);
/** A sheet of one color, large enough to be looked at. */
const sheet = (() => {
  const [width, height] = [800, 500];
  const rows = Buffer.alloc((width * 3 + 1) * height, 150);
  for (let y = 0; y < height; y++) rows[y * (width * 3 + 1)] = 0;
  const part = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const parts = [part("IHDR", head), part("IDAT", deflateSync(rows)), part("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]).toString("base64");
})();
/** A tenth of a second of silence, in two pieces. */
const samples = Buffer.alloc(2_400).toString("base64");
const done = "data: [DONE]\n\n";

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const chatReply = (...deltas: object[]): Reply => ({
  frames: [
    chunk({ role: "assistant", content: "Here." }),
    ...deltas.map((each) => chunk(each)),
    chunk({}, "stop"),
    done,
  ],
});
const geminiReply = (...parts: object[]): Reply => ({
  frames: [
    `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text: "Here." }, ...parts] }, finishReason: "STOP", index: 0 }], modelVersion: "g", responseId: "r", usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 } })}\n\n`,
  ],
});
const imageUrl = (url: string) => ({ type: "image_url", image_url: { url } });

const event = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const response = { id: "resp_1", object: "response", created_at: 1, model: "r", output: [] };
const item = { id: "ig_1", type: "image_generation_call", status: "completed", output_format: "png", result: pixel };
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const responsesReply: Reply = {
  frames: [
    event("response.created", { sequence_number: 0, response: { ...response, status: "in_progress" } }),
    event("response.output_item.added", {
      ...{ sequence_number: 1, output_index: 0 },
      item: { id: "ig_1", type: "image_generation_call", status: "in_progress" },
    }),
    event("response.output_item.done", { sequence_number: 2, output_index: 0, item }),
    event("response.completed", {
      sequence_number: 3,
      response: { ...response, status: "completed", output: [item], usage },
    }),
  ],
};

describe.skipIf(!canRun)("answers with media (skipped: no Chromium, or the console is not built)", () => {
  let running: RunningGateway;
  let up: Upstream;
  let browser: Browser;
  beforeAll(async () => {
    up = await upstream();
    const yaml = `
providers:
  scripted: { kind: compatible, base_url: "${up.url}/v1", models: [m] }
  google: { kind: gemini, base_url: "${up.url}", credential: secret-of-google, models: [g] }
  maker: { kind: openai, base_url: "${up.url}/v1", credential: secret-of-maker, models: [r] }
limits: { breaker_failures: 1000000, breaker_min_requests: 1000000 }
`;
    [running, browser] = await Promise.all([gateway({ yaml }), openBrowser()]);
  });
  beforeEach(() => up.clear());
  afterAll(async () => {
    await browser?.close();
    await running?.stop();
    await up?.stop();
  });

  const desk: View = { width: 1440, scheme: "light" };

  async function answered(view: View, query: string, output = "") {
    const signed = await signedIn(browser, running.url, view);
    await signed.page.goto(`${running.url}/console/playground?${query}`);
    await signed.page.getByLabel("Client key").fill(clientKey);
    await signed.page.getByLabel("Answer", { exact: true }).selectOption(output);
    await ask(signed.page, "Draw a dot.");
    return signed;
  }

  async function ask(page: Page, text: string): Promise<void> {
    await page.getByLabel("Message").fill(text);
    await page.getByRole("button", { name: "Send", exact: true }).click();
  }

  const sent = (at: number) => up.requests[at]?.text ?? "";
  const log = (page: Page) => page.getByRole("log");

  /** The image is drawn: it has its size. */
  async function drawn(page: Page): Promise<void> {
    const image = log(page).getByRole("img", { name: "Image, image/png, 1 KB" });
    await image.waitFor();
    expect(await image.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth)).toBe(1);
    expect(await image.getAttribute("src")).toStartWith("blob:");
  }

  test.each([
    ["chat", "scripted/m", chatReply({ images: [imageUrl(`data:image/png;base64,${pixel}`)] }), '"stream":true'],
    ["responses", "maker/r", responsesReply, '"type":"image_generation"'],
    ["gemini", "google/g", geminiReply(picturePart), '"responseModalities":["TEXT","IMAGE"]'],
  ] as const)(
    "an image in the format %s is requested, shown, and saved as a file",
    async (format, model, reply, request) => {
      up.on("*", reply);
      const output = format === "chat" ? "" : "image";
      const { page, problems, close } = await answered(desk, `model=${model}&format=${format}`, output);
      await drawn(page);
      expect(sent(0).replaceAll(/\s/g, "")).toContain(request);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        log(page).getByRole("link", { name: "Download" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("image.png");
      expect(Buffer.from(await Bun.file(await download.path()).arrayBuffer()).toString("base64")).toBe(pixel);
      expect(problems).toEqual([]);
      await close();
    },
  );

  test("an image of an answer is used in the next message, and a conversation goes on after an image", async () => {
    up.on("*", chatReply({ images: [imageUrl(`data:image/png;base64,${pixel}`)] }));
    const { page, close } = await answered(desk, "model=scripted/m");
    await drawn(page);
    await page.getByRole("button", { name: "Use in next message" }).click();
    await page.getByRole("button", { name: "Remove image 1" }).waitFor();
    await ask(page, "Make it larger.");
    await up.seen(1);
    const { messages } = JSON.parse(sent(1)) as { messages: { role: string; content: unknown }[] };
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(messages[2])).toContain(pixel);
    await close();
  });

  test("an address is a link and is not loaded, and a document is not drawn as an image", async () => {
    up.on(
      "*",
      chatReply({
        images: [imageUrl(address), imageUrl(`data:image/svg+xml;base64,${markup}`), imageUrl("javascript:alert(1)")],
      }),
    );
    const { page, problems, close } = await answered(desk, "model=scripted/m");
    const link = log(page).getByRole("link", { name: `Image at ${address}` });
    expect(await link.getAttribute("rel")).toBe("noreferrer noopener");
    await log(page).getByText("Image at javascript:alert(1)").waitFor();
    await log(page).getByText("Image, image/svg+xml, 1 KB").waitFor();
    expect(await log(page).getByRole("img").count()).toBe(0);
    expect(
      await log(page)
        .getByRole("link", { name: /javascript/ })
        .count(),
    ).toBe(0);
    // A page that asks for anything else is a problem.
    expect(problems).toEqual([]);
    await close();
  });

  test.each([
    [
      "chat",
      "scripted/m",
      chatReply(
        { audio: { id: "a", data: samples } },
        { audio: { transcript: "Spoken" } },
        { audio: { data: samples } },
      ),
      '"modalities":["text","audio"]',
    ],
    [
      "gemini",
      "google/g",
      geminiReply(
        { inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: samples } },
        { inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: samples } },
      ),
      '"responseModalities":["AUDIO"]',
    ],
  ] as const)("audio in the format %s is played as one recording", async (format, model, reply, request) => {
    up.on("*", reply);
    const { page, problems, close } = await answered(desk, `model=${model}&format=${format}`, "audio");
    const audio = log(page).getByLabel("Audio, audio/wav, 5 KB");
    await audio.waitFor();
    const duration = () => audio.evaluate((element) => (element as unknown as { duration: number }).duration);
    const seconds = await until("the recording is read", async () => (await duration()) || null);
    expect(seconds).toBeCloseTo(0.1, 2);
    if (format === "chat") await log(page).getByText("Spoken").waitFor();
    expect(sent(0).replaceAll(/\s/g, "")).toContain(request);
    expect(problems).toEqual([]);
    await close();
  });

  test("a format without images in its answers says so, and asks for text", async () => {
    up.on("*", chatReply());
    const { page, close } = await answered(desk, "model=scripted/m&format=messages", "image");
    await page.getByText("This client format cannot request it").waitFor();
    await log(page).getByText("Here.").waitFor();
    expect(sent(0)).not.toContain("modalities");
    await close();
  });

  test.each(fewViews.map((view) => [`${view.width} ${view.scheme}`, view] as const))(
    "looks right at %s",
    async (name, view) => {
      up.on("*", chatReply({ images: [imageUrl(`data:image/png;base64,${sheet}`)] }, { audio: { data: samples } }));
      const { page, problems, close } = await answered(view, "model=scripted/m");
      await log(page).getByRole("img").waitFor();
      await log(page)
        .getByLabel(/^Audio/)
        .waitFor();
      await page.waitForLoadState("networkidle");
      await log(page).scrollIntoViewIfNeeded();
      await picture(page, `playground-media ${name}`);
      expect([...problems, ...(await faultsOf(page))]).toEqual([]);
      await close();
    },
  );
});
