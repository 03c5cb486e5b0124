// What operators see of a task: each poll with what the provider answered, and the video itself.
import { expect, test } from "bun:test";
import { type PollRecord, withPoll } from "../../src/gateway/tasks/poll-history.ts";
import { adminOf, dataIn, errorIn } from "../admin/setting.ts";
import { adminKey } from "../support/gateway.ts";
import { videoReply, videoSetting } from "./setting.ts";

const { gateway, up, ask: client, until } = await videoSetting();
const { ask, token } = await adminOf(gateway);
const submitted = "POST /v1/videos";
const polled = "GET /v1/videos/video_up";
const bytes = "GET /v1/videos/video_up/content";

async function submit(): Promise<string> {
  up.on(submitted, { json: videoReply() });
  const { body } = await client("POST", "/v1/videos", { model: "sora-2", prompt: "x" });
  return String(body["id"]);
}

const isOver = ({ status }: Record<string, unknown>): boolean => status === "completed" || status === "failed";

test("every poll is kept with what the provider answered, without credentials and signatures", async () => {
  const message = "read https://files.example/a.mp4?X-Sig=canary-signature with sk-canary-first";
  up.on(
    polled,
    { json: videoReply({ status: "in_progress", progress: 40 }) },
    { status: 500, json: { error: { message } } },
    { status: 429, json: { error: { message: "slow down" } }, headers: { "retry-after": "0" } },
    { bytes: [Buffer.from('{"id":')], framing: "chunked", ending: "reset" },
    { json: videoReply({ status: "completed", progress: 100 }) },
  );
  const id = await submit();
  await until(`/v1/videos/${id}`, isOver);
  const { body, text } = await ask(`GET tasks/${id}`);
  expect(body).toMatchObject({
    state: "completed",
    polls: [
      { number: 1, status: 200, error: null, message: null, state: "in_progress", progress: 40 },
      { number: 2, status: 500, error: "upstream_failed", state: "in_progress" },
      { number: 3, status: 429, error: "upstream_rate_limited", message: expect.stringContaining("slow down") },
      { number: 4, status: null, error: "upstream_truncated" },
      { number: 5, status: 200, error: null, state: "completed", progress: 100, wait_ms: null },
    ],
  });
  const polls = body["polls"] as { at: string; duration_ms: number; wait_ms: number | null; message: string | null }[];
  expect(polls.map(({ at }) => at)).toEqual(polls.map(({ at }) => at).sort());
  expect(polls.slice(0, 4).every(({ wait_ms: wait }) => (wait ?? 0) > 0)).toBe(true);
  expect(polls[1]?.message).toBe("read [address] with [hidden]");
  expect(text).not.toContain("canary");
  expect(JSON.stringify(dataIn(await ask("GET tasks")))).not.toContain("polls");
});

test("of many polls the first and the newest are kept", () => {
  const poll: Omit<PollRecord, "number"> = {
    ...{ atMs: 1, durationMs: 1, status: 200, error: null, message: null, state: "queued", percent: 0, waitMs: 5 },
  };
  const all = Array.from({ length: 200 }).reduce<readonly PollRecord[]>((polls) => withPoll(polls, poll), []);
  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
  expect(all.map(({ number }) => number)).toEqual([...range(1, 10), ...range(171, 200)]);
});

const look = (id: string, headers: Record<string, string> = {}, query = "") =>
  fetch(`${gateway.url}/admin/api/tasks/${id}/content${query}`, {
    headers: { authorization: `Bearer ${adminKey}`, ...headers },
  });
const looks = async (id: string) =>
  dataIn(await ask("GET audit?resource=tasks&limit=100")).filter((entry) => entry["object_id"] === id);

async function finished(type: string): Promise<string> {
  up.on(polled, { json: videoReply({ status: "completed", progress: 100 }) });
  up.on(bytes, { bytes: [Buffer.from("0123456789")], framing: "length", headers: { "content-type": type } });
  const id = await submit();
  await until(`/v1/videos/${id}`, isOver);
  return id;
}

test("the video is shown with its ranges, and one look is one entry of the audit log", async () => {
  const id = await finished("video/mp4");
  const whole = await look(id);
  expect([whole.status, await whole.text()]).toEqual([200, "0123456789"]);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    ...{ "content-type": "video/mp4", "accept-ranges": "bytes", "cache-control": "private, no-store" },
    ...{ "x-content-type-options": "nosniff", "content-security-policy": "sandbox; default-src 'none'" },
  });
  expect(await looks(id)).toMatchObject([{ action: "content", actor: { kind: "admin_key" } }]);
  up.on(bytes, {
    ...{ status: 206, bytes: [Buffer.from("45")], framing: "length" },
    headers: { "content-type": "video/mp4", "content-range": "bytes 4-5/10" },
  });
  const part = await look(id, { range: "bytes=4-5" });
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 4-5/10", "45"]);
  expect(up.requests.at(-1)?.headers.get("range")).toBe("bytes=4-5");
  expect(await looks(id)).toHaveLength(1);
  const other = await token("bodies:read");
  await (await look(id, { range: "bytes=4-5", authorization: `Bearer ${other}` })).text();
  expect(await looks(id)).toMatchObject([{ actor: { kind: "service_token" } }, { actor: { kind: "admin_key" } }]);
});

test.each(["bytes=1-", "bytes=-9"])("a first look at %s is in the audit log, too", async (range) => {
  const id = await finished("video/mp4");
  await (await look(id, { range })).text();
  expect(await looks(id)).toHaveLength(1);
});

test("what a browser could run is a file to save", async () => {
  const answer = await look(await finished("image/svg+xml"));
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(answer.headers.get("content-disposition")).toBe("attachment");
  await answer.text();
});

test("a look needs the scope of bodies, and a video", async () => {
  up.on(polled, { json: videoReply({ status: "in_progress", progress: 1 }) });
  const id = await submit();
  const refused = { authorization: `Bearer ${await token("tasks:read", "tasks:write")}` };
  expect((await look(id, refused)).status).toBe(403);
  expect((await look(id, { authorization: `Bearer ${gateway.key}` })).status).toBe(401);
  expect(await looks(id)).toEqual([]);
  const missing = [
    await look(id),
    await look("task_missing"),
    await look(id, {}, "?index=16"),
    await look(id, {}, "?a=1"),
  ];
  const codes = await Promise.all(
    missing.map(async (answer) => {
      const { error } = (await answer.json()) as { error: { code: string; param: string | null } };
      return [answer.status, error.code, error.param];
    }),
  );
  expect(codes).toEqual([
    [404, "video_not_ready", null],
    [404, "object_not_found", null],
    [400, "invalid_value", "index"],
    [400, "unknown_parameter", "a"],
  ]);
  const reader = { authorization: `Bearer ${await token("bodies:read")}` };
  expect(errorIn(await ask(`GET tasks/${id}`, undefined, { key: reader.authorization.slice(7) }))).toMatchObject({
    status: 403,
  });
  expect((await look(id, reader)).status).toBe(404);
});
