// A policy holds for every operation: it refuses by key, reserves at admission, and learns what the exchange came to.
import { afterAll, describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/canonical/error.ts";
import type { Policy } from "../../src/gateway/policy/policy.ts";
import { gateway } from "../support/gateway.ts";
import { operationRequests, sendAs } from "../support/operation-requests.ts";
import { until } from "../support/until.ts";

interface Booked {
  readonly operation: string;
  readonly candidates: number;
  state: string | null;
  isReleased: boolean;
}

const booked = new Map<string, Booked>();

/** Refuses the second key, and writes down what it hears of the exchanges of the first. */
const policy: Policy = {
  name: "test",
  authorize({ caller }) {
    if (caller.name === "refused") throw new GatewayError("operation_not_allowed", "This key may not ask.");
  },
  admit({ id, operation, candidates }) {
    const entry: Booked = { operation, candidates: candidates.length, state: null, isReleased: false };
    booked.set(id, entry);
    return {
      settle({ state }) {
        entry.state = entry.state === null ? state : `${entry.state}, then ${state}`;
      },
      release() {
        entry.isReleased = !entry.isReleased;
      },
    };
  },
};

const running = await gateway({
  policies: [policy],
  videoWaitScale: 0.01,
  yaml: "keys: { allowed: { secret: tp-allowed-key-1 }, refused: { secret: tp-refused-key-1 } }",
});
afterAll(() => running.stop());

const prompt = [{ role: "user", content: "hi" }];

const send = (path: string, key: string, body: Record<string, unknown> | FormData): Promise<Response> =>
  sendAs(key, running.url + path, body);

describe.each(Object.entries(operationRequests))("%s", (_name, { operation, path, body }) => {
  test("are refused by key before anything is reserved", async () => {
    booked.clear();
    const response = await send(path, "tp-refused-key-1", body);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("This key may not ask.");
    expect(booked.size).toBe(0);
  });

  test("are reserved, settled once and released once", async () => {
    booked.clear();
    const response = await send(path, "tp-allowed-key-1", body);
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    await until("every exchange is settled", () => [...booked.values()].every(({ state }) => state !== null));
    expect(booked.size).toBeGreaterThan(0);
    for (const entry of booked.values())
      expect(entry).toEqual({ operation, candidates: 1, state: "completed", isReleased: true });
  });
});

test("a remix is an exchange of its own", async () => {
  const submit = await send("/v1/videos", "tp-allowed-key-1", { model: "sandbox/video", prompt: "a cat" });
  const { id } = (await submit.json()) as { id: string };
  await until("the video is completed", async () => {
    const response = await fetch(`${running.url}/v1/videos/${id}`, {
      headers: { authorization: "Bearer tp-allowed-key-1" },
    });
    return ((await response.json()) as { status: string }).status === "completed";
  });
  booked.clear();
  const refused = await send(`/v1/videos/${id}/remix`, "tp-refused-key-1", { prompt: "a dog" });
  expect(refused.status).toBe(404);
  const remix = await send(`/v1/videos/${id}/remix`, "tp-allowed-key-1", { prompt: "a dog" });
  expect(remix.status).toBe(200);
  await until("the remix is settled", () => [...booked.values()].some(({ state }) => state === "completed"));
  expect([...booked.values()]).toEqual([{ operation: "video", candidates: 1, state: "completed", isReleased: true }]);
});

test("a refused exchange releases what was reserved for it", async () => {
  booked.clear();
  const response = await send("/v1/chat/completions", "tp-allowed-key-1", {
    model: "sandbox/error",
    messages: prompt,
  });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect([...booked.values()]).toEqual([expect.objectContaining({ isReleased: true })]);
  expect(["failed", "rejected"]).toContain([...booked.values()][0]?.state ?? "");
});
