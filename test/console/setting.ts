// A gateway with requests, keys and a budget, and a browser that is signed in to its console.
import type { Browser, Page } from "playwright-core";
import { adminKey, clientKey, gateway, type RunningGateway, spawnGateway } from "../support/gateway.ts";

const yaml = `
models:
  smart:
    candidates:
      - { provider: sandbox, model: error }
      - { provider: sandbox, model: chat }
  broken:
    candidates: [{ provider: sandbox, model: error }]
prices:
  cost:
    - { model: chat, usd: { input: 3, output: 15 } }
keys:
  ci: { secret: tp-key-of-the-file }
limits: { breaker_failures: 1000000, breaker_min_requests: 1000000 }
`;

/** A change over the admin API. */
export async function admin(
  url: string,
  path: string,
  body: object,
  method = "POST",
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** Sends a chat, and gives its request id. */
export async function chat(url: string, model: string, key = clientKey): Promise<string> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
  return answer.headers.get("x-request-id") ?? "";
}

export interface ConsoleSetting {
  readonly running: RunningGateway;
  /** Of a request that succeeded, and of one that failed. */
  readonly succeeded: string;
  readonly failed: string;
}

/** In this process, or as the executable of this path. */
export async function startConsole(executable?: string): Promise<ConsoleSetting> {
  const running = await (executable === undefined ? gateway({ yaml }) : spawnGateway({ yaml, executable }));
  const { url } = running;
  await admin(url, "keys", { name: "nightly", rules: { budgets: [{ amount: "0.0001", period: "month" }] } });
  const { secret } = await admin(url, "keys", {
    name: "reports",
    rules: { budgets: [{ amount: "50", period: "month" }], limits: { requests_per_minute: 600 } },
  });
  const succeeded = await chat(url, "smart");
  for (let count = 0; count < 4; count++) await chat(url, "sandbox/chat", String(secret));
  const failed = await chat(url, "broken");
  return { running, succeeded, failed };
}

export interface View {
  readonly width: 1440 | 360;
  readonly scheme: "light" | "dark";
}

export const views: readonly View[] = [
  { width: 1440, scheme: "light" },
  { width: 1440, scheme: "dark" },
  { width: 360, scheme: "light" },
  { width: 360, scheme: "dark" },
];

/** Each width and each scheme once, for what does not depend on both together. */
export const fewViews = views.filter(({ width, scheme }) => (width === 360) === (scheme === "dark"));

/** A page that is signed in, and the list of what its browser complains about. */
export async function signedIn(browser: Browser, url: string, { width, scheme }: View) {
  const context = await browser.newContext({
    viewport: { width, height: width === 360 ? 780 : 900 },
    colorScheme: scheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // A refused sign-in and the question for a session are answered with 401.
    const text = message.text();
    if (message.type() === "error" && !/status of (?:401|404)/.test(text)) problems.push(text);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url()))
      problems.push(`asked ${request.url()}`);
  });
  await page.goto(`${url}/console`);
  await page.getByLabel("Admin key").fill(adminKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  return { page, problems, close: () => context.close() };
}

/** Opens a place by the rail, as a person does. */
export async function go(page: Page, place: string): Promise<void> {
  await page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: place }).click();
  await page.getByRole("heading", { level: 1, name: place }).waitFor();
}

interface NamedAct {
  /** The act with the name of the thing, as the button and its question are called. */
  readonly title: string;
  readonly field: string;
  readonly name: string;
  /** What the button of the question says. */
  readonly label: string;
}

/** Types the name of a thing that an act cannot bring back, after a wrong one that changes nothing. */
export async function confirmByName(page: Page, { title, field, name, label }: NamedAct): Promise<void> {
  await page.getByRole("button", { name: title, exact: true }).click();
  const question = page.getByRole("dialog", { name: title });
  const act = question.getByRole("button", { name: label, exact: true });
  await question.getByLabel(field).fill(`not-${name}`);
  await act.click();
  await question.getByRole("alert").waitFor();
  await question.getByLabel(field).fill(name);
  await act.click();
  await question.waitFor({ state: "detached" });
}
