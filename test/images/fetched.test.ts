// Addresses are fetched by the guarded fetcher alone: private ones are refused, on either side, and bounds are kept.
import { expect, test } from "bun:test";
import { imageSetting, message } from "./setting.ts";
import { fars, nameOf } from "./upstream-dialects.ts";

const closed = await imageSetting(false);
const open = await imageSetting();
const gemini = nameOf(fars.find(({ model }) => model === "gemini-3-pro-image")!);
const dashscope = fars.find(({ kind }) => kind === "dashscope")!;

test.each([
  "http://127.0.0.1/a.png",
  "http://169.254.169.254/latest/meta-data",
  "http://[::1]/a.png",
  "http://localhost/a.png",
  "http://2130706433/a.png",
])("a client's %s is refused by its field, and nobody is asked", async (address) => {
  const { status, body } = await closed.ask("/v1/images/edits", message(gemini, [{ image: address }, { text: "x" }]));
  expect({ status, error: body["error"] }).toMatchObject({
    status: 400,
    error: { code: "invalid_value", param: "input.messages[0].content[0].image" },
  });
  expect(closed.up.requests).toHaveLength(0);
});

test("a result at a private address is the provider's fault", async () => {
  closed.up.on(dashscope.route, dashscope.answers([closed.url]));
  const body = { model: nameOf(dashscope), prompt: "x", response_format: "b64_json" };
  const { status, body: result } = await closed.ask("/v1/images/generations", body);
  expect({ status, error: result["error"] }).toMatchObject({ status: 502, error: { type: "upstream_error" } });
  expect(closed.up.requests.map(({ path }) => path)).not.toContain("/dot.png");
});

test("what is no image is refused by its field, whatever its type says", async () => {
  open.up.on("GET /dot.png", { text: "<html>", headers: { "content-type": "image/png" } });
  const { status, body } = await open.ask("/v1/images/edits", {
    model: gemini,
    prompt: "x",
    images: [{ image_url: open.url }],
  });
  expect({ status, error: body["error"] }).toMatchObject({ status: 400, error: { param: "images[0].image_url" } });
});

test("an image that is gone is told by its field", async () => {
  open.up.on("GET /dot.png", { status: 404, text: "gone" });
  const { status, body } = await open.ask("/v1/images/edits", {
    model: gemini,
    prompt: "x",
    images: [{ image_url: open.url }],
  });
  expect({ status, error: body["error"] }).toMatchObject({ status: 400, error: { param: "images[0].image_url" } });
});

test("a result that cannot be fetched is no answer", async () => {
  open.up.on("GET /dot.png", { status: 403, text: "expired" });
  open.up.on(dashscope.route, dashscope.answers([open.url]));
  const body = { model: nameOf(dashscope), prompt: "x", response_format: "b64_json" };
  const { status } = await open.ask("/v1/images/generations", body);
  expect(status).toBe(502);
});

test("an image that is announced as too large is not read", async () => {
  open.up.on("GET /dot.png", { text: "x", contentLength: 51 * 1024 * 1024, headers: { "content-type": "image/png" } });
  const { status, body } = await open.ask("/v1/images/edits", {
    model: gemini,
    prompt: "x",
    images: [{ image_url: open.url }],
  });
  expect({ status, error: body["error"] }).toMatchObject({ status: 400, error: { param: "images[0].image_url" } });
});

test("the gateway's own credentials do not go along", async () => {
  open.up.on(dashscope.route, dashscope.answers([open.url]));
  await open.ask("/v1/images/generations", { model: nameOf(dashscope), prompt: "x", response_format: "b64_json" });
  const fetched = open.up.requests.find(({ path }) => path === "/dot.png");
  expect([...(fetched?.headers.entries() ?? [])].join(" ")).not.toMatch(/canary|tp-test|authorization/i);
});
