// The sandbox's videos: a story in an id that goes on by itself, ends as it was told to, and a video that is one.
import { expect, test } from "bun:test";
import { sampleVideo } from "../../src/providers/sandbox/sample-video.ts";
import { answerSandboxTask, sandboxVideos } from "../../src/providers/sandbox/video.ts";
import { plainVideo, renderContext } from "../dialects/video/setting.ts";

const { signal } = new AbortController();

async function story(words: string) {
  const { call } = sandboxVideos.render({ ...plainVideo, prompt: `a cat [sandbox ${words}]` }, renderContext);
  const answer = await answerSandboxTask(call, signal);
  if (answer.status !== 200) return { status: answer.status, requested: answer.headers.get("retry-after") };
  const { upstreamId } = sandboxVideos.accepted({ status: 200, body: await answer.json(), headers: answer.headers });
  const task = { id: "t", upstreamId, model: "video", upstreamState: {} };
  const result = await answerSandboxTask(sandboxVideos.poll(task), signal);
  return sandboxVideos.progress({ status: result.status, body: await result.json(), headers: result.headers }, task);
}

test("a task ends as it was told to", async () => {
  expect(await story("run=0")).toMatchObject({ state: "completed", results: [{ seconds: 2, width: 128 }] });
  expect(await story("run=600000")).toMatchObject({ state: "queued", percent: 0 });
  expect(await story("run=0 fail=50")).toMatchObject({ state: "failed", failure: { code: "sandbox_error" } });
  expect(await story("run=0 lose=50")).toEqual({ isGone: true });
  expect(await story("run=0 stall=50")).toMatchObject({ state: "in_progress", percent: 50 });
  expect(await story("error=503")).toEqual({ status: 503, requested: null });
  expect(await story("rate-limit=5")).toEqual({ status: 429, requested: "5" });
});

test("ids that it did not make are unknown", async () => {
  for (const path of ["video/tasks/abc", "video/tasks/e30", "video/tasks/abc/content", "video/other"])
    expect((await answerSandboxTask({ method: "GET", path, body: {} }, signal)).status).toBe(404);
});

test("the video is an MP4 with its index in front", () => {
  const boxes: string[] = [];
  const view = new DataView(sampleVideo.bytes.buffer);
  for (let at = 0; at < sampleVideo.bytes.length; at += view.getUint32(at))
    boxes.push(Buffer.from(sampleVideo.bytes.slice(at + 4, at + 8)).toString("latin1"));
  expect(boxes).toEqual(["ftyp", "moov", "free", "mdat"]);
});
