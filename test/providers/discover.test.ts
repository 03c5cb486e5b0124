// Local servers are found where they listen, and nobody else is taken for one.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { discover, type LocalPlace, localPlaces } from "../../src/providers/discover.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { allowedMs, timed } from "../support/until.ts";
import { closedAddress, upstream } from "../support/upstream.ts";
import { kindOf } from "./helpers.ts";

const up = await upstream();
const silent = Number(new URL(closedAddress()).port);
const port = Number(new URL(up.url).port);
const elsewhere = { host: "127.0.0.1", port: 1 };
const at = (...ports: number[]): LocalPlace[] => ports.map((each) => ({ kind: kindOf("ollama"), port: each }));
const json = { "content-type": "application/json" };
afterAll(() => up.stop());
afterEach(() => up.clear());

describe("discover", () => {
  test("the usual places", () => {
    expect(localPlaces.map((place) => `${place.kind.name} ${place.port}`)).toEqual([
      "ollama 11434",
      "lmstudio 1234",
      "vllm 8000",
      "llamacpp 8080",
    ]);
  });

  test("a server that lists models is a provider", async () => {
    up.on("GET /v1/models", says("providers/ollama/models.json"));
    const [entry, ...others] = await discover({ self: elsewhere, places: at(silent, port) });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ name: "ollama", baseUrl: `${up.url}/v1`, credential: null, models: null });
    expect(up.requests).toHaveLength(1);
  });

  test("a server without models yet is one too", async () => {
    up.on("*", { text: '{"object":"list","data":null}', headers: json });
    expect(await discover({ self: elsewhere, places: at(port) })).toHaveLength(1);
  });

  test("a server that returns the id of a request is one too", async () => {
    up.on("*", (line) => {
      const id = line.request.headers.get("x-request-id") ?? "turnpike-probe";
      return line.play({ text: '{"object":"list","data":[]}', headers: { ...json, "x-request-id": id } });
    });
    expect(await discover({ self: elsewhere, places: at(port) })).toHaveLength(1);
  });

  test("our own address is never asked, under any name that leads to it", async () => {
    up.on("*", says("providers/ollama/models.json"));
    for (const host of ["127.0.0.1", "localhost", "0.0.0.0", "::", "::1"]) {
      expect(await discover({ self: { host, port }, places: at(port) })).toEqual([]);
    }
    expect(up.requests).toEqual([]);
    expect(await discover({ self: { host: "10.1.2.3", port }, places: at(port) })).toHaveLength(1);
  });

  const others: [string, object][] = [
    ["a page", { text: "<html>", headers: { "content-type": "text/html" } }],
    ["another list", { text: '{"object":"page","data":[]}', headers: json }],
    ["a list of something", { text: "[]", headers: json }],
    ["a refusal", { status: 401, text: '{"object":"list","data":[]}', headers: json }],
    ["a gateway like us", { text: '{"object":"list","data":[]}', headers: { ...json, "x-turnpike-provider": "a" } }],
  ];
  test.each(others)("%s is no provider", async (_, reply) => {
    up.on("*", reply);
    expect(await discover({ self: elsewhere, places: at(port) })).toEqual([]);
  });

  test("a real gateway of ours is no provider", async () => {
    const other = await gateway();
    try {
      const found = await discover({ self: elsewhere, places: at(Number(new URL(other.url).port)) });
      expect(found).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  test("silence is waited for no longer than the patience", async () => {
    up.on("*", async (line) => {
      await line.closed;
    });
    const found = await timed(() => discover({ self: elsewhere, places: at(port), timeoutMs: 50 }));
    expect(found.value).toEqual([]);
    expect(found.ms).toBeLessThan(allowedMs(1_000, found));
  });
});
