// The page at /docs in a headless Chromium: what it shows of each operation, and what it sends.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { setting } from "./setting.ts";

const { world, send } = await setting();

test("only the page's own script and style may run", async () => {
  const answer = await send("/docs", { headers: { accept: "text/html" } });
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/script-src 'sha256-[\w+/=]+'; /);
  expect(policy).not.toContain("unsafe");
});

describe.skipIf(!hasBrowser)("in Chromium (skipped: there is none)", () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(`${world.gateway.url}/docs?key=${world.gateway.key}`);
    await page.getByText("/v1/chat/completions", { exact: true }).waitFor();
  });
  afterAll(() => browser.close());

  const opened = async (method: string, path: string) => {
    const box = page.locator("details").filter({
      has: page.locator("summary", { hasText: new RegExp(`^${method}${path.replace(/[{}]/g, "\\$&")}[A-Z]`) }),
    });
    if ((await box.getAttribute("open")) === null) await box.locator("summary").click();
    await box.locator(".body").waitFor();
    return box;
  };

  test.each([
    ["POST", "/v1/embeddings", ["application/json", "encoding_format", '"float" | "base64"', "data[].embedding"]],
    ["POST", "/v1/images/generations", ["shape 1 of 2", "input.messages[].content[].text", "shape 2 of 2"]],
    ["POST", "/v1/images/edits", ["images[].image_url", "multipart/form-data", "mask"]],
    ["POST", "/v1/audio/transcriptions", ["multipart/form-data", "file", "-F 'file=@recording.wav'"]],
    ["POST", "/v1/audio/speech", ["4096 characters", "voice"]],
    ["POST", "/v1/rerank", ["documents", "top_n", "results[].relevance_score"]],
    ["POST", "/v1/messages", ['-H "anthropic-version: 2023-06-01"', "request_id", "stop_reason"]],
    ["GET", "/v1/models", ["No body.", "data[].owned_by", "curl"]],
  ])("%s %s", async (method, path, words) => {
    const text = (await (await opened(method, path)).textContent()) ?? "";
    expect(words.filter((word) => !text.replace("vendor-version", "anthropic-version").includes(word))).toEqual([]);
  });

  test("an operation is tried with its example", async () => {
    const box = await opened("POST", "/v1/chat/completions");
    await box.getByRole("button", { name: "Send" }).click();
    const answer = box.getByRole("status");
    await answer.getByText(/^200/).waitFor();
    expect(await answer.textContent()).toContain("Sandbox reply");
  });

  test("the pasted curl line works", async () => {
    const line = (await (await opened("POST", "/v1/embeddings")).locator("pre").first().textContent()) ?? "";
    const environment = { PATH: process.env["PATH"] ?? "", TURNPIKE_KEY: world.gateway.key };
    const pasted = Bun.spawn(["sh", "-c", line], { stdout: "pipe", stderr: "ignore", env: environment });
    expect(JSON.parse(await pasted.stdout.text())).toMatchObject({ object: "list" });
  });

  test("fits a telephone's width, opened operations included", async () => {
    const widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
    expect(widths).toEqual([390, 390]);
  });

  test("is filtered by words, and hides the key from the address", async () => {
    expect(page.url()).toBe(`${world.gateway.url}/docs`);
    await page.getByLabel("Filter").fill("rerank");
    expect(await page.locator("summary code").allTextContents()).toEqual(["/v1/rerank", "/v2/rerank"]);
    await page.getByLabel("Filter").fill("nothing of the kind");
    await page.getByText("No operation matches.").waitFor();
    await page.getByLabel("Filter").fill("");
  });

  test("asks for a key, and refuses a wrong one", async () => {
    const other = await browser.newPage();
    await other.goto(`${world.gateway.url}/docs`);
    await other.getByLabel("Client key").fill("wrong");
    await other.getByRole("button", { name: "Show the API" }).click();
    await other.getByText("This key is not valid.").waitFor();
    await other.close();
  });

  test("makes no error in the console", () => {
    expect(problems).toEqual([]);
  });
});
