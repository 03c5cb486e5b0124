// Features of the imitated APIs that this gateway does not have: each official SDK gets a 404 that names the feature.
import { afterAll, expect, test } from "bun:test";
import { anthropicClient, geminiClient, openaiClient } from "../support/clients.ts";
import { gateway } from "../support/gateway.ts";
import { thrownBy } from "./setting.ts";

const running = await gateway();
afterAll(() => running.stop());

const { url, key } = running;
const openai = openaiClient(url, key);
const anthropic = anthropicClient(url, key);
const google = geminiClient(url, key);
const first = async (list: AsyncIterable<unknown>): Promise<unknown> => (await Array.fromAsync(list))[0];
const upload = { bytes: 1, filename: "a", mime_type: "text/plain", purpose: "batch" as const };

test.each<[name: string, call: () => Promise<unknown>]>([
  ["Files", () => first(openai.files.list())],
  ["Files", () => openai.files.retrieve("file-1")],
  ["Batches", () => first(openai.batches.list())],
  ["Fine-tuning", () => first(openai.fineTuning.jobs.list())],
  ["Assistants", () => first(openai.beta.assistants.list())],
  ["Threads", () => openai.beta.threads.create()],
  ["Vector stores", () => first(openai.vectorStores.list())],
  ["Uploads", () => openai.uploads.create(upload)],
  ["Realtime", () => openai.realtime.clientSecrets.create({})],
  ["Conversations", () => openai.conversations.create()],
  ["Stored chat completions", () => openai.chat.completions.retrieve("chatcmpl-1")],
  ["Files", () => first(anthropic.beta.files.list())],
  ["Message Batches", () => first(anthropic.messages.batches.list())],
  ["Cached contents", async () => first(await google.caches.list())],
  ["Files", async () => first(await google.files.list())],
  ["Batches", async () => first(await google.batches.list())],
])("%s", async (name, call) => {
  const { status, message } = (await thrownBy(call())) as { status: number; message: string };
  expect(status).toBe(404);
  expect(message).toContain(`This gateway does not offer ${name}.`);
});

test.each([
  ["/v1/files", {}, { error: { code: "not_found", param: null } }],
  ["/v1/files", { "anthropic-version": "2023-06-01" }, { type: "error", error: { type: "not_found_error" } }],
  ["/v1/files", { "x-goog-api-key": "k" }, { error: { code: 404, status: "NOT_FOUND" } }],
  ["/v1beta/cachedContents/x", {}, { error: { code: 404, status: "NOT_FOUND" } }],
  ["/upload/v1beta/files", {}, { error: { code: 404, status: "NOT_FOUND" } }],
  ["/v1beta/models/gemini-x:batchGenerateContent", {}, { error: { code: 404, status: "NOT_FOUND" } }],
])("%s with %j is answered in the envelope of its protocol", async (path, headers, body) => {
  const response = await fetch(url + path, { method: "POST", headers });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject(body);
});
