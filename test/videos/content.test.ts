// The bytes of a video: streamed with ranges from where they are, and a 404 that says why where they are not.
import { expect, test } from "bun:test";
import { sampleVideo } from "../../src/providers/sandbox/sample-video.ts";
import { upstream } from "../support/upstream.ts";
import { videoReply, videoSetting } from "./setting.ts";

const elsewhere = await upstream();
const { gateway, up, ask, until } = await videoSetting({ TURNPIKE_FETCH_ALLOW: new URL(elsewhere.url).host });
const video = "GET /v1/videos/video_up/content";

const download = (id: string, headers: Record<string, string> = {}, query = "", method = "GET") =>
  fetch(`${gateway.url}/v1/videos/${id}/content${query}`, {
    method,
    headers: { authorization: `Bearer ${gateway.key}`, accept: "application/binary", ...headers },
  });

const codeOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: { code: string } };
  return { status: answer.status, code: error.code };
};

async function task(state: object): Promise<string> {
  up.on("POST /v1/videos", { json: videoReply() });
  up.on("GET /v1/videos/video_up", { json: videoReply(state) });
  const { body } = await ask("POST", "/v1/videos", { model: "sora-2", prompt: "x" });
  const id = String(body["id"]);
  const { status = "queued" } = state as { status?: string };
  await until(`/v1/videos/${id}`, (result) => result["status"] === status);
  return id;
}

test("the sandbox serves its video whole and in parts", async () => {
  const { body } = await ask("POST", "/v1/video/generations", { model: "sandbox/video", prompt: "[sandbox run=50]" });
  const id = String(body["task_id"]);
  await until(`/v1/video/generations/${id}`, ({ status }) => status === "completed");
  const rows: [string | null, number, string | null, Uint8Array | null][] = [
    [null, 200, null, sampleVideo.bytes],
    ["bytes=0-3", 206, `bytes 0-3/${sampleVideo.bytes.length}`, sampleVideo.bytes.slice(0, 4)],
    [
      "bytes=-5",
      206,
      `bytes ${sampleVideo.bytes.length - 5}-${sampleVideo.bytes.length - 1}/${sampleVideo.bytes.length}`,
      sampleVideo.bytes.slice(-5),
    ],
    [
      `bytes=${sampleVideo.bytes.length - 1}-`,
      206,
      `bytes ${sampleVideo.bytes.length - 1}-${sampleVideo.bytes.length - 1}/${sampleVideo.bytes.length}`,
      sampleVideo.bytes.slice(-1),
    ],
    [`bytes=${sampleVideo.bytes.length}-`, 416, `bytes */${sampleVideo.bytes.length}`, null],
    ["bytes=0-1,4-5", 200, null, sampleVideo.bytes],
  ];
  for (const [range, status, contentRange, bytes] of rows) {
    const answer = await download(id, range === null ? {} : { range });
    expect({ range, status: answer.status, contentRange: answer.headers.get("content-range") }).toEqual({
      range,
      status,
      contentRange,
    });
    expect(answer.headers.get("accept-ranges")).toBe("bytes");
    if (bytes !== null) expect(await answer.bytes()).toEqual(new Uint8Array(bytes));
  }
  const head = await download(id, {}, "", "HEAD");
  expect({ status: head.status, type: head.headers.get("content-type"), text: await head.text() }).toEqual({
    status: 200,
    type: "video/mp4",
    text: "",
  });
});

test("an upstream's bytes are streamed, with the range that the client wants and nothing of the upstream's own", async () => {
  const id = await task({ status: "completed", progress: 100 });
  up.on(video, {
    status: 206,
    bytes: [new Uint8Array([1, 2]), new Uint8Array([3])],
    headers: {
      "content-type": "application/octet-stream",
      "content-range": "bytes 0-2/9",
      "set-cookie": "a=b",
      "x-server": "secret",
    },
  });
  const answer = await download(id, { range: "bytes=0-2" });
  expect(up.requests.at(-1)?.headers.get("range")).toBe("bytes=0-2");
  expect({
    status: answer.status,
    range: answer.headers.get("content-range"),
    type: answer.headers.get("content-type"),
  }).toEqual({
    status: 206,
    range: "bytes 0-2/9",
    type: "video/mp4",
  });
  expect([answer.headers.get("set-cookie"), answer.headers.get("x-server")]).toEqual([null, null]);
  expect(await answer.bytes()).toEqual(new Uint8Array([1, 2, 3]));
  const picture = "GET /v1/videos/video_up/content";
  up.on(picture, { bytes: [new Uint8Array([9])], headers: { "content-type": "image/webp" } });
  expect((await download(id, {}, "?variant=thumbnail")).headers.get("content-type")).toBe("image/webp");
  expect(up.requests.at(-1)?.query.get("variant")).toBe("thumbnail");
  expect(await codeOf(await download(id, {}, "?variant=poster"))).toEqual({ status: 404, code: "not_found" });
});

test("a redirect is followed without our credential, and not to where nobody may go", async () => {
  const id = await task({ status: "completed", progress: 100 });
  up.on(video, { status: 302, headers: { location: `${elsewhere.url}/film.mp4?sign=1` }, text: "" });
  elsewhere.on("GET /film.mp4", { bytes: [new Uint8Array([7])], headers: { "content-type": "video/mp4" } });
  expect(await (await download(id)).bytes()).toEqual(new Uint8Array([7]));
  expect(elsewhere.requests[0]?.headers.get("authorization")).toBeNull();
  up.on(video, { status: 302, headers: { location: "http://169.254.169.254/latest/meta-data" }, text: "" });
  expect((await download(id)).status).toBe(502);
  await elsewhere.stop();
});

test("what is not there says why", async () => {
  expect(await codeOf(await download(await task({ status: "in_progress" })))).toEqual({
    status: 404,
    code: "video_not_ready",
  });
  expect(await codeOf(await download(await task({ status: "failed" })))).toEqual({ status: 404, code: "video_failed" });
  const past = await task({ status: "completed", expires_at: 1_700_000_000 });
  expect(await codeOf(await download(past))).toEqual({ status: 404, code: "video_expired" });
  expect((await ask("GET", `/v1/videos/${past}`)).body).toMatchObject({
    status: "completed",
    expires_at: 1_700_000_000,
    metadata: {},
  });
  const id = await task({ status: "completed" });
  up.on(video, { status: 404, json: { error: { message: "gone" } } });
  expect(await codeOf(await download(id))).toEqual({ status: 404, code: "video_expired" });
  up.on(video, { status: 401, json: { error: { message: "bad key" } } });
  expect(await codeOf(await download(id))).toEqual({ status: 502, code: "upstream_credentials" });
});
