// Four client formats of one room: submits, questions in every state, and errors, with the fields of the specification by name and type.
import { describe, expect, test } from "bun:test";
import { pixel } from "../dialects/video/setting.ts";
import { otherKey, type Result, videoReply, videoSetting } from "./setting.ts";

const { gateway, up, ask, until } = await videoSetting();
const image = Buffer.from(pixel).toString("base64");
const version = "Version=2022-08-31";
const submitB = `/videoB/?Action=CVSync2AsyncSubmitTask&${version}`;
const resultB = `/videoB/?Action=CVSync2AsyncGetResult&${version}`;

interface Format {
  path: string;
  body: Record<string, unknown>;
  /** The id out of the answer to a submit. */
  idOf(body: Record<string, unknown>): string;
  question(id: string, key?: string): Promise<Result>;
}

const get = (base: string) => (id: string, key?: string) =>
  ask("GET", `${base}/${id}`, undefined, key === undefined ? {} : { authorization: `Bearer ${key}` });
const taskId = ({ task_id }: Record<string, unknown>) => String(task_id);
const dataId = ({ data }: Record<string, unknown>) => String((data as { task_id: unknown }).task_id);

const formats: Record<string, Format> = {
  generations: {
    path: "/v1/video/generations",
    body: { prompt: "a cat" },
    idOf: taskId,
    question: get("/v1/video/generations"),
  },
  "videoA text": {
    path: "/videoA/v1/videos/text2video",
    body: { prompt: "a cat" },
    idOf: taskId,
    question: get("/videoA/v1/videos/text2video"),
  },
  "videoA image": {
    path: "/kling/v1/videos/image2video",
    body: { prompt: "a cat", image },
    idOf: taskId,
    question: get("/kling/v1/videos/image2video"),
  },
  videoB: {
    path: submitB,
    body: { prompt: "a cat" },
    idOf: dataId,
    question: (id, key) =>
      ask(
        "POST",
        resultB,
        { req_key: "sora-2", task_id: id },
        key === undefined ? {} : { authorization: `Bearer ${key}` },
      ),
  },
  videos: { path: "/v1/videos", body: { prompt: "a cat" }, idOf: ({ id }) => String(id), question: get("/v1/videos") },
};

const modelField = (name: string) => (name === "videoB" ? "req_key" : "model");

/** Submits to an upstream that tells this when it is asked. */
async function started(name: string, result: object, status = 200): Promise<{ id: string; answer: Result }> {
  const format = formats[name] as Format;
  up.on("POST /v1/videos", { json: videoReply() });
  up.on("GET /v1/videos/video_up", { status, json: result });
  const answer = await ask("POST", format.path, { [modelField(name)]: "sora-2", ...format.body });
  expect({ name, status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return { id: format.idOf(answer.body), answer };
}

const generic = (status: string) => ({ task_id: expect.stringMatching(/^\w+$/), status });
const failure = { code: "moderation_blocked", message: "It was refused." };

const accepted: Record<string, object> = {
  generations: { ...generic("queued"), progress: 0 },
  "videoA text": {
    ...generic("queued"),
    code: 0,
    message: "SUCCEED",
    data: { task_status: "submitted", task_info: {} },
  },
  "videoA image": {
    ...generic("queued"),
    code: 0,
    message: "SUCCEED",
    data: { task_status: "submitted", task_info: {} },
  },
  videoB: { code: 10_000, message: "Success", data: { task_id: expect.any(String) } },
  videos: {
    object: "video",
    model: "sora-2",
    status: "queued",
    progress: 0,
    created_at: expect.any(Number),
    seconds: "4",
  },
};

const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/videos\/\w+\/content\?exp=\d+&sig=[\w-]{43}$/);
const completed: Record<string, object> = {
  generations: {
    ...generic("completed"),
    url: link,
    format: "mp4",
    metadata: { duration: 4, width: 720, height: 1280 },
  },
  "videoA text": {
    ...generic("completed"),
    code: 0,
    data: {
      task_status: "succeed",
      task_status_msg: "",
      task_result: { videos: [{ id: expect.any(String), url: link, duration: "4" }] },
    },
  },
  "videoA image": { ...generic("completed"), data: { task_status: "succeed" } },
  videoB: { code: 10_000, data: { status: "done", video_url: link, image_urls: null, binary_data_base64: [] } },
  videos: {
    status: "completed",
    progress: 100,
    completed_at: expect.any(Number),
    error: null,
    metadata: { url: link },
  },
};

const failed: Record<string, object> = {
  generations: { ...generic("failed"), error: { code: 400, message: failure.message } },
  "videoA text": { ...generic("failed"), code: 0, data: { task_status: "failed", task_status_msg: failure.message } },
  "videoA image": { ...generic("failed"), code: 0, data: { task_status: "failed" } },
  videoB: { code: 50_511, message: failure.message, data: null },
  videos: { status: "failed", error: failure },
};

const isOver = ({ status }: Record<string, unknown>) => status === "completed" || status === "failed";

describe.each(Object.keys(formats))("%s", (name) => {
  const format = formats[name] as Format;

  test("a task that ends well", async () => {
    const { id, answer } = await started(name, videoReply({ status: "completed", progress: 100 }));
    expect(answer.body).toMatchObject(accepted[name] ?? {});
    expect(answer.headers.get("x-turnpike-provider")).toBe("first");
    expect(JSON.stringify(answer.body)).not.toContain("video_up");
    await until(`/v1/videos/${id}`, isOver);
    const result = await format.question(id);
    expect(result.status).toBe(200);
    expect(result.body).toMatchObject(completed[name] ?? {});
    expect(JSON.stringify(result.body)).not.toContain("video_up");
  });

  test("a task that fails", async () => {
    const { id } = await started(name, videoReply({ status: "failed", error: failure }));
    await until(`/v1/videos/${id}`, isOver);
    expect((await format.question(id)).body).toMatchObject(failed[name] ?? {});
  });

  test("a task of somebody else's, or of nobody's", async () => {
    const { id } = await started(name, videoReply());
    const unknown = format.idOf({
      task_id: "task_000000000000000000000000",
      id: "video_0000000000",
      data: { task_id: "task_00000000" },
    });
    const [foreign, missing] = [await format.question(id, otherKey), await format.question(unknown)];
    expect({ ...foreign.body, request_id: "", time_elapsed: "" }).toEqual({
      ...missing.body,
      request_id: "",
      time_elapsed: "",
    });
    if (name === "videoB") expect(foreign.body).toMatchObject({ code: 10_000, data: { status: "not_found" } });
    else expect(foreign).toMatchObject({ status: 404, body: { error: { code: "object_not_found" } } });
    if (name.startsWith("videoA")) expect(foreign.body).toMatchObject({ code: 1203, message: expect.any(String) });
  });

  test("requests that make no sense are 400 in the envelope, and start nothing", async () => {
    const model = { [modelField(name)]: "sora-2" };
    const picture =
      name === "videoB"
        ? { binary_data_base64: ["no image"] }
        : name === "videos"
          ? { input_reference: "no image" }
          : { image: "no image" };
    const rows: [object, string][] = [
      [{ ...model }, name === "videoA image" ? "prompt" : "prompt"],
      [{ ...model, prompt: 5 }, "prompt"],
      [{ ...model, prompt: "x", ...picture }, Object.keys(picture)[0] ?? ""],
    ];
    for (const [body, param] of rows) {
      const { status, body: result } = await ask("POST", format.path, body);
      const error = result["error"] as Record<string, unknown>;
      expect({ status, error }).toMatchObject({ status: 400, error: { type: "invalid_request_error" } });
      expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
      expect(String(error["param"])).toStartWith(param);
      if (name.startsWith("videoA")) expect(result).toMatchObject({ code: 1201, request_id: expect.any(String) });
      if (name === "videoB") expect(result).toMatchObject({ code: expect.any(Number), data: null });
    }
    // Tasks of tests before this one may still be looked at.
    expect(up.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("any question reads any task", async () => {
    const { id } = await started("generations", videoReply({ status: "in_progress", progress: 30 }));
    await until(`/v1/videos/${id}`, ({ status }) => status === "in_progress");
    const { body } = await format.question(id);
    const words = JSON.stringify(body);
    expect(words).toMatch(/"(?:in_progress|generating)"/);
    expect(words).toContain(id);
    await ask("DELETE", `/v1/videos/${id}`);
  });
});

test("format B wants its action and its version, and knows two actions", async () => {
  for (const [query, param] of [
    ["", "Action"],
    [`?${version}`, "Action"],
    ["?Action=CVSync2AsyncSubmitTask", "Version"],
    [`?Action=CVSync2AsyncSubmitTask&Version=`, "Version"],
    [`?Action=Else&${version}`, "Action"],
  ]) {
    const { status, body } = await ask("POST", `/videoB/${query}`, { req_key: "sora-2", prompt: "x" });
    expect({ query, status, body }).toMatchObject({ status: 400, body: { error: { param }, data: null } });
  }
  expect((await ask("POST", resultB, { req_key: "x" })).body).toMatchObject({ error: { param: "task_id" } });
  expect((await ask("POST", `/jimeng/?Action=CVSync2AsyncGetResult&${version}`, { task_id: "x" })).status).toBe(200);
});

test("format A reads its native request", async () => {
  up.on("POST /v1/videos", { json: videoReply() });
  const native = {
    model_name: "sora-2",
    prompt: "a cat",
    duration: "10",
    mode: "pro",
    aspect_ratio: "9:16",
    external_task_id: "mine",
  };
  const { body } = await ask("POST", "/kling/v1/videos/text2video", native);
  expect(body).toMatchObject({ data: { task_info: { external_task_id: "mine" } } });
  // Tasks of the tests before may still be asked for.
  const submit = up.requests.find(({ method }) => method === "POST");
  expect(submit?.text).toMatch(/name="seconds"\r\n\r\n12/);
  expect(submit?.text).toMatch(/name="size"\r\n\r\n720x1280/);
  const noImage = await ask("POST", "/videoA/v1/videos/image2video", { model: "sora-2", prompt: "x" });
  expect(noImage).toMatchObject({ status: 400, body: { error: { param: "image" } } });
});

test("strict mode refuses what would be lost, and says it in the client's words", async () => {
  up.on("POST /v1/videos", { json: videoReply() });
  const body = { model: "sora-2", prompt: "x", duration: 5, seed: 3, metadata: { negative_prompt: "y" } };
  const lax = await ask("POST", "/v1/video/generations", body);
  expect(lax.headers.get("x-turnpike-warnings")).toBe(
    "dropped;field=metadata.negative_prompt, dropped;field=seed, approximated;field=duration",
  );
  const strict = await ask("POST", "/v1/video/generations", body, { "x-turnpike-strict": "true" });
  expect(strict).toMatchObject({
    status: 400,
    body: { error: { code: "unsupported_parameter", param: "metadata.negative_prompt" } },
  });
  expect(gateway.url).toBeTruthy();
});
