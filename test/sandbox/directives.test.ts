// What directives and model names make of the sandbox: slow, failing, limited, cut.
import { describe, expect, test } from "bun:test";
import { at, collectChat, collectMessage } from "../support/chat-stream-reader.ts";
import type { Received } from "../support/response-oracle.ts";
import { allowedMs, type Timed, timed } from "../support/until.ts";
import { prompt, sandbox } from "./setting.ts";

const { say, chat, messages } = await sandbox();

async function answered(work: () => Promise<Received>): Promise<Timed<Received>> {
  const received = await timed(work);
  expect(received.value.status).toBe(200);
  return received;
}

describe("directives", () => {
  test("delay waits before the answer", async () => {
    expect((await answered(() => chat("[sandbox delay=120] hi"))).ms).toBeGreaterThanOrEqual(119);
    const fast = await answered(() => chat("hi"));
    expect(fast.ms).toBeLessThan(allowedMs(100, fast));
  });

  test("delay waits before an embedding too", async () => {
    const body = { model: "sandbox/embed", input: "[sandbox delay=120] hi" };
    expect((await answered(() => say({ to: "embeddings", body }))).ms).toBeGreaterThanOrEqual(119);
  });

  test("pace spreads a stream: its first piece is there long before its last", async () => {
    const times = [performance.now()];
    const note = () => void times.push(performance.now());
    const body = { model: "sandbox/chat", stream: true, messages: prompt("[sandbox pace=25] one two three") };
    await say({ body, onFirst: note });
    note();
    const [start = 0, first = 0, last = 0] = times;
    expect(last - first).toBeGreaterThan(120);
    expect(first - start).toBeLessThan((last - start) / 2);
  });

  const refusals = [
    { directive: "error=503", status: 503, type: "unavailable_error" },
    { directive: "error=500", status: 502, type: "upstream_error" },
    { directive: "error=400", status: 400, type: "invalid_request_error" },
    { directive: "error=777", status: 502, type: "upstream_error" },
    { directive: "rate-limit=5", status: 429, type: "rate_limit_error", retryAfter: "5" },
  ];

  test.each(refusals)("$directive is $status", async ({ directive, status, type, retryAfter }) => {
    for (const stream of [false, true]) {
      const received = await chat(`[sandbox ${directive}] hi`, { stream });
      expect({ status: received.status, type: at(received.json, "error", "type") }).toEqual({ status, type });
      if (retryAfter) expect(received.headers.get("retry-after")).toBe(retryAfter);
    }
  });

  test("an embedding can be refused too", async () => {
    const body = { model: "sandbox/embed", input: ["fine", "[sandbox rate-limit=3]"] };
    const received = await say({ to: "embeddings", body });
    expect([received.status, received.headers.get("retry-after")]).toEqual([429, "3"]);
  });

  test("cut breaks a stream off after its pieces, and says so in the stream", async () => {
    const ofChat = collectChat(await chat("[sandbox cut=4] one two three four five", { stream: true }));
    expect(ofChat).toMatchObject({ isEnded: false, error: { type: "upstream_error" } });
    expect(ofChat.text).toStartWith("Sandbox");
    const ofMessages = collectMessage(await messages("[sandbox cut=4] one two three four", { stream: true }));
    expect(ofMessages).toMatchObject({ isEnded: false, error: { type: "api_error" } });
  });

  test("cut=0 breaks off before anything: an error with a status", async () => {
    expect((await chat("[sandbox cut=0] hi", { stream: true })).status).toBe(502);
  });

  test("several words in one bracket, and a later bracket wins", async () => {
    const received = await timed(() => chat("[sandbox delay=5000 error=503] [sandbox delay=0] hi"));
    expect(received.value.status).toBe(503);
    expect(received.ms).toBeLessThan(allowedMs(1_000, received));
  });

  test("a directive counts in the last user message only, and is not repeated", async () => {
    const turns = [
      { role: "user", content: "[sandbox error=500] first" },
      { role: "assistant", content: "[sandbox error=500]" },
      { role: "user", content: "[sandbox delay=1] second" },
    ];
    const received = await chat("", { messages: turns });
    expect(collectChat(received).text).toBe('Sandbox reply: you said "second"');
  });

  test("what is no directive is only text", async () => {
    const received = await chat("[sandbox explode=1] [sandbox] [sandbox delay=x]");
    expect(received.status).toBe(200);
    expect(collectChat(received).text).toContain("[sandbox]");
  });
});

describe("model names", () => {
  const names = [
    { name: "error", status: 502 },
    { name: "rate-limit", status: 429 },
    { name: "embed", status: 200 },
    { name: "chat", status: 200 },
  ];
  test.each(names)("sandbox/$name is $status", async ({ name, status }) => {
    expect((await chat("hi", { model: `sandbox/${name}` })).status).toBe(status);
  });

  test("sandbox/slow is slow, sandbox/cut is cut", async () => {
    expect((await answered(() => chat("hi", { model: "sandbox/slow" }))).ms).toBeGreaterThan(990);
    const received = await chat("one two three", { model: "sandbox/cut", stream: true });
    expect(collectChat(received)).toMatchObject({ isEnded: false });
  });

  test("the prompt wins over the name", async () => {
    const fast = await answered(() => chat("[sandbox delay=0] hi", { model: "sandbox/slow" }));
    expect(fast.ms).toBeLessThan(allowedMs(900, fast));
  });

  test("all of them are listed", async () => {
    const received = await say({ method: "GET", path: "/v1/models" });
    const ids = (at(received.json, "data") as { id: string }[]).map(({ id }) => id);
    expect(ids.sort()).toEqual(
      [
        "chat",
        "cut",
        "embed",
        "error",
        "image",
        "moderate",
        "rate-limit",
        "rerank",
        "slow",
        "speak",
        "transcribe",
        "video",
      ].map((name) => `sandbox/${name}`),
    );
  });
});
