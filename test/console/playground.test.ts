// The playground in Chromium against a scripted provider: reasoning, tools and images in every client format, several models, stop, code, and a stored request.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { axePath } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { clientKey, gateway, type RunningGateway } from "../support/gateway.ts";
import { type Reply, type Upstream, upstream } from "../support/upstream.ts";
import { faultsOf, picture } from "./looks.ts";
import { fewViews, go, signedIn, type View } from "./setting.ts";

const canRun =
  hasBrowser && existsSync(axePath) && existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));

const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const done = "data: [DONE]\n\n";

const called: Reply = {
  frames: [
    frame({ role: "assistant", reasoning_content: "The weather is wanted." }),
    frame({
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":' } }],
    }),
    frame({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
    frame({}, "tool_calls"),
    done,
  ],
};
const replyOf = (text: string): Reply => ({
  frames: [frame({ role: "assistant", content: text }), frame({}, "stop"), done],
});
const sunny = replyOf("It is sunny in <b>Oslo</b>.");

const tools =
  '[{"name": "weather", "description": "The weather of a city", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]';
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe.skipIf(!canRun)("the playground (skipped: no Chromium, or the console is not built)", () => {
  let running: RunningGateway;
  let up: Upstream;
  let browser: Browser;
  const path = "POST /v1/chat/completions";
  beforeAll(async () => {
    up = await upstream();
    const yaml = `
providers:
  scripted: { kind: compatible, base_url: "${up.url}/v1", models: [m, n] }
prices:
  cost: [{ model: m, usd: { input: 3, output: 15 } }]
bodies: { store: all }
limits: { breaker_failures: 1000000, breaker_min_requests: 1000000 }
`;
    [running, browser] = await Promise.all([gateway({ yaml }), openBrowser()]);
  });
  beforeEach(() => up.clear());
  afterAll(async () => {
    await browser.close();
    await running.stop();
    await up.stop();
  });

  const desk: View = { width: 1440, scheme: "light" };

  async function opened(view: View, query = "?model=scripted/m") {
    const signed = await signedIn(browser, running.url, view);
    await go(signed.page, "Playground");
    await signed.page.goto(`${running.url}/console/playground${query}`);
    await signed.page.getByLabel("Client key").fill(clientKey);
    return signed;
  }
  const say = async (page: Page, text: string) => {
    await page.getByLabel("Message").fill(text);
    await page.getByRole("button", { name: /^Send( to|$)/ }).click();
  };
  interface Sent {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly tools?: readonly object[];
  }
  const bodies = () => up.requests.map(({ text }) => JSON.parse(text) as Sent);

  test.each(["chat", "responses", "messages", "gemini"])(
    "reasoning, a tool and an image in the format %s",
    async (format) => {
      up.on(path, called, sunny);
      const { page, problems, close } = await opened(desk, `?model=scripted/m&format=${format}`);
      await page.getByLabel("System prompt").fill("Be brief.");
      await page.getByLabel("Tools, as JSON").fill(tools);
      await page.getByLabel("Reasoning", { exact: true }).selectOption("low");
      await page.getByText("Images", { exact: true }).click();
      await page
        .getByLabel("From this computer")
        .setInputFiles({ name: "p.png", mimeType: "image/png", buffer: pixel });
      await page.getByRole("button", { name: "Remove image 1" }).waitFor();
      await say(page, "How is the weather?");
      const log = page.getByRole("log");
      await log.getByText("The weather is wanted.").waitFor();
      await log.getByText("Call of weather").waitFor();
      await log.getByText(/"city":\s?"Oslo"/).waitFor();
      await page.getByLabel("Result of weather").fill("sunny");
      await page.getByRole("button", { name: "Send results" }).click();
      // Text of a model is text.
      await log.getByText("It is sunny in <b>Oslo</b>.").waitFor();
      await page.getByRole("heading", { name: "Waterfall" }).waitFor();
      await page.getByText("scripted/m", { exact: true }).first().waitFor();
      const [first, second] = bodies();
      expect(JSON.stringify(first?.messages)).toContain("Be brief.");
      expect(JSON.stringify(first?.messages)).toContain(`data:image/png;base64,${pixel.toString("base64")}`);
      expect(first?.tools).toMatchObject([{ type: "function", function: { name: "weather" } }]);
      const roles = second?.messages.map(({ role }) => role);
      expect(roles).toEqual(["system", "user", "assistant", "tool"]);
      expect(second?.messages.at(-1)).toMatchObject({ role: "tool", content: expect.stringContaining("sunny") });
      expect(problems).toEqual([]);
      await close();
    },
  );

  test.each(fewViews.map((view) => [`${view.width} ${view.scheme}`, view] as const))(
    "one prompt on two models side by side at %s",
    async (name, view) => {
      up.on(path, replyOf("One answer."), replyOf("Another answer."));
      const { page, problems, close } = await opened(view, "?model=scripted/m&others=scripted/n");
      await say(page, "Compare.");
      const both = page.getByRole("region", { name: /^scripted\/[mn]$/ });
      await both
        .first()
        .getByText(/answer\./)
        .waitFor();
      await both
        .last()
        .getByText(/answer\./)
        .waitFor();
      await page.getByRole("heading", { name: "Waterfall" }).last().waitFor();
      expect(
        bodies()
          .map(({ model }) => model)
          .sort(),
      ).toEqual(["m", "n"]);
      await page.waitForLoadState("networkidle");
      await picture(page, `playground ${name}`);
      expect([...problems, ...(await faultsOf(page))]).toEqual([]);
      await close();
    },
  );

  test("a stream is stopped, and what has arrived stays", async () => {
    const gate = Promise.withResolvers<void>();
    up.on(path, {
      frames: [frame({ role: "assistant", content: "Beginning" }), frame({ content: " end" }), done],
      gate: gate.promise,
    });
    const { page, close } = await opened(desk);
    await say(page, "Begin.");
    await page.getByRole("log").getByText("Beginning").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Clear" }).waitFor();
    expect(await page.getByRole("log").textContent()).toContain("Beginning");
    gate.resolve();
    await close();
  });

  test.each(["chat", "responses", "messages", "gemini"])(
    "an error in a stream of the format %s is shown with the id of its request, and what came before stays",
    async (format) => {
      const gate = Promise.withResolvers<void>();
      const fault = { error: { message: "The model has stopped for a reason.", type: "server_error", code: null } };
      up.on(path, {
        frames: [frame({ role: "assistant", content: "Beginning" }), `data: ${JSON.stringify(fault)}\n\n`],
        gate: gate.promise,
      });
      const { page, close } = await opened(desk, `?model=scripted/m&format=${format}`);
      await say(page, "Begin.");
      await page.getByRole("log").getByText("Beginning").waitFor();
      gate.resolve();
      const alert = page.getByRole("alert");
      await alert.getByText(/stopped for a reason|provider/i).waitFor();
      await alert.getByText("Request ID").waitFor();
      await alert.getByText(/^req_/).waitFor();
      expect(await page.getByRole("log").textContent()).toContain("Beginning");
      await close();
    },
  );

  test("code in three languages, and tools that are not JSON", async () => {
    const { page, close } = await opened(desk, "?model=scripted/m&format=messages");
    await page.getByLabel("Tools, as JSON").fill("not JSON");
    await page.getByText("Write an array of objects").waitFor();
    await page.getByLabel("Tools, as JSON").fill(tools);
    await page.getByLabel("Message").fill("It's me");
    const code = page.getByRole("region", { name: "Code" }).locator("pre");
    expect(await code.textContent()).toContain(`curl '${running.url}/v1/messages'`);
    expect(await code.textContent()).toContain("input_schema");
    await page.getByLabel("Language").selectOption("python");
    expect(await code.textContent()).toContain(`Anthropic(base_url="${running.url}"`);
    expect(await code.textContent()).toContain('"stream": True');
    await page.getByLabel("Language").selectOption("javascript");
    expect(await code.textContent()).toContain("new Anthropic(");
    await close();
  });

  test("a request of the list is opened with its conversation, or with its model only", async () => {
    up.on(path, replyOf("Stored answer."));
    const ask = async (body: object, more: Record<string, string> = {}) => {
      const response = await fetch(`${running.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json", ...more },
        body: JSON.stringify({ model: "scripted/n", ...body }),
      });
      await response.text();
      return response.headers.get("x-request-id") ?? "";
    };
    const messages = [
      { role: "system", content: "Stored system" },
      { role: "user", content: "First" },
      { role: "assistant", content: "Second" },
      { role: "user", content: "Third" },
    ];
    const id = await ask({ messages, stream: true });
    const { page, close } = await opened(desk, `?request=${id}`);
    await page.getByRole("log").getByText("Second").waitFor();
    expect(await page.getByLabel("Message").inputValue()).toBe("Third");
    expect(await page.getByLabel("System prompt").inputValue()).toBe("Stored system");
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("scripted/n");
    await close();
    const embedding = await fetch(`${running.url}/v1/embeddings`, {
      method: "POST",
      headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sandbox/embed", input: "Hello" }),
    });
    await embedding.text();
    const other = await opened(desk, `?request=${embedding.headers.get("x-request-id")}`);
    await other.page.getByText("The request is not a chat. Only its model is here.").waitFor();
    await other.close();
  });
});
