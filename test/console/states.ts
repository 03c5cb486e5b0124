// Every page and state of the console and of the documentation, as an address and what a person does there. Screenshots
// are made of all, and the checks of dialogs go through those that are one.
import type { Page, Route } from "playwright-core";
import { clientKey } from "../support/gateway.ts";
import type { ConsoleSetting } from "./setting.ts";

export interface State {
  readonly name: string;
  /** Below the gateway. */
  readonly path: string;
  /** Until it is there; what is not waited for is settled when no request is under way. */
  readonly show?: (page: Page) => Promise<unknown>;
  readonly isDialog?: true;
  /** What the admin API answers in place of the truth. */
  readonly answer?: (route: Route) => Promise<unknown>;
  /** Without a session. */
  readonly isSignedOut?: true;
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
const text = (words: string | RegExp) => (page: Page) =>
  page.getByText(words).filter({ visible: true }).first().waitFor();

/** Of lists; the session answers as usual. */
const never = () => new Promise<never>(() => undefined);
const empty = (route: Route) =>
  route.fulfill({ json: { object: "list", data: [], has_more: false, next_cursor: null } });
const failure = { error: { message: "The store is busy.", code: "store_busy", param: null } };
const broken = (route: Route) =>
  route.fulfill({ status: 400, json: failure, headers: { "x-request-id": "req_AaIF409vd-23WGn4Hr0fuQ" } });

const places = ["requests", "providers", "models", "keys", "settings"] as const;

const consoleStates = ({ succeeded, failed }: ConsoleSetting): readonly State[] => [
  { name: "sign-in", path: "/console", isSignedOut: true, show: text("Admin key") },
  { name: "overview", path: "/console", show: text("Last failure") },
  { name: "overview-loading", path: "/console", answer: never },
  { name: "overview-empty", path: "/console", answer: empty },
  { name: "overview-error", path: "/console", answer: broken, show: text("The store is busy.") },
  ...places.flatMap((place): readonly State[] => [
    { name: place, path: `/console/${place}` },
    { name: `${place}-loading`, path: `/console/${place}`, answer: never },
    { name: `${place}-empty`, path: `/console/${place}`, answer: empty },
    { name: `${place}-error`, path: `/console/${place}`, answer: broken, show: text("The store is busy.") },
  ]),
  { name: "requests-no-match", path: "/console/requests?model=nothing", show: text("No request matches") },
  { name: "request", path: `/console/requests?open=${succeeded}`, isDialog: true, show: text("Waterfall") },
  { name: "request-failed", path: `/console/requests?open=${failed}`, isDialog: true, show: text(/failed, 502/) },
  { name: "tasks", path: "/console/requests?tab=tasks&task_state=failed", show: text("No task is in this state") },
  {
    name: "task",
    path: "/console/requests?tab=tasks&task_state=completed&live=1",
    isDialog: true,
    // A video is made for it, which the list follows.
    show: async (page) => {
      await page.request.post(new URL("/v1/videos", page.url()).href, {
        headers: { authorization: `Bearer ${clientKey}` },
        data: { model: "sandbox/video", prompt: "[sandbox run=1] A bridge" },
      });
      await page.getByRole("table", { name: "Tasks" }).getByRole("button", { name: "sandbox/video" }).first().click();
      await page.getByRole("button", { name: "Show the video" }).click();
      await page.getByLabel("Video 1").waitFor();
    },
  },
  { name: "playground", path: "/console/playground", show: text("Client format") },
  {
    name: "playground-answer",
    path: "/console/playground",
    show: async (page) => {
      await page.getByLabel("Model", { exact: true }).fill("sandbox/chat");
      await page.getByLabel("Client key").fill(clientKey);
      await page.getByLabel("Message").fill("Hello there");
      await press("Send")(page);
      await text(/Sandbox reply/)(page);
    },
  },
  { name: "provider", path: "/console/providers?open=sandbox", isDialog: true, show: text("Configuration") },
  { name: "provider-add", path: "/console/providers", isDialog: true, show: press("Add provider") },
  { name: "model", path: "/console/models?open=smart", isDialog: true, show: text("The next in the order") },
  { name: "route-add", path: "/console/models", isDialog: true, show: press("Add route") },
  { name: "price-add", path: "/console/models?tab=prices", isDialog: true, show: press("Add price") },
  { name: "prices", path: "/console/models?tab=prices", show: text(/Cost book/) },
  { name: "key", path: "/console/keys", isDialog: true, show: press("reports") },
  {
    name: "key-revoke",
    path: "/console/keys",
    isDialog: true,
    show: async (page) => {
      await press("reports")(page);
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await text(/Type the name of the key/)(page);
    },
  },
  { name: "keys-create", path: "/console/keys", isDialog: true, show: press("Create key") },
  {
    name: "keys-create-error",
    path: "/console/keys",
    isDialog: true,
    show: async (page) => {
      await press("Create key")(page);
      const form = page.getByRole("dialog");
      await form.getByLabel("Name", { exact: true }).fill("a name that is not valid");
      await form.getByRole("button", { name: "Create key" }).click();
      await text(/1 to 64 letters, digits/)(page);
    },
  },
  { name: "keys-batch", path: "/console/keys", isDialog: true, show: press("Create several") },
  { name: "connect", path: "/console/keys", isDialog: true, show: press("Connect") },
  { name: "users", path: "/console/settings?tab=users", show: text("Users") },
  { name: "user-invite", path: "/console/settings?tab=users", isDialog: true, show: press("Invite user") },
  { name: "tokens", path: "/console/settings?tab=tokens", show: text("Service tokens") },
  { name: "token-create", path: "/console/settings?tab=tokens", isDialog: true, show: press("Create token") },
  { name: "audit", path: "/console/settings?tab=audit", show: text("Audit log") },
  { name: "palette", path: "/console/settings", isDialog: true, show: (page) => page.keyboard.press("Control+k") },
  { name: "shortcuts", path: "/console/settings", isDialog: true, show: (page) => page.keyboard.press("?") },
];

const withKey = `key=${clientKey}`;
const docsStates: readonly State[] = [
  { name: "docs-key", path: "/docs", show: text("Client key") },
  { name: "docs", path: `/docs?${withKey}`, show: text("/v1/chat/completions") },
  { name: "docs-operation", path: `/docs/api/createMessage?${withKey}`, show: text("Try it") },
  {
    name: "docs-tried",
    path: `/docs/api/createChatCompletion?${withKey}`,
    show: async (page) => {
      await press("Send")(page);
      await page.getByRole("status").getByText(/^200/).scrollIntoViewIfNeeded();
    },
  },
  { name: "docs-guide", path: "/docs/guides/routing", show: text("Routing") },
  {
    name: "docs-search",
    path: `/docs?${withKey}`,
    show: async (page) => {
      await text("/v1/chat/completions")(page);
      await page.getByLabel("Search").fill("rerank");
      await text("Search results")(page);
    },
  },
  {
    name: "docs-search-empty",
    path: "/docs",
    show: async (page) => {
      await page.getByLabel("Search").fill("nothing-of-the-kind");
      await text("Nothing was found.")(page);
    },
  },
];

export const statesOf = (setting: ConsoleSetting): readonly State[] => [...consoleStates(setting), ...docsStates];

const isList = (url: URL): boolean => /\/admin\/api\/(?!session|sign-in)/.test(url.pathname);

/** Opens a state in the page. */
export async function enter(page: Page, url: string, { path, show, answer }: State): Promise<void> {
  if (answer !== undefined) await page.route(isList, answer);
  await page.goto(url + path);
  await page.locator("main").first().waitFor();
  await show?.(page);
  if (answer === never) await page.getByRole("status", { name: "Loading" }).first().waitFor();
  else if (path.includes("/console"))
    await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
}
