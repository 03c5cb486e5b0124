// A listener of its own for management: its paths are not on the clients' listener, and theirs are not on it.
import { afterAll, describe, expect, test } from "bun:test";
import { readSettings } from "../../src/config/environment.ts";
import { adminKey, gateway } from "../support/gateway.ts";

const running = await gateway({
  environment: {
    TURNPIKE_ADMIN_PORT: "0",
    MISTRAL_API_KEY: "variable-canary-credential",
    MISTRAL_BASE_URL: "http://127.0.0.1:9/v1",
  },
});
afterAll(() => running.stop());
const adminUrl = running.lines.map((line) => /admin API is listening on (\S+)/.exec(line)?.[1]).find(Boolean) ?? "";
const bearer = { authorization: `Bearer ${adminKey}` };
const get = async (url: string, headers: Record<string, string> = bearer) => (await fetch(url, { headers })).status;

test("it has a port of its own", () => {
  expect(adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(adminUrl).not.toBe(running.url);
});

describe.each(["/admin/api/audit", "/admin/api/providers", "/metrics"])("%s", (path) => {
  test("is on it, and 404 for clients", async () => {
    expect(await get(adminUrl + path)).toBe(200);
    expect(await get(adminUrl + path, {})).toBe(401);
    expect(await get(running.url + path)).toBe(404);
  });
});

test("paths of clients are not on it, health is on both", async () => {
  const client = { authorization: `Bearer ${running.key}` };
  expect(await get(`${running.url}/v1/models`, client)).toBe(200);
  expect(await get(`${adminUrl}/v1/models`, client)).toBe(404);
  for (const path of ["/livez", "/readyz"]) {
    expect(await get(running.url + path, {})).toBe(200);
    expect(await get(adminUrl + path, {})).toBe(200);
  }
});

test("each document has the paths of its own listener", async () => {
  const client = { authorization: `Bearer ${running.key}` };
  const pathsOf = async (url: string, headers: Record<string, string>) => {
    const body = (await (await fetch(`${url}/openapi.json`, { headers })).json()) as { paths: object };
    return Object.keys(body.paths);
  };
  const isAdmin = (path: string) => path.startsWith("/admin/api/") || path === "/metrics";
  expect((await pathsOf(running.url, client)).filter(isAdmin)).toEqual([]);
  const own = await pathsOf(adminUrl, {});
  expect(own.filter((path) => !isAdmin(path)).sort()).toEqual(["/docs", "/livez", "/openapi.json", "/readyz"]);
});

test("a provider of a variable is shown without its credential", async () => {
  const text = await (await fetch(`${adminUrl}/admin/api/providers/mistral`, { headers: bearer })).text();
  expect(JSON.parse(text)).toMatchObject({ source: "environment", config: { base_url: "http://127.0.0.1:9/v1" } });
  expect(text).not.toContain("variable-canary");
});

test("a host without a port, and a port that is none, stop the start", () => {
  expect(() => readSettings({ TURNPIKE_ADMIN_HOST: "::1" }, "/")).toThrow("TURNPIKE_ADMIN_PORT");
  expect(() => readSettings({ TURNPIKE_ADMIN_PORT: "70000" }, "/")).toThrow("TURNPIKE_ADMIN_PORT must be");
});
