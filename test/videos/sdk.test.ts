// OpenAI's SDK as a client of videos: created, retrieved, listed, downloaded, remade and deleted.
import { expect, test } from "bun:test";
import { sampleVideo } from "../../src/providers/sandbox/sample-video.ts";
import { pixel } from "../dialects/video/setting.ts";
import { openaiClient } from "../support/clients.ts";
import { otherKey, videoReply, videoSetting } from "./setting.ts";

const { gateway, up, until, settled } = await videoSetting();
const client = openaiClient(gateway.url, gateway.key);
const stranger = openaiClient(gateway.url, otherKey);
const isOver = ({ status }: Record<string, unknown>) => status === "completed" || status === "failed";

/** What the SDK throws. */
const refusalOf = (requested: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(
    requested.then(
      () => null,
      (thrown: unknown) => thrown,
    ),
  );

test("a video of the sandbox from its creation to its deletion", async () => {
  const video = await client.videos.create({ model: "sandbox/video", prompt: "a cat [sandbox run=150]", seconds: "4" });
  expect(video).toMatchObject({ object: "video", model: "sandbox/video", status: "queued", progress: 0, error: null });
  expect(video.id).toMatch(/^video_\w{24}$/);
  await until(`/v1/videos/${video.id}`, isOver);
  const done = await client.videos.retrieve(video.id);
  expect(done).toMatchObject({ status: "completed", progress: 100, seconds: "2", size: "128x72" });
  expect(done.completed_at).toBeGreaterThanOrEqual(done.created_at);

  const task = await client.videos.downloadContent(video.id);
  expect(task.headers.get("content-type")).toBe("video/mp4");
  expect(await task.bytes()).toEqual(sampleVideo.bytes);

  const remake = await client.videos.remix(video.id, { prompt: "a dog [sandbox run=100]" });
  expect(remake).toMatchObject({ remixed_from_video_id: video.id, prompt: "a dog [sandbox run=100]" });
  await until(`/v1/videos/${remake.id}`, isOver);

  const ids: string[] = [];
  for await (const each of client.videos.list({ limit: 1 })) ids.push(each.id);
  expect(ids).toEqual([remake.id, video.id]);
  const oldest = await client.videos.list({ limit: 1, order: "asc" });
  expect(oldest.data.map(({ id }) => id)).toEqual([video.id]);

  expect(await client.videos.delete(video.id)).toEqual({ id: video.id, object: "video.deleted", deleted: true });
  expect(await refusalOf(client.videos.retrieve(video.id))).toMatchObject({ status: 404, code: "object_not_found" });
  await client.videos.delete(remake.id);
  expect((await client.videos.list()).data).toEqual([]);
});

test("somebody else's video is not there, on every path", async () => {
  const { id } = await client.videos.create({ model: "sandbox/video", prompt: "[sandbox run=50]" });
  await until(`/v1/videos/${id}`, isOver);
  const missing = { status: 404, code: "object_not_found" };
  expect(await refusalOf(stranger.videos.retrieve(id))).toMatchObject(missing);
  expect(await refusalOf(stranger.videos.downloadContent(id))).toMatchObject(missing);
  expect(await refusalOf(stranger.videos.delete(id))).toMatchObject(missing);
  expect(await refusalOf(stranger.videos.remix(id, { prompt: "x" }))).toMatchObject(missing);
  expect(await refusalOf(stranger.videos.list({ after: id }))).toMatchObject(missing);
  expect((await stranger.videos.list()).data).toEqual([]);
  expect((await client.videos.retrieve(id)).status).toBe("completed");
  await client.videos.delete(id);
});

test("a reference image goes to the upstream as the file that it is", async () => {
  up.on("POST /v1/videos", { json: videoReply() });
  up.on("GET /v1/videos/video_up", { json: videoReply({ status: "completed", progress: 100 }) });
  const file = new File([pixel], "cat.png", { type: "image/png" });
  const video = await client.videos.create({
    model: "sora-2",
    prompt: "a cat",
    input_reference: file,
    size: "1280x720",
  });
  expect(up.requests[0]?.headers.get("authorization")).toBe("Bearer sk-canary-first");
  expect(up.requests[0]?.headers.get("content-type")).toMatch(/^multipart\/form-data; boundary=/);
  expect(up.requests[0]?.text).toContain('name="input_reference"; filename="image.png"');
  expect(up.requests[0]?.text).toContain("1280x720");
  expect(video.id).not.toBe("video_up");
  await until(`/v1/videos/${video.id}`, isOver);
  expect(await settled("sora-2")).toMatchObject({ state: "completed", operation: "video", provider: "first" });
  await client.videos.delete(video.id);
});

test("whoever deletes videos while turning their pages comes to the end", async () => {
  for (let count = 0; count < 5; count++)
    await client.videos.create({ model: "sandbox/video", prompt: `cat ${count}` });
  let deleted = 0;
  for await (const { id } of client.videos.list({ limit: 2 })) {
    await client.videos.delete(id);
    deleted++;
  }
  expect(deleted).toBe(5);
  expect(await refusalOf(client.videos.list({ after: "video_neverthere" }))).toMatchObject({ status: 404 });
});
