// One request, two ids: the gateway's and the one that the client saw are together in log, ledger and command line.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { chatBody, setting } from "./setting.ts";

const { world, bearer, send } = await setting();
const { gateway, upstreams } = world;

const headers = { ...bearer, "content-type": "application/json" };

async function show(id: string): Promise<{ id: string; requestId: string; failedAttempts: { provider: string }[] }[]> {
  const main = join(import.meta.dir, "..", "..", "src", "main.ts");
  const child = Bun.spawn([process.execPath, main, "requests", "show", id, "--json"], {
    env: { PATH: process.env["PATH"] ?? "", TURNPIKE_DATA: gateway.dataFolder },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(err).toBe("");
  return JSON.parse(out);
}

interface Line {
  event: string;
  id?: string;
  requestId?: string;
}

const linesOf = (requestId: string): Line[] =>
  gateway.log.map((line) => JSON.parse(line) as Line).filter((line) => line.requestId === requestId);

test.each([
  ["the caller's own", "caller-7"],
  ["one that the gateway made", null],
])(
  "a request that fails everywhere is found by both ids: %s",
  async (_name, given) => {
    for (const each of Object.values(upstreams)) each.on("*", { status: 500, json: { error: { message: "no" } } });
    const answer = await send("/v1/chat/completions", {
      method: "POST",
      headers: given === null ? headers : { ...headers, "x-request-id": given },
      body: JSON.stringify({ ...chatBody, model: "chain" }),
    });
    expect(answer.status).toBe(502);
    const requestId = answer.headers.get("x-request-id") ?? "";
    if (given !== null) expect(requestId).toBe(given);
    const lines = linesOf(requestId);
    expect(lines.map(({ event }) => event)).toEqual([
      "attempt_failed",
      "attempt_failed",
      "attempt_failed",
      "exchange_failed",
    ]);
    const [id = ""] = new Set(lines.map((line) => line.id));
    expect(id).toMatch(/^[\da-f-]{36}$/);
    for (const found of [await show(id), await show(requestId)]) {
      expect(found).toMatchObject([{ id, requestId }]);
      expect(found[0]?.failedAttempts.map(({ provider }) => provider)).toEqual(["alpha", "beta", "gamma"]);
    }
  },
  60_000,
);

test("a video that nobody takes is found by both ids", async () => {
  const answer = await send("/v1/videos", {
    method: "POST",
    headers: { ...headers, "x-request-id": "film-1" },
    body: JSON.stringify({ model: "sandbox/video", prompt: "[sandbox error=500]" }),
  });
  expect(answer.status).toBeGreaterThanOrEqual(500);
  const lines = linesOf("film-1");
  expect(lines.map(({ event }) => event)).toContain("exchange_failed");
  expect(new Set(lines.map(({ id }) => id)).size).toBe(1);
  expect(await show("film-1")).toMatchObject([{ id: lines[0]?.id, operation: "video" }]);
}, 60_000);
