// What clients of each format read when a request cannot be: the envelope with its four fields, native fields beside it, and 404 for strangers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clients } from "./clients/index.ts";
import { resultPath, submitPath } from "./clients/video-b.ts";
import { absent, faults, integer, type Shape, text } from "./shape.ts";
import { type Answer, openStage, strangerKey } from "./stage.ts";

const stage = await openStage();
afterAll(() => stage.stop());

const paths = {
  plain: "/v1/video/generations",
  videoAText: "/videoA/v1/videos/text2video",
  videoAImage: "/kling/v1/videos/image2video",
  videoB: submitPath,
  videos: "/v1/videos",
};
type Format = keyof typeof paths;
const formats = Object.keys(paths) as Format[];

/** What stands beside the envelope. */
const native: Record<Format, Shape> = {
  plain: { code: absent, data: absent },
  videoAText: { code: (code) => integer(code) && code !== 0, message: text, request_id: text },
  videoAImage: { code: (code) => integer(code) && code !== 0, message: text, request_id: text },
  videoB: {
    code: (code) => integer(code) && code !== 10_000,
    status: integer,
    message: text,
    request_id: text,
    data: null,
  },
  videos: { code: absent, data: absent },
};

function faultsOf(format: Format, answer: Answer, status: number, error: { [name: string]: Shape }): string[] {
  const four = { message: text, type: text, param: null, code: text, ...error };
  const names = Object.keys((answer.body["error"] ?? {}) as object).sort();
  return [
    ...faults(answer.status, status, "status"),
    ...faults(names, ["code", "message", "param", "type"], "names"),
    ...faults(answer.body, { ...(native[format] as object), error: four }),
  ];
}

const named = (format: Format, model: string): object => ({ [format === "videoB" ? "req_key" : "model"]: model });
const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** A submit that is well but for what is to be wrong with it. */
const good = (format: Format, change: object = {}): object => ({
  ...named(format, "kling/kling-v2-1"),
  prompt: "a cat",
  ...(format === "videoAImage" ? { image: picture } : {}),
  ...change,
});
const without = (body: object, name: string): object =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));
const modelField = (format: Format): string => Object.keys(named(format, ""))[0] ?? "";
const imageField: Record<Format, string> = {
  ...{ plain: "image", videoAText: "image", videoAImage: "image", videos: "input_reference" },
  videoB: "image_urls",
};
const asImage = (format: Format, value: string): object => ({
  [imageField[format]]: format === "videoB" ? [value] : value,
});
const imageParam = (format: Format): string => (format === "videoB" ? "image_urls[0]" : imageField[format]);

describe.each(formats)("%s", (format) => {
  const ask = (body: unknown, key?: string) => stage.ask({ method: "POST", path: paths[format], body }, key);
  const invalid = "invalid_request_error";

  test("bodies that are none", async () => {
    for (const body of ["{nope", "[]", '"text"', "null", ""])
      expect(faultsOf(format, await ask(body), 400, { type: invalid, code: "invalid_json" })).toEqual([]);
  });

  test("fields that are missing, of the wrong type, or out of their bounds", async () => {
    const model = modelField(format);
    const rows: [object, string, string][] = [
      [good(format, { [model]: 5 }), "invalid_type", model],
      [good(format, { prompt: ["a"] }), "invalid_type", "prompt"],
      [without(without(good(format), "prompt"), "image"), "missing_required_parameter", "prompt"],
      [good(format, asImage(format, "no image")), "invalid_value", imageParam(format)],
      [good(format, asImage(format, "data:image/png;base64,aGVsbG8=")), "invalid_value", imageParam(format)],
      [good(format, { seed: "x" }), "invalid_type", "seed"],
    ];
    // Where no model is named, OpenAI's format has a usual one.
    if (format !== "videos") rows.push([without(good(format), model), "missing_required_parameter", model]);
    for (const [body, code, param] of rows)
      expect({ body, faults: faultsOf(format, await ask(body), 400, { type: invalid, code, param }) }).toEqual({
        body,
        faults: [],
      });
  });

  test("what the vendor cannot be told, and what it refuses itself", async () => {
    const many =
      format === "videoB" ? { image_urls: [1, 2, 3].map((each) => `https://a.example/${each}.png`) } : { n: 2 };
    const param = format === "videoB" ? "image_urls[2]" : "n";
    const model = named(format, "jimeng/jimeng_v30");
    const answer = await ask(good(format, { ...model, ...many }));
    expect(faultsOf(format, answer, 400, { type: invalid, code: "unsupported_parameter", param })).toEqual([]);

    const studio = stage.studios.get("kling");
    studio?.up.next({ status: 400, json: { code: 1301, message: "The prompt is refused.", request_id: "r" } });
    const refused = await ask(good(format));
    expect(faultsOf(format, refused, 400, { type: invalid, code: "content_policy_violation" })).toEqual([]);
    const code = { videoAText: 1301, videoAImage: 1301, videoB: 50_412 }[format as string];
    expect(refused.body["code"]).toBe(code);
  });

  test("unknown models, unknown keys, and other types of content", async () => {
    const unknown = await ask(good(format, named(format, "nothing")));
    const model = { code: "model_not_found", param: modelField(format) === "req_key" ? text : "model" };
    expect(faultsOf(format, unknown, 404, model)).toEqual([]);
    const key = await ask(good(format), "tp-nobody");
    expect(faultsOf(format, key, 401, { type: "authentication_error", code: "invalid_api_key" })).toEqual([]);
    const request = { method: "POST", path: paths[format], body: "hello" };
    const typed = await stage.ask(request, undefined, { "content-type": "text/plain" });
    expect(faultsOf(format, typed, 415, { code: "unsupported_media_type" })).toEqual([]);
  });
});

test("a model's neutral name is told back as it was said", async () => {
  const { body } = await stage.ask({
    method: "POST",
    path: paths.videoAText,
    body: { model: "videoA-v9", prompt: "x" },
  });
  expect((body["error"] as { message: string }).message).toContain("'videoA-v9'");
});

test("format B without its query, and its question without a task", async () => {
  const version = "Version=2022-08-31";
  const rows: [string, object, string, string][] = [
    ["/videoB/", good("videoB"), "missing_required_parameter", "Action"],
    [`/videoB/?${version}`, good("videoB"), "missing_required_parameter", "Action"],
    ["/videoB/?Action=CVSync2AsyncSubmitTask", good("videoB"), "missing_required_parameter", "Version"],
    ["/jimeng/?Action=CVSync2AsyncGetResult", { task_id: "x" }, "missing_required_parameter", "Version"],
    [`/jimeng/?Action=Other&${version}`, good("videoB"), "invalid_value", "Action"],
    [resultPath, { req_key: "x" }, "missing_required_parameter", "task_id"],
    [resultPath, { task_id: 5 }, "invalid_type", "task_id"],
  ];
  for (const [path, body, code, param] of rows) {
    const answer = await stage.ask({ method: "POST", path, body });
    expect({ path, faults: faultsOf("videoB", answer, 400, { code, param }) }).toEqual({ path, faults: [] });
  }
});

describe("another key's task", () => {
  let id = "";
  beforeAll(async () => {
    const body = { model: "openai/sora-2", prompt: "a cat in story success by stranger" };
    id = String((await stage.ask({ method: "POST", path: paths.plain, body })).body["task_id"]);
  });
  const items: { method: string; path: string; body?: object }[] = [
    ...[
      "/v1/video/generations/{id}",
      ...["videoA", "kling"].flatMap((name) => [
        `/${name}/v1/videos/text2video/{id}`,
        `/${name}/v1/videos/image2video/{id}`,
      ]),
      ...["/v1/videos/{id}", "/v1/videos/{id}/content", "/v1/videos?after={id}"],
    ].map((path) => ({ method: "GET", path })),
    { method: "POST", path: "/v1/videos/{id}/remix", body: { prompt: "a dog" } },
    { method: "DELETE", path: "/v1/videos/{id}" },
  ];

  test.each(items)("$method $path is like one that is not there", async ({ method, path, body }) => {
    const asks = [id, "task_000000000000000000000000", "nothing", "../../etc/passwd", "%00", "' or 1=1 --"];
    for (const each of asks) {
      const requested = { method, path: path.replace("{id}", encodeURIComponent(each)), body };
      const answer = await stage.ask(requested, strangerKey);
      expect({ each, answer }).toMatchObject({
        each,
        answer: { status: 404, body: { error: { code: "object_not_found" } } },
      });
      if (/videoA|kling/.test(path)) expect(answer.body).toMatchObject({ code: 1203, message: expect.any(String) });
    }
  });

  test("is told as such in format B's own words, and still there for its owner", async () => {
    for (const path of [resultPath, resultPath.replace("videoB", "jimeng")]) {
      const requested = { method: "POST", path, body: { task_id: id } };
      expect((await stage.ask(requested, strangerKey)).body).toMatchObject({
        code: 10_000,
        data: { status: "not_found" },
      });
      expect((await stage.ask(requested)).body).toMatchObject({ code: 10_000, data: { task_id: id } });
    }
    expect((await stage.ask({ method: "GET", path: "/v1/videos" }, strangerKey)).body).toMatchObject({ data: [] });
    for (const { question } of clients) expect((await stage.ask(question(id))).status).toBe(200);
  });
});
