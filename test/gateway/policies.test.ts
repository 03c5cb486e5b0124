// A policy holds for every operation: it refuses by key, reserves at admission, and learns what the exchange came to.
import { afterAll, describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/canonical/error.ts";
import type { Policy } from "../../src/gateway/policy/policy.ts";
import { gateway } from "../support/gateway.ts";
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
const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
const json = (body: unknown) => ({ headers, body: JSON.stringify(body) });

/** One request of each operation, with the operation that policies see. */
const requests: Record<string, { operation: string; path: string; body: Record<string, unknown> | FormData }> = {
  chat: { operation: "chat", path: "/v1/chat/completions", body: { model: "sandbox/chat", messages: prompt } },
  "streamed chat": {
    operation: "chat",
    path: "/v1/chat/completions",
    body: { model: "sandbox/chat", messages: prompt, stream: true },
  },
  messages: {
    operation: "chat",
    path: "/v1/messages",
    body: { model: "sandbox/chat", max_tokens: 9, messages: prompt },
  },
  "token counts": {
    operation: "count",
    path: "/v1/messages/count_tokens",
    body: { model: "sandbox/chat", messages: prompt },
  },
  responses: { operation: "chat", path: "/v1/responses", body: { model: "sandbox/chat", input: "hi" } },
  "background responses": {
    operation: "chat",
    path: "/v1/responses",
    body: { model: "sandbox/chat", input: "hi", background: true },
  },
  compaction: { operation: "chat", path: "/v1/responses/compact", body: { model: "sandbox/chat", input: "hi" } },
  embeddings: { operation: "embed", path: "/v1/embeddings", body: { model: "sandbox/embedding", input: "hi" } },
  rerank: {
    operation: "rerank",
    path: "/v1/rerank",
    body: { model: "sandbox/rerank", query: "a", documents: ["a", "b"] },
  },
  moderations: { operation: "moderate", path: "/v1/moderations", body: { model: "sandbox/moderation", input: "hi" } },
  images: { operation: "image", path: "/v1/images/generations", body: { model: "sandbox/image", prompt: "a cat" } },
  speech: {
    operation: "speak",
    path: "/v1/audio/speech",
    body: { model: "sandbox/speech", input: "hi", voice: "alloy" },
  },
  transcriptions: { operation: "transcribe", path: "/v1/audio/transcriptions", body: recording() },
  videos: { operation: "video", path: "/v1/videos", body: { model: "sandbox/video", prompt: "a cat" } },
};

function recording(): FormData {
  const form = new FormData();
  form.set("model", "sandbox/transcription");
  form.set("file", new File([wav()], "a.wav", { type: "audio/wav" }));
  return form;
}

/** A tenth of a second of silence. */
function wav(): ArrayBuffer {
  const samples = 800;
  const view = new DataView(new ArrayBuffer(44 + samples * 2));
  const text = (at: number, value: string): void => {
    for (let i = 0; i < value.length; i++) view.setUint8(at + i, value.charCodeAt(i));
  };
  text(0, "RIFF");
  view.setUint32(4, 36 + samples * 2, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8_000, true);
  view.setUint32(28, 16_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, samples * 2, true);
  return view.buffer;
}

function send(path: string, key: string, body: Record<string, unknown> | FormData, method = "POST"): Promise<Response> {
  const init = body instanceof FormData ? { headers: {}, body } : json(body);
  return fetch(running.url + path, { ...init, method, headers: { ...init.headers, authorization: `Bearer ${key}` } });
}

describe.each(Object.entries(requests))("%s", (_name, { operation, path, body }) => {
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
