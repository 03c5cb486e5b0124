// Webhooks: told once and signed at the last state, again until they are taken, never where they must not go.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { webhookHeaders, webhookKeyOf, webhookSecretText } from "../../src/lib/webhook.ts";
import { spawnGateway } from "../support/gateway.ts";
import type { Seen } from "../support/upstream.ts";
import {
  bytesOf,
  type Keeper,
  type KeepingOptions,
  keeper,
  reel,
  type Upstream,
  upstream,
  upYaml,
  video,
} from "./keeping.ts";
import { videoReply } from "./setting.ts";

const secret = webhookSecretText(new Uint8Array(32).fill(7));
let up: Upstream;
let receiver: Upstream;
let hook: string;
const open: Keeper[] = [];

beforeEach(async () => {
  [up, receiver] = [await upstream(), await upstream()];
  hook = `${receiver.url}/hook?token=1`;
  receiver.on("POST /hook", { text: "thanks" });
});

afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
  await up.stop();
  await receiver.stop();
});

const allow = () => [up, receiver].map(({ url }) => new URL(url).host).join(",");
const settings = () => ({
  TURNPIKE_WEBHOOK_SECRET: secret,
  TURNPIKE_VIDEO_RESULTS: "proxy",
  TURNPIKE_FETCH_ALLOW: allow(),
});

async function keeping({ environment, ...options }: KeepingOptions = {}): Promise<Keeper> {
  const made = await keeper(up, { ...options, environment: { ...settings(), ...environment } });
  open.push(made);
  return made;
}

/** What the official SDK makes of a delivery; throws where it is not signed. */
const verified = async ({ text, headers }: Seen, key = secret) =>
  (await new OpenAI({ apiKey: "x" }).webhooks.unwrap(text, headers, key)) as unknown as Record<string, unknown>;

const calm = () => Bun.sleep(120);
const over = (setup: Keeper, id: string) => setup.rowUntil(id, (row) => row?.notifyAt === null);

test("the end of a task is told once, in the client's own words, signed so that the official SDK takes it", async () => {
  const setup = await keeping();
  const id = await setup.finish({ callback_url: hook });
  const seen = await receiver.seen(0);
  expect([seen.method, seen.path, seen.query.get("token")]).toEqual(["POST", "/hook", "1"]);
  expect(seen.headers.get("content-type")).toBe("application/json");
  expect(seen.headers.get("webhook-id")).toBe(`msg_${id}`);
  expect(Math.abs(Number(seen.headers.get("webhook-timestamp")) - Date.now() / 1000)).toBeLessThan(5);
  expect(seen.headers.get("authorization")).toBeNull();
  const result = await verified(seen);
  const retrieved = (await setup.ask("GET", `/v1/video/generations/${id}`)).body;
  expect(result).toEqual({ ...retrieved, type: "video.completed", task_id: id });
  expect(seen.text).not.toContain("video_up");
  up.on(video, reel(bytesOf(1_000)));
  expect((await (await fetch(String(result["url"]))).bytes()).length).toBe(1_000);
  expect(await over(setup, id)).toMatchObject({ notifyTries: 1 });
  await calm();
  expect(receiver.requests).toHaveLength(1);
});

test.each([
  ["videos", "/v1/videos", (url: string) => ({ webhook: url }), "id"],
  ["videoA", "/kling/v1/videos/text2video", (url: string) => ({ callback_url: url }), "task_id"],
  ["generations", "/v1/video/generations", (url: string) => ({ metadata: { webhook: url } }), "task_id"],
] as const)("%s has its own way to say where, and its own words", async (_name, path, field, idName) => {
  const setup = await keeping();
  up.on("POST /v1/videos", {
    json: videoReply({ status: "failed", error: { code: "moderation_blocked", message: "No." } }),
  });
  const { body } = await setup.ask("POST", path, { model: "sora-2", prompt: "x", ...field(hook) });
  const id = String(body[idName]);
  const result = await verified(await receiver.seen(0));
  const { request_id: _requested, ...requested } = (await setup.ask("GET", `${path}/${id}`)).body;
  expect(result).toMatchObject({ ...requested, type: "video.failed", task_id: id });
  expect(up.requests[0]?.text).not.toContain("hook");
});

test("videoB, and a task that its owner cancels by deleting it", async () => {
  const setup = await keeping();
  up.on("POST /v1/videos", { json: videoReply() });
  up.on("GET /v1/videos/video_up", { json: videoReply({ status: "in_progress" }) });
  const query = "?Action=CVSync2AsyncSubmitTask&Version=2022-08-31";
  const { body } = await setup.ask("POST", `/jimeng/${query}`, { req_key: "sora-2", prompt: "x", callback_url: hook });
  const { task_id: id } = body["data"] as { task_id: string };
  await up.seen(1);
  expect(receiver.requests).toHaveLength(0);
  await setup.ask("DELETE", `/v1/videos/${id}`);
  expect(await verified(await receiver.seen(0))).toMatchObject({
    code: 50_500,
    data: null,
    type: "video.cancelled",
    task_id: id,
  });
  await setup.rowUntil(id, (row) => row === null);
});

test("a receiver that fails is told again, with the same id, until it takes it; the task is asked for all the while", async () => {
  const setup = await keeping();
  receiver.on(
    "POST /hook",
    { status: 500, text: "no" },
    (line) => line.reset(),
    { status: 302, headers: { location: `${receiver.url}/elsewhere` }, text: "" },
    { status: 204, text: "" },
  );
  const id = await setup.finish({ callback_url: hook });
  await receiver.seen(3);
  expect(await over(setup, id)).toMatchObject({ notifyTries: 4 });
  expect(receiver.requests.map(({ path }) => path)).toEqual(Array(4).fill("/hook"));
  expect(new Set(receiver.requests.map(({ headers }) => headers.get("webhook-id")))).toEqual(new Set([`msg_${id}`]));
  for (const seen of receiver.requests) await verified(seen);
  const gaps = receiver.requests.slice(1).map(({ at }, index) => at - (receiver.requests[index]?.at ?? 0));
  // 10 s, 50 s and 250 s, spread by a fifth, at a five-hundredth.
  for (const [index, least] of [16, 80, 400].entries()) expect(gaps[index]).toBeGreaterThanOrEqual(least);
});

test("a receiver that is gone for good is told once, one that never takes it eight times", async () => {
  const setup = await keeping({ waitScale: 0.000001 });
  receiver.on("POST /hook", { status: 410, text: "gone" });
  await over(setup, await setup.finish({ callback_url: hook }));
  expect(receiver.requests).toHaveLength(1);
  receiver.on("POST /hook", { status: 503, headers: { "retry-after": "0" }, text: "" });
  const id = await setup.finish({ callback_url: hook });
  expect(await over(setup, id)).toMatchObject({ notifyTries: 8 });
  expect(receiver.requests).toHaveLength(9);
  expect(setup.gateway.log.join("\n")).not.toContain("token=1");
});

test("what a receiver asks for is waited for", async () => {
  const setup = await keeping();
  receiver.on("POST /hook", { status: 429, headers: { "retry-after": "60" }, text: "" });
  const before = Date.now();
  const id = await setup.finish({ callback_url: hook });
  const row = await setup.rowUntil(id, (now) => now?.notifyTries === 1);
  expect((row?.notifyAt ?? 0) - before).toBeGreaterThan(55_000);
});

test.each([
  ["http://169.254.169.254/latest/meta-data", "callback_url", {}],
  ["http://10.0.0.1/hook", "callback_url", {}],
  ["http://localhost:1/hook", "callback_url", {}],
  ["ftp://example.com/hook", "callback_url", {}],
  ["not an address", "callback_url", {}],
  ["http://user:pass@example.com/", "metadata.webhook", {}],
])("%s is refused before anybody is asked, by its field", async (url, param) => {
  const setup = await keeping();
  const field = param === "callback_url" ? { callback_url: url } : { metadata: { webhook: url } };
  const { status, body } = await setup.ask("POST", "/v1/video/generations", { model: "sora-2", prompt: "x", ...field });
  expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: "invalid_value", param } } });
  expect(up.requests).toHaveLength(0);
});

test("a receiver that is silent holds up neither the polls nor the webhooks of others", async () => {
  const setup = await keeping();
  receiver.on("POST /hook", (line) => new Promise<void>((resolve) => void line.request.aborted.then(() => resolve())));
  for (let count = 0; count < 6; count++) await setup.finish({ callback_url: hook });
  await receiver.seen(3);
  await calm();
  // Four for one owner.
  expect(receiver.requests).toHaveLength(4);
  receiver.on("POST /other", { text: "thanks" });
  up.on("POST /v1/videos", { json: videoReply() });
  up.on("GET /v1/videos/video_up", { json: videoReply({ status: "completed" }) });
  const body = { model: "sora-2", prompt: "x", callback_url: `${receiver.url}/other` };
  const made = await setup.ask("POST", "/v1/video/generations", body, "tp-other-key");
  await receiver.seen(4);
  expect(receiver.requests[4]?.path).toBe("/other");
  expect(made.status).toBe(200);
});

test("what was not taken before the gateway stopped, or was killed, is told by the next one", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-webhooks-"));
  receiver.on("POST /hook", () => new Promise(() => undefined));
  up.on("POST /v1/videos", { json: videoReply({ status: "completed" }) });
  const dying = await spawnGateway({ dataFolder, yaml: upYaml(up), environment: settings() });
  const made = await fetch(`${dying.url}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${dying.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sora-2", prompt: "x", webhook: hook }),
  });
  const { id } = (await made.json()) as { id: string };
  await receiver.seen(0);
  await dying.kill("SIGKILL");
  const stopping = await keeper(up, { dataFolder, environment: settings() });
  await receiver.seen(1);
  await stopping.stop();
  receiver.on("POST /hook", { text: "thanks" });
  const setup = await keeping({ dataFolder });
  await receiver.seen(2);
  expect(await verified(receiver.requests[2] as Seen)).toMatchObject({ type: "video.completed", task_id: id });
  expect(await over(setup, id)).toMatchObject({ notifyTries: 1 });
  await dying.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

test("without a secret of the operator's each key has its own, which the command line shows", async () => {
  const setup = await keeping({ environment: { TURNPIKE_WEBHOOK_SECRET: undefined } });
  const show = async (name: string, more: Record<string, string> = {}) => {
    const main = join(import.meta.dir, "..", "..", "src", "main.ts");
    const { dataFolder } = setup.gateway;
    const env = {
      PATH: process.env["PATH"],
      BUN_CONFIG_MAX_HTTP_REQUESTS: "65336",
      TURNPIKE_DATA: dataFolder,
      ...more,
    };
    const command = Bun.spawn([process.execPath, main, "webhooks", "secret", name], {
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    return (await new Response(command.stdout).text()).trim();
  };
  await setup.finish({ callback_url: hook });
  const seen = await receiver.seen(0);
  const own = await show("default");
  expect(own).toMatch(/^whsec_[\w+/]{43}=$/);
  await verified(seen, own);
  await expect(verified(seen, secret)).rejects.toThrow();
  up.on("POST /v1/videos", { json: videoReply({ status: "completed" }) });
  await setup.ask("POST", "/v1/videos", { model: "sora-2", prompt: "x", webhook: hook }, "tp-other-key");
  await expect(verified(await receiver.seen(1), own)).rejects.toThrow();
  expect(await show("default", { TURNPIKE_WEBHOOK_SECRET: secret })).toBe(secret);
});

test("the signature is that of the specification, and a secret is 24 to 64 bytes", () => {
  const key = webhookKeyOf("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") ?? new Uint8Array();
  const headers = webhookHeaders(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330_999, '{"test": 2432232314}');
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
  const text = (length: number) => webhookSecretText(new Uint8Array(length));
  expect([23, 24, 64, 65].map((length) => webhookKeyOf(text(length))?.length ?? null)).toEqual([null, 24, 64, null]);
  for (const bad of ["", "whsec_", text(32).slice(6), "whsec_ä", "sk-1234567890123456789012345678901234"])
    expect(webhookKeyOf(bad)).toBeNull();
});
