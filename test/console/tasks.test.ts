// The tab of tasks in Chromium: videos by their state, and one with its polls, its cost and a preview.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { clientKey, gateway, type RunningGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { faultsOf, picture } from "./looks.ts";
import { admin, fewViews, go, signedIn } from "./setting.ts";

const isBuilt = existsSync(join(import.meta.dir, "..", "..", "dist", "console.bundle"));
const headers = { authorization: `Bearer ${clientKey}`, "content-type": "application/json" };

describe.skipIf(!hasBrowser || !isBuilt)("tasks in Chromium (skipped: it is not there)", () => {
  let running: RunningGateway;
  let browser: Browser;
  let done = "";
  beforeAll(async () => {
    [running, browser] = await Promise.all([gateway({ videoWaitScale: 0.02 }), openBrowser()]);
    const submit = async (prompt: string): Promise<string> => {
      const body = JSON.stringify({ model: "sandbox/video", prompt });
      const answer = await fetch(`${running.url}/v1/videos`, { method: "POST", headers, body });
      return ((await answer.json()) as { id: string }).id;
    };
    done = await submit("[sandbox run=50]");
    await submit("[sandbox run=3600000]");
    await until("the video is there", async () => {
      const answer = await fetch(`${running.url}/v1/videos/${done}`, { headers });
      return ((await answer.json()) as { status: string }).status === "completed";
    });
  });
  afterAll(async () => {
    await browser?.close();
    await running?.stop();
  });

  test.each(fewViews)("%j: a task has its state, its polls, its request and a preview", async (view) => {
    const { page, problems, close } = await signedIn(browser, running.url, view);
    await go(page, "Requests");
    await page.getByRole("tab", { name: "Tasks" }).click();
    const table = page.getByRole("table", { name: "Tasks" });
    const unfinished = table.getByText(/queued|in progress/);
    await unfinished.waitFor();
    await page.getByLabel("State").selectOption("completed");
    await unfinished.waitFor({ state: "detached" });
    await table.getByRole("button", { name: "sandbox/video" }).click();
    await page.waitForURL(new RegExp(`task=${done}`));
    const drawer = page.getByRole("dialog", { name: `Task ${done}` });
    const polls = drawer.getByRole("table", { name: "Polls" });
    await polls.getByText("200").last().waitFor();
    await polls.getByText("100 %").waitFor();
    expect(await drawer.locator("video").count()).toBe(0);
    await drawer.getByRole("button", { name: "Show the video" }).click();
    await drawer.getByLabel("Video 1").waitFor();
    await picture(page, `task ${view.width} ${view.scheme}`);
    expect(await faultsOf(page)).toEqual([]);
    await drawer.getByRole("link", { name: "Open request" }).click();
    await page.getByRole("dialog", { name: "Request" }).getByText("video").first().waitFor();
    await page.goBack();
    await drawer.waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  test("a role that may not read bodies has no preview", async () => {
    const { secret } = await admin(running.url, "service-tokens", { name: "watch", scopes: ["tasks:read"] });
    const answer = await fetch(`${running.url}/admin/api/tasks/${done}/content`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(answer.status).toBe(403);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${running.url}/console/requests?tab=tasks&task=${done}`);
    await page.getByLabel("Admin key").fill(String(secret));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("table", { name: "Polls" }).waitFor();
    expect(await page.getByRole("button", { name: "Show the video" }).count()).toBe(0);
    await context.close();
  });
});
