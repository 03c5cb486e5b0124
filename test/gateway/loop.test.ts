// A provider that leads back to the gateway by a way that nobody can see at the start: few hops, then a clear 508, for every operation.
import { afterAll, describe, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { clientKey, gateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { transcribe } from "../support/response-oracle.ts";

let target = "";
const hops: (string | null)[] = [];
/** A way in between: it presents a key of the gateway, whatever it was given. */
const way = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 60,
  async fetch(request) {
    hops.push(request.headers.get("x-turnpike-hops"));
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of ["x-api-key", "x-goog-api-key"]) headers.delete(name);
    headers.set("authorization", `Bearer ${clientKey}`);
    const body = request.method === "GET" ? null : await request.bytes();
    return fetch(target + pathname + search, { method: request.method, headers, body, redirect: "manual" });
  },
});
const base = `http://127.0.0.1:${way.port}`;
const running = await gateway({
  yaml: `providers:
  chats: { kind: compatible, base_url: "${base}/v1", credential: some-credential, models: [m] }
  responses: { kind: openai, base_url: "${base}/v1", credential: some-credential, models: [r] }
  messages: { kind: anthropic, base_url: "${base}", credential: some-credential, models: [c] }
  google: { kind: gemini, base_url: "${base}", credential: some-credential, models: [g] }
models:
  films: { candidates: [{ provider: responses, model: films }] }
  again: { candidates: [{ provider: chats, model: again }, { provider: messages, model: again }] }
`,
});
target = running.url;
afterAll(async () => {
  await running.stop();
  await way.stop(true);
});

const bearer = { authorization: `Bearer ${clientKey}` };
const messages = [{ role: "user", content: "hi" }];

const asks: [operation: string, path: string, body: object | FormData][] = [
  ["a provider's model", "/v1/chat/completions", { model: "chats/again", messages }],
  ["a route", "/v1/chat/completions", { model: "again", messages }],
  ["a streamed route", "/v1/chat/completions", { model: "again", messages, stream: true }],
  ["messages", "/v1/messages", { model: "again", max_tokens: 9, messages }],
  ["responses", "/v1/responses", { model: "again", input: "hi" }],
  ["gemini", "/v1beta/models/again:generateContent", { contents: [{ parts: [{ text: "hi" }] }] }],
  ["embeddings", "/v1/embeddings", { model: "again", input: "hi" }],
  ["images", "/v1/images/generations", { model: "again", prompt: "hi" }],
  ["speech", "/v1/audio/speech", { model: "again", input: "hi", voice: "alloy" }],
  ["transcription", "/v1/audio/transcriptions", form({ model: "again", file: new File(["RIFF"], "a.wav") })],
  ["videos", "/v1/videos", { model: "films", prompt: "hi" }],
  ["video generations", "/v1/video/generations", { model: "films", prompt: "hi" }],
];

function form(fields: Record<string, string | File>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

async function ask(path: string, body: object | FormData) {
  const isForm = body instanceof FormData;
  const headers = isForm
    ? bearer
    : { ...bearer, "content-type": "application/json", "anthropic-version": "2023-06-01" };
  return transcribe(
    await fetch(running.url + path, { method: "POST", headers, body: isForm ? body : JSON.stringify(body) }),
  );
}

describe("a loop ends with 508 after three hops", () => {
  test.each(asks)("%s", async (_operation, path, body) => {
    hops.length = 0;
    const rows = ledgerRows(running.dataFolder).length;
    const received = await ask(path, body);
    expect({ status: received.status, text: received.text }).toEqual({
      status: 508,
      text: expect.stringContaining("leads back"),
    });
    expect(hops).toEqual(["1", "2", "3"]);
    expect(ledgerRows(running.dataFolder).length - rows).toBe(3);
    if (path !== "/v1beta/models/again:generateContent")
      expect(at(received.json, "error", "code")).toBe("loop_detected");
  });

  test("a background response", async () => {
    hops.length = 0;
    const queued = await ask("/v1/responses", { model: "again", input: "hi", background: true });
    const path = `${running.url}/v1/responses/${at(queued.json, "id")}`;
    for (let result: unknown = queued.json; ; ) {
      if (at(result, "status") === "failed") {
        expect(at(result, "error", "message")).toContain("leads back");
        break;
      }
      result = await (await fetch(path, { headers: bearer })).json();
    }
    expect(hops).toEqual(["1", "2", "3"]);
  });
});

test("what comes with the count of a fourth gateway is refused before it is read, three pass", async () => {
  const headers = (count: string) => ({ ...bearer, "x-turnpike-hops": count });
  for (const count of ["3", "4", "77", "99999999999999999999"]) {
    const answer = await fetch(`${running.url}/v1/chat/completions`, { method: "POST", headers: headers(count) });
    expect(answer.status).toBe(508);
    expect(answer.headers.get("x-should-retry")).toBe("false");
  }
  for (const count of ["2", "-1", "x", "3.5"]) {
    const answer = await fetch(`${running.url}/v1/models`, { headers: headers(count) });
    expect(answer.status).toBe(200);
  }
});
