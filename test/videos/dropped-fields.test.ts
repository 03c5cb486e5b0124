// Fields that a format has no place for are reported, or refused in strict mode; a field that is sent twice is refused.
import { afterAll, describe, expect, test } from "bun:test";
import { pixel } from "../dialects/video/setting.ts";
import { submitPath } from "./clients/video-b.ts";
import { openStage } from "./stage.ts";

const stage = await openStage();
afterAll(() => stage.stop());

const image = Buffer.from(pixel).toString("base64");
const strict = { "x-turnpike-strict": "true" };
let count = 0;
const story = () => `a cat in story waiting by unheard${++count}`;
const seenBy = (vendor: string, prompt: string) => stage.studios.get(vendor)?.submits.get(prompt)?.[0];

describe.each(["/videoA/v1/videos/text2video", "/kling/v1/videos/text2video"])("%s", (path) => {
  const createWithImages = (prompt: string, images: object) => ({
    ...{ method: "POST", path },
    body: { model_name: "kling/kling-v2-1", prompt, ...images },
  });

  test.each([
    [{ image }, "image"],
    [{ image_tail: image }, "image_tail"],
    [{ metadata: { images: [image] } }, "images[0]"],
  ])("makes a video from text alone: %#", async (images, field) => {
    const prompt = story();
    const { status, headers } = await stage.ask(createWithImages(prompt, images));
    expect([status, headers.get("x-turnpike-warnings")]).toEqual([200, `dropped;field=${field}`]);
    expect(seenBy("kling", prompt)?.path).toEndWith("/text2video");
    expect(seenBy("kling", prompt)?.text).not.toContain(image);
  });

  test.each([
    [{ mode: "banana" }, "dropped;field=mode"],
    [{ mode: "pro", sound: "loud" }, "dropped;field=sound"],
    [{ mode: "pro" }, null],
    [{ mode: "" }, null],
  ])("has a few words, and says which it did not understand: %j", async (words, warnings) => {
    const { status, headers } = await stage.ask(createWithImages(story(), words));
    expect([status, headers.get("x-turnpike-warnings")]).toEqual([200, warnings]);
  });

  test("refuses an image when strict", async () => {
    const { status, body } = await stage.ask(createWithImages(story(), { image }), undefined, strict);
    expect([status, body]).toMatchObject([400, { error: { code: "unsupported_parameter", param: "image" } }]);
  });
});

function form(prompt: string, ...names: string[]): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries({ model: "openai/sora-2", prompt })) body.set(name, value);
  for (const name of names) body.append(name, new File([pixel], "cat.png"));
  return body;
}

test.each([
  [["image"], "dropped;field=image"],
  [["input_reference", "mask"], "dropped;field=mask"],
  [["an odd; name"], "dropped;field=files"],
  [["input_reference"], null],
])("files of a form that nobody reads: %j", async (names, warnings) => {
  const createRequest = (prompt: string) => ({ method: "POST", path: "/v1/videos", body: form(prompt, ...names) });
  const { status, headers } = await stage.ask(createRequest(story()));
  expect([status, headers.get("x-turnpike-warnings")]).toEqual([200, warnings]);
  expect((await stage.ask(createRequest(story()), undefined, strict)).status).toBe(warnings === null ? 200 : 400);
});

test("a reference is an address or a file, not both", async () => {
  const body = {
    ...{ model: "openai/sora-2", prompt: story() },
    input_reference: { image_url: "https://images.example/cat.png", file_id: "file_1" },
  };
  const both = form(story(), "input_reference");
  both.set("input_reference[image_url]", "https://images.example/cat.png");
  expect((await stage.ask({ method: "POST", path: "/v1/videos", body: both })).status).toBe(400);
  const answer = await stage.ask({ method: "POST", path: "/v1/videos", body });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_value", param: "input_reference" } } });
});

test("whoever signs in place of showing a key is told what to send", async () => {
  const authorization = "HMAC-SHA256 Credential=A/1/b/cv/request, SignedHeaders=host, Signature=c";
  const body = { req_key: "sandbox/video", prompt: "x" };
  const answer = await stage.ask({ method: "POST", path: submitPath, body }, undefined, { authorization });
  expect(answer).toMatchObject({ status: 401, body: { error: { code: "invalid_api_key" }, code: 50_400 } });
  expect(answer.text).toContain("Authorization: Bearer");
});

test("an empty place in the list is its beginning", async () => {
  const { status, body } = await stage.ask({ method: "GET", path: "/v1/videos?after=&limit=1" });
  expect([status, body]).toMatchObject([200, { object: "list", data: [{ object: "video" }] }]);
});

test("the document says that an action and a version are required", async () => {
  const { body } = await stage.ask({ method: "GET", path: "/openapi.json" });
  const paths = body["paths"] as Record<string, Record<string, { parameters: object[] }>>;
  for (const path of ["/videoB/", "/jimeng/"])
    expect(paths[path]?.["post"]?.parameters).toMatchObject([
      { name: "Action", in: "query", required: true },
      { name: "Version", in: "query", required: true },
    ]);
});
