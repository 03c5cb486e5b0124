// The pages at /docs in a headless Chromium: what they show of each operation, what they send, guides and search.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { snippetsOf } from "../../console/src/docs/code.ts";
import { rowsOf, type Spec } from "../../console/src/docs/spec.ts";
import { seriousFaults } from "../support/axe.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { setting } from "./setting.ts";

const { world, send } = await setting();
const repository = join(import.meta.dir, "..", "..");
const canRun = hasBrowser && existsSync(join(repository, "dist", "console.bundle"));

test("only scripts and styles of the gateway may run", async () => {
  const answer = await send("/docs", { headers: { accept: "text/html" } });
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("script-src 'self'; ");
  expect(policy).not.toContain("unsafe");
});

describe.skipIf(!canRun)("in Chromium (skipped: there is none, or the pages are not built)", () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  const openPage = async (colorScheme: "light" | "dark", width: number) => {
    const opened = await browser.newPage({ viewport: { width, height: 844 }, colorScheme, reducedMotion: "reduce" });
    opened.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    opened.on("pageerror", (error) => problems.push(String(error)));
    return opened;
  };
  beforeAll(async () => {
    browser = await openBrowser();
    page = await openPage("light", 360);
    await page.goto(`${world.gateway.url}/docs?key=${world.gateway.key}`);
    await page.getByText("/v1/chat/completions", { exact: true }).waitFor();
  });
  afterAll(() => browser.close());

  /** Opens a place of the menu, which is closed at this width. */
  const choose = async (name: string) => {
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  };
  const opened = async (method: string, path: string) => {
    if (!/\/docs\/?$/.test(page.url())) await choose("API reference");
    const link = page.getByRole("link", { name: new RegExp(`^${method} ?${path.replace(/[{}]/g, "\\$&")} ?[A-Z]`) });
    await link.click();
    await page.getByRole("heading", { name: `${method} ${path}` }).waitFor();
    return page.getByRole("article");
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
    ["GET", "/v1/responses/{response_id}", ["Parameters", "string, path", "required"]],
  ])("%s %s", async (method, path, words) => {
    const text = (await (await opened(method, path)).textContent()) ?? "";
    expect(words.filter((word) => !text.replaceAll("vendor-version", "anthropic-version").includes(word))).toEqual([]);
  });

  test("an operation is tried with its example, and with a body that is not JSON", async () => {
    const article = await opened("POST", "/v1/chat/completions");
    await article.getByRole("button", { name: "Send" }).click();
    const answer = article.getByRole("status");
    await answer.getByText(/^200 req_/).waitFor();
    expect(await answer.textContent()).toContain("Sandbox reply");
    await article.getByLabel("Request body").fill("{");
    await article.getByRole("button", { name: "Send" }).click();
    await answer.getByText(/The body is not valid JSON/).waitFor();
  });

  test("a form with a file is tried", async () => {
    const article = await opened("POST", "/v1/audio/transcriptions");
    const file = { name: "a.wav", mimeType: "audio/wav", buffer: Buffer.from("RIFF") };
    await article.getByLabel("file", { exact: true }).setInputFiles(file);
    await article.getByRole("button", { name: "Send" }).click();
    await article
      .getByRole("status")
      .getByText(/^200 req_/)
      .waitFor();
  });

  test("the pasted curl line works", async () => {
    const line = (await (await opened("POST", "/v1/embeddings")).locator("pre").first().textContent()) ?? "";
    const environment = { PATH: process.env["PATH"] ?? "", TURNPIKE_KEY: world.gateway.key };
    const pasted = Bun.spawn(["sh", "-c", line], { stdout: "pipe", stderr: "ignore", env: environment });
    expect(JSON.parse(await pasted.stdout.text())).toMatchObject({ object: "list" });
  });

  test("code for the SDK of the format is one choice away", async () => {
    const article = await opened("POST", "/v1/messages");
    await article.getByLabel("Language").selectOption("Anthropic, Python");
    await article.getByText("client.messages.create(").waitFor();
  });

  test("is filtered by words, and hides the key from the address", async () => {
    await choose("API reference");
    expect(page.url()).toMatch(/\/docs\/?$/);
    await page.getByLabel("Filter").fill("rerank");
    expect(await page.getByRole("main").locator("li code").allTextContents()).toEqual(["/v1/rerank", "/v2/rerank"]);
    await page.getByLabel("Filter").fill("nothing of the kind");
    await page.getByText("No operation matches.").waitFor();
    await page.getByLabel("Filter").fill("");
  });

  test("search finds operations by a field and guides by a word, and opens the section", async () => {
    await page.getByLabel("Search").fill("top_n");
    await page
      .getByRole("main")
      .getByRole("link", { name: /\/v1\/rerank/ })
      .waitFor();
    await page.getByLabel("Search").fill("breaker_failures");
    await page.getByRole("link", { name: "Configuration Limits" }).click();
    await page.getByRole("heading", { name: "Limits", exact: true }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/docs/guides/configuration#limits");
    await page.getByLabel("Search").fill("nothing-of-the-kind");
    await page.getByText("Nothing was found.").waitFor();
  });

  test.each(["light", "dark"] as const)(
    "fits a telephone's width, and axe finds nothing serious: %s",
    async (scheme) => {
      const other = await openPage(scheme, 360);
      const faults: string[] = [];
      const check = async () => {
        const isTooWide = await other.evaluate("document.documentElement.scrollWidth > innerWidth");
        faults.push(...(isTooWide ? [`${other.url()} is too wide`] : []), ...(await seriousFaults(other)));
      };
      await other.goto(`${world.gateway.url}/docs/guides/routing?key=${world.gateway.key}`);
      await other.getByRole("heading", { level: 1, name: "Routing" }).waitFor();
      await check();
      await other.getByRole("button", { name: "Menu" }).click();
      await check();
      await other.getByRole("navigation").getByRole("link", { name: "API reference" }).click();
      await other.getByText("/v1/images/edits", { exact: true }).waitFor();
      await check();
      await other.getByText("/v1/images/edits", { exact: true }).click();
      await other.getByRole("heading", { name: "Try it" }).waitFor();
      await check();
      await other.getByRole("button", { name: "Forget the key" }).isHidden();
      expect(faults).toEqual([]);
      await other.close();
    },
  );

  test("asks for a key, refuses a wrong one, and holds it for the tab only where that is chosen", async () => {
    const other = await browser.newPage();
    await other.goto(`${world.gateway.url}/docs/api/createEmbedding`);
    await other.getByLabel("Client key").fill("wrong");
    await other.getByRole("button", { name: "Show the API" }).click();
    await other.getByText("This key is not valid.").waitFor();
    const enter = async () => {
      await other.getByLabel("Client key").fill(world.gateway.key);
      await other.getByRole("button", { name: "Show the API" }).click();
      await other.getByRole("heading", { name: "POST /v1/embeddings" }).waitFor();
    };
    await enter();
    await other.reload();
    await other.getByLabel("Keep the key until this tab is closed").check();
    await enter();
    await other.reload();
    await other.getByRole("heading", { name: "POST /v1/embeddings" }).waitFor();
    await other.getByRole("button", { name: "Forget the key" }).click();
    await other.getByLabel("Client key").waitFor();
    expect(await other.evaluate("JSON.stringify([sessionStorage, localStorage])")).not.toContain(world.gateway.key);
    await other.close();
  });

  test("makes no error in the console of the browser", () => {
    expect(problems).toEqual([]);
  });
});

const specOf = async () => {
  const headers = { authorization: `Bearer ${world.gateway.key}` };
  return (await (await send("/openapi.json", { headers })).json()) as Spec;
};

describe("code of the SDKs", () => {
  test("in JavaScript, every example is answered", async () => {
    const spec = await specOf();
    const folder = mkdtempSync(join(repository, "node_modules", ".snippets-"));
    try {
      const codes = rowsOf(spec).flatMap((row) =>
        snippetsOf(row, world.gateway.url)
          .filter(({ title }) => title.endsWith("JavaScript"))
          .map(({ text }) => ({ id: row.operation.operationId, text })),
      );
      expect(codes.length).toBeGreaterThan(25);
      // What names an object by its id finds none here.
      const tried = codes.filter(({ text }) => !/"(?:response_id|video_id)"/.test(text));
      writeFileSync(join(folder, "recording.wav"), "RIFF");
      writeFileSync(join(folder, "picture.png"), Buffer.from("iVBORw0KGgo=", "base64"));
      for (const { id, text } of tried) writeFileSync(join(folder, `${id}.mjs`), text);
      const ids = JSON.stringify(tried.map(({ id }) => id));
      const runner = `const faults = await Promise.all(${ids}.map((id) => import(\`./\${id}.mjs\`).then(() => [], (error) => [\`\${id}: \${error}\`]))); console.log(JSON.stringify(faults.flat()));`;
      writeFileSync(join(folder, "run.mjs"), runner);
      const env = { PATH: process.env["PATH"] ?? "", TURNPIKE_KEY: world.gateway.key };
      const child = Bun.spawn([process.execPath, "run.mjs"], { cwd: folder, stdout: "pipe", stderr: "pipe", env });
      const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      expect([out.trim(), problems.slice(0, 2_000)]).toEqual(["[]", problems.slice(0, 2_000)]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("in Python, every example is an expression of the language", async () => {
    const spec = await specOf();
    const codes = rowsOf(spec).flatMap((row) =>
      snippetsOf(row, world.gateway.url).filter(({ title }) => title.endsWith("Python")),
    );
    const program = "import ast, json, sys\nfor each in json.load(sys.stdin): ast.parse(each)";
    if (Bun.which("python3") === null) return;
    const child = Bun.spawn(["python3", "-c", program], { stdin: "pipe", stderr: "pipe" });
    child.stdin.write(JSON.stringify(codes.map(({ text }) => text)));
    await child.stdin.end();
    expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
  });
});
