// Google's provider: how it signs, what it lists, and where a call goes.
import { afterAll, expect, test } from "bun:test";
import { gemini } from "../../src/dialects/index.ts";
import { Secret } from "../../src/lib/secret.ts";
import { httpProvider } from "../../src/providers/http-provider.ts";
import { upstream } from "../support/upstream.ts";
import { kindOf } from "./helpers.ts";

const up = await upstream();
afterAll(() => up.stop());
const kind = kindOf("gemini");
const provider = httpProvider({
  name: "google",
  kind,
  baseUrl: up.url,
  credential: new Secret("AIza-test"),
  models: null,
  headers: {},
  timeouts: {},
});
const { signal } = new AbortController();

test("its models by their own names", async () => {
  up.next({
    json: {
      models: [{ name: "models/gemini-x", displayName: "Gemini X", inputTokenLimit: 5 }, { name: "tunedModels/a" }, {}],
    },
  });
  expect(await provider.list.models?.(signal)).toMatchObject([
    { id: "gemini-x", displayName: "Gemini X" },
    { id: "tunedModels/a" },
  ]);
  const seen = await up.seen(0);
  expect(seen.path).toBe("/v1beta/models");
  expect(seen.headers.get("x-goog-api-key")).toBe("AIza-test");
  expect(seen.headers.get("authorization")).toBeNull();
});

test("a stream is asked for as events, the key never stands in the address", async () => {
  up.next({ json: {} });
  const call = { path: "v1beta/models/m:streamGenerateContent?alt=sse", body: { contents: [] } };
  await provider.dispatch.send({ call, dialect: gemini, stream: true, signal });
  const seen = await up.seen(1);
  expect([seen.path, seen.query.toString()]).toEqual(["/v1beta/models/m:streamGenerateContent", "alt=sse"]);
  expect(seen.headers.get("x-goog-api-key")).toBe("AIza-test");
});

test("its variables and its place", () => {
  expect(kind).toMatchObject({
    baseUrl: "https://generativelanguage.googleapis.com",
    environment: { credential: "GEMINI_API_KEY", baseUrl: "GEMINI_BASE_URL" },
    origin: "gemini",
  });
});
