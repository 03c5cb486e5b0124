// Kling's accounts: the token that a key and its secret make, how long it is used, and what goes over the wire.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { klingVideos } from "../../src/dialects/video/index.ts";
import { Secret } from "../../src/lib/secret.ts";
import type { Account } from "../../src/providers/credentials.ts";
import { httpProvider } from "../../src/providers/http-provider.ts";
import { klingToken } from "../../src/providers/kling.ts";
import type { HttpProvider, Provider } from "../../src/providers/provider.ts";
import { faultOf, load } from "../config/load.ts";
import { plainVideo, renderContext } from "../dialects/video/setting.ts";
import { says } from "../support/fixtures.ts";
import { upstream } from "../support/upstream.ts";
import { kindOf } from "./helpers.ts";

const up = await upstream();
afterAll(() => up.stop());
beforeEach(() => up.clear());

const key = { accessKeyId: new Secret("AKTEST"), secretAccessKey: new Secret("SKTEST") };
const startMs = Date.UTC(2025, 0, 1, 0, 0, 0, 999);
const known =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJBS1RFU1QiLCJleHAiOjE3MzU2OTE0MDAsIm5iZiI6MTczNTY4OTU5NX0.yoacf5LizVDzA7UVDmhgarQpcDzbUXJ2PSKZHzsD21A";

test("the known token", async () => {
  expect(await klingToken(key, startMs)).toBe(known);
  expect(await klingToken(key, startMs + 1)).not.toBe(known);
  expect(await klingToken({ ...key, secretAccessKey: new Secret("SKTEST2") }, startMs)).not.toBe(known);
});

let nowMs = startMs;
beforeEach(() => {
  nowMs = startMs;
});

function providerWith(account: Account, credential: Secret | null = null): HttpProvider {
  const entry = { name: "films", kind: kindOf("kling"), baseUrl: up.url, credential, models: null, headers: {} };
  const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
  return httpProvider({ ...entry, account, timeouts: {} }, { clock });
}

const submit = async (provider: Provider): Promise<string | null> => {
  const { call } = klingVideos.render(plainVideo, { ...renderContext, model: "kling-v2-1" });
  await provider.dispatch.sendTask?.(call, new AbortController().signal);
  return up.requests.at(-1)?.headers.get("authorization") ?? null;
};

describe("on a socket", () => {
  beforeEach(() => up.on("*", says("video/kling/accepted.json")));

  test("a submit shows a token, and the secret stays here", async () => {
    expect(await submit(providerWith(key))).toBe(`Bearer ${known}`);
    const seen = await up.seen(0);
    expect([seen.method, seen.path]).toEqual(["POST", "/v1/videos/text2video"]);
    expect(seen.json).toMatchObject({ model_name: "kling-v2-1", duration: "5" });
    expect(`${seen.text} ${[...seen.headers.values()]}`).not.toContain("SKTEST");
  });

  test("a token is used until shortly before its end, a refused one no more", async () => {
    const provider = providerWith(key);
    await submit(provider);
    nowMs = startMs + 25 * 60_000 - 1;
    expect(await submit(provider)).toBe(`Bearer ${known}`);
    nowMs += 1;
    const second = await submit(provider);
    expect(second).not.toBe(`Bearer ${known}`);
    nowMs += 1_000;
    up.next({ status: 401, json: { code: 1004, message: "Authorization expired" } });
    expect(await submit(provider)).toBe(second);
    expect(await submit(provider)).not.toBe(second);
  });

  test("a clock that is set back does not leave a token from the future in use", async () => {
    const provider = providerWith(key);
    await submit(provider);
    nowMs = startMs - 3_600_000;
    expect(await submit(provider)).not.toBe(`Bearer ${known}`);
  });

  test("an API key is shown as it is, and wins", async () => {
    expect(await submit(providerWith(key, new Secret("api-key-1")))).toBe("Bearer api-key-1");
  });

  test("a poll is a signed GET without a body", async () => {
    const keep = { path: "v1/videos/text2video" };
    const call = klingVideos.poll({ id: "task_1", upstreamId: "a/b", model: "kling-v2-1", upstreamState: keep });
    await providerWith(key).dispatch.sendTask?.(call, new AbortController().signal);
    const seen = await up.seen(0);
    expect([seen.method, seen.path, seen.text]).toEqual(["GET", "/v1/videos/text2video/a%2Fb", ""]);
    expect(seen.headers.get("authorization")).toBe(`Bearer ${known}`);
  });

  test("both parts are hidden wherever they turn up", () => {
    expect(providerWith(key).dispatch.redactor.text("AKTEST SKTEST")).toBe("[hidden] [hidden]");
  });
});

describe("configured", () => {
  const named = (name: string, environment: Record<string, string>) =>
    load("", environment).catalog.providers.find((provider) => provider.entry.name === name);
  const file = (fields: string) => `providers:\n  mine: { ${fields} }\n`;

  test("by variables: both parts, or an API key", () => {
    expect(named("kling", { KLINGAI_ACCESS_KEY: "a", KLINGAI_SECRET_KEY: "s" })?.kind.name).toBe("kling");
    expect(named("kling", { KLING_ACCESS_KEY: "a", KLING_SECRET_KEY: "s" })?.kind.name).toBe("kling");
    expect(named("kling", { KLINGAI_API_KEY: "k" })?.kind.name).toBe("kling");
    expect(named("kling", { KLINGAI_ACCESS_KEY: "a" })).toBeUndefined();
    expect(named("jimeng", { VOLC_ACCESSKEY: "a", VOLC_SECRETKEY: "s" })?.kind.name).toBe("jimeng");
    expect(named("jimeng", { VOLCENGINE_ACCESS_KEY: "a", VOLCENGINE_SECRET_KEY: "s" })?.kind.name).toBe("jimeng");
    expect(named("jimeng", { VOLC_SECRETKEY: "s" })).toBeUndefined();
  });

  test.each(["kling", "jimeng"])("by the file: %s", (kind) => {
    const pair = `kind: ${kind}, access_key_id: a, secret_access_key: s`;
    expect(load(file(pair)).catalog.providers[0]).toMatchObject({ entry: { name: "mine" }, kind: { name: kind } });
    expect(load(file(`kind: ${kind}, credential: k`)).catalog.providers[0]?.kind.name).toBe(kind);
    expect(faultOf(file(`kind: ${kind}`))).toContain("providers.mine.access_key_id: an access key, or an API key");
    expect(faultOf(file(`kind: ${kind}, access_key_id: a`))).toContain(
      "secret_access_key: the secret of the access key is missing",
    );
    expect(faultOf(file(`kind: ${kind}, secret_access_key: s`))).toContain("access_key_id: the ID of the access key");
    expect(faultOf(file(`${pair}, region: cn-north-1`))).toContain(`unknown field for provider kind '${kind}'`);
  });
});
