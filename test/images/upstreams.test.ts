// Images through both shapes of the paths, from every upstream that makes some: made, changed, and told as the client wants them.
import { describe, expect, test } from "bun:test";
import { toFile } from "openai";
import { dotBytes, imageSetting, message } from "./setting.ts";
import { dot, fars, nameOf } from "./upstream-dialects.ts";

const { up, openai, url, ask, rows } = await imageSetting();
const file = () => toFile(dotBytes, "dot.png", { type: "image/png" });
const last = () => up.requests.findLast(({ method }) => method === "POST")!;
const text = (part: unknown): unknown => (typeof part === "string" ? part : (part as { text: string }).text);

describe.each(fars)("$kind $model", (far) => {
  const model = nameOf(far);
  const isOpenai = ["openai", "azure", "compatible"].includes(far.kind);

  test("the SDK's generation comes with an address, or with bytes where there is none", async () => {
    up.on(far.route, far.answers([url]));
    const { data, created } = await openai.images.generate({ model, prompt: "a fox", response_format: "url" });
    expect(data).toHaveLength(1);
    expect(data?.[0]).toMatchObject(far.bytesOnly ? { b64_json: dot } : { url });
    expect(created).toBeGreaterThan(0);
    expect(text(far.prompt(last()))).toBe("a fox");
    expect(up.requests).toHaveLength(1);
  });

  test("bytes where the SDK wants them, whatever the upstream gives", async () => {
    up.on(far.route, far.answers([url]));
    const { data } = await openai.images.generate({ model, prompt: "a fox", response_format: "b64_json" });
    expect(data?.map(({ b64_json, url: address }) => ({ b64_json, address }))).toEqual([
      { b64_json: dot, address: undefined },
    ]);
    expect(up.requests.filter(({ path }) => path === "/dot.png")).toHaveLength(far.bytesOnly ? 0 : 1);
  });

  test("the shape of the specification gives the same answer", async () => {
    up.on(far.route, far.answers([url]));
    const { status, body } = await ask("/v1/images/generations", message(model, [{ text: "a fox" }]));
    expect({ status, data: body["data"] }).toMatchObject({
      status: 200,
      data: [far.bytesOnly ? { b64_json: dot } : { url }],
    });
    expect(body["created"]).toBeInteger();
    expect(text(far.prompt(last()))).toBe("a fox");
    expect(rows(1)[0]).toMatchObject({ state: "completed", operation: "image" });
  });

  test("a stream ends with the finished image", async () => {
    if (isOpenai) return;
    up.on(far.route, far.answers([url]));
    const events = [];
    for await (const event of await openai.images.generate({ model, prompt: "a fox", stream: true }))
      events.push(event);
    expect(events).toMatchObject([{ type: "image_generation.completed", b64_json: dot, output_format: "png" }]);
  });

  test("an edit by form, by JSON and in a message", async () => {
    if (far.edit === undefined) {
      const { status, body } = await ask("/v1/images/edits", message(model, [{ image: url }, { text: "bluer" }]));
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { error: { code: "unsupported_parameter", param: "input.messages[0].content[0].image" } },
      });
      return;
    }
    up.on(far.edit.route, far.answers([url]));
    const byForm = await openai.images.edit({ model, prompt: "bluer", image: await file() });
    expect(byForm.data).toHaveLength(1);
    expect(far.edit.image(last())).toMatch(/^(?:data:)?image\/png/);
    for (const body of [
      { model, prompt: "bluer", images: [{ image_url: `data:image/png;base64,${dot}` }] },
      message(model, [{ image: `data:image/png;base64,${dot}` }, { text: "bluer" }]),
    ]) {
      const { status, body: result } = await ask("/v1/images/edits", body);
      expect({ status, error: result["error"] }).toEqual({ status: 200, error: undefined });
    }
  });
});

test.each(fars.filter(({ kind }) => ["openai", "gemini"].includes(kind)).filter(({ edit }) => edit))(
  "$kind takes bytes alone: what lies behind an address is brought",
  async (far) => {
    up.on(far.edit!.route, far.answers([url]));
    const { status } = await ask("/v1/images/edits", message(nameOf(far), [{ image: url }, { text: "bluer" }]));
    expect(status).toBe(200);
    expect(up.requests.map(({ path }) => path)[0]).toBe("/dot.png");
    expect(far.edit!.image(last())).toBe("image/png");
  },
);

test("upstreams that take addresses get them as they are", async () => {
  const far = fars.find(({ kind }) => kind === "dashscope")!;
  up.on(far.route, far.answers([url]));
  await openai.images.edit({ model: nameOf(far), prompt: "bluer", image: await file() });
  up.clear();
  up.on(far.route, far.answers([url]));
  await ask("/v1/images/edits", {
    model: nameOf(far),
    prompt: "bluer",
    images: [{ image_url: "https://example.com/a.png" }],
  });
  expect(far.edit!.image(last())).toBe("https://example.com/a.png");
  expect(up.requests).toHaveLength(1);
});

test("several images by form reach the upstream as several", async () => {
  up.on("POST /v1/images/edits", { json: { created: 1, data: [{ b64_json: dot }] } });
  await openai.images.edit({ model: "gpt-image-1", prompt: "both", image: [await file(), await file()], n: 2 });
  expect(last().text.match(/name="image\[\]"; filename/g)).toHaveLength(2);
  expect(last().text).toMatch(/name="n"\r\n\r\n2\r\n/);
  expect(last().text).toMatch(/name="model"\r\n\r\ngpt-image-1\r\n/);
});

test("a failover gives the next upstream the address that it takes", async () => {
  up.on("POST /v1beta/models/gemini-3-pro-image:generateContent", { status: 503, json: { error: { code: 503 } } });
  const far = fars.find(({ kind }) => kind === "dashscope")!;
  up.on(far.route, far.answers([url]));
  const { status, headers } = await ask("/v1/images/edits", {
    model: "both",
    prompt: "x",
    images: [{ image_url: url }],
  });
  expect({ status, by: headers.get("x-turnpike-provider") }).toEqual({ status: 200, by: "dashscope" });
  expect(far.edit!.image(last())).toBe(url);
});

test("a failover to another that takes bytes alone does not bring them twice", async () => {
  up.on("POST /v1beta/models/gemini-3-pro-image:generateContent", { status: 503, json: { error: { code: 503 } } });
  up.on("POST /v1/images/edits", { json: { created: 1, data: [{ b64_json: dot }] } });
  const { status } = await ask("/v1/images/edits", message("brought", [{ image: url }, { text: "x" }]));
  expect({ status, requested: up.requests.map(({ path }) => path) }).toEqual({
    status: 200,
    requested: ["/dot.png", "/v1beta/models/gemini-3-pro-image:generateContent", "/v1/images/edits"],
  });
});
