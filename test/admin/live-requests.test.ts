// The live stream of requests over a socket: what begins, answers and settles, resumed and filtered; and canceling.
import { expect, test } from "bun:test";
import { adminKey, gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { admin, dataIn, errorIn, type Json } from "./setting.ts";

const { ask, token, running } = await admin();

function chat(model = "sandbox/chat", extra: object = {}, content = "Hello") {
  const body = JSON.stringify({ model, messages: [{ role: "user", content }], ...extra });
  const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
  return fetch(`${running.url}/v1/chat/completions`, { method: "POST", headers, body });
}

interface Change {
  id: string;
  data: { in_flight: number; started: Json[]; first_byte: Json[]; settled: Json[]; more: boolean };
}

/** Reads the stream until `isEnough`. */
async function watch(
  isEnough: (all: Change[]) => boolean,
  query = "",
  headers: Record<string, string> = {},
  onOpen: () => unknown = () => undefined,
) {
  const aborting = new AbortController();
  const response = await fetch(`${running.url}/admin/api/requests/live${query}`, {
    headers: { authorization: `Bearer ${adminKey}`, ...headers },
    signal: aborting.signal,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const changes: Change[] = [];
  let text = "";
  let isOpen = false;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const [, id = "", data = "{}"] = /^id: (\S*)\nevent: requests\ndata: (.*)$/.exec(frame) ?? [];
      if (!frame.startsWith(":")) changes.push({ id, data: JSON.parse(data) });
    }
    if (!isOpen) void onOpen();
    isOpen = true;
    if (isEnough(changes)) break;
  }
  aborting.abort();
  return changes;
}

const settledIn = (changes: Change[]) => changes.flatMap(({ data }) => data.settled);

test("shows what settles after it was opened, and resumes after the last event", async () => {
  await (await chat()).text();
  const send = async () => {
    for (let at = 0; at < 3; at++) await (await chat()).text();
  };
  const changes = await watch((all) => settledIn(all).length === 3, "", {}, send);
  expect(settledIn(changes)[0]).toMatchObject({
    object: "request",
    model: "sandbox/chat",
    state: "completed",
    status: 200,
  });
  const [first] = changes;
  const again = await watch((all) => settledIn(all).length === 3, "", { "last-event-id": first?.id ?? "" });
  const ids = (list: Change[]) => settledIn(list).map(({ id }) => id);
  expect(ids(again)).toEqual(ids(changes));
});

test("filters", async () => {
  const send = async () => {
    await (await chat()).text();
    await (await chat("sandbox/other")).text();
  };
  const changes = await watch((all) => settledIn(all).length > 0, "?model=sandbox/other", {}, send);
  expect(settledIn(changes).map(({ model }) => model)).toEqual(["sandbox/other"]);
});

test("shows a running request, which can be canceled, and is charged for what it used", async () => {
  const reply = chat("sandbox/chat", { stream: true }, "[sandbox pace=60000] Hello there").then((response) =>
    response.text(),
  );
  const isStarted = (all: Change[]) => all.some(({ data }) => data.started.length > 0);
  const changes = await watch(isStarted);
  const started = changes.flatMap(({ data }) => data.started)[0];
  expect(started).toMatchObject({
    object: "request",
    state: "open",
    model: "sandbox/chat",
    key_id: expect.any(String),
  });
  const id = String(started?.["id"]);
  const reader = await token("requests:read");
  expect((await ask(`POST requests/${id}/cancel`, undefined, { key: reader })).status).toBe(403);
  const canceled = await ask(`POST requests/${id}/cancel`);
  expect(canceled.body).toEqual({ object: "request_cancellation", id, canceled: true });
  expect(await reply).toContain("request_canceled");
  const state = async () => (await ask(`GET requests/${id}`)).body["state"] === "cancelled";
  await until("it is settled", state);
  expect((await ask(`POST requests/${id}/cancel`)).body["canceled"]).toBe(false);
  expect(dataIn(await ask("GET audit?resource=requests"))[0]).toMatchObject({ action: "cancel", object_id: id });
});

test("needs the permission to read requests, and parameters that exist", async () => {
  expect(errorIn(await ask("GET requests/live?x=1"))).toEqual({ status: 400, code: "unknown_parameter", param: "x" });
  const key = await token("audit:read");
  expect(errorIn(await ask("GET requests/live", undefined, { key }))).toMatchObject({ status: 403 });
  expect(errorIn(await ask("GET requests/live", undefined, { key: null }))).toMatchObject({ status: 401 });
});

test("a gateway that stops ends the streams", async () => {
  const other = await gateway();
  const response = await fetch(`${other.url}/admin/api/requests/live`, {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  const ended = response.text();
  await other.stop();
  expect(await ended).toContain("event: requests");
});

test("bounds the clients that watch, also those that come at once, and gives their places back", async () => {
  const other = await gateway();
  const open = (signal: AbortSignal) =>
    fetch(`${other.url}/admin/api/requests/live`, { headers: { authorization: `Bearer ${adminKey}` }, signal });
  const leaving = new AbortController();
  const responses = await Promise.all(Array.from({ length: 26 }, () => open(leaving.signal)));
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), ...Array.from({ length: 6 }, () => 429)]);
  leaving.abort();
  const later = new AbortController();
  await until("a place is free", async () => (await open(later.signal)).status === 200);
  later.abort();
  await other.stop();
});
