// Variations of an image: passed on to servers of OpenAI's format, refused clearly for all others.
import { expect, test } from "bun:test";
import { thrownBy } from "../sdk/setting.ts";
import { dotBytes, imageSetting } from "./setting.ts";

const { up, openai } = await imageSetting();
const image = new File([dotBytes], "dot.png", { type: "image/png" });
const data = [{ url: "https://images.example/1.png" }, { url: "https://images.example/2.png" }];

test("a server of this format gets the form as it came", async () => {
  up.on("POST /v1/images/variations", { json: { created: 7, data } });
  const result = await openai.images.createVariation({ model: "dall-e-3", image, n: 1, size: "512x512", user: "u" });
  expect({ ...result }).toMatchObject({ created: 7, data });
  const [seen] = up.requests;
  expect(seen?.headers.get("content-type")).toStartWith("multipart/form-data");
  for (const [name, value] of Object.entries({ model: "dall-e-3", n: "1", size: "512x512", user: "u" }))
    expect(seen?.text).toMatch(new RegExp(`name="${name}"\\r\\n\\r\\n${value}\\r\\n`));
  expect(seen?.text).toMatch(/name="image"; filename="[^"]+"\r\nContent-Type: image\/png/);
  expect(seen?.text).not.toContain('name="prompt"');
});

test.each(["qwen-image-plus", "gemini-2.5-flash-image"])("%s cannot be asked for them", async (model) => {
  const { status, code, param, message } = (await thrownBy(openai.images.createVariation({ model, image }))) as Record<
    string,
    unknown
  >;
  expect({ status, code, param }).toEqual({ status: 400, code: "unsupported_parameter", param: "image" });
  expect(message).toContain("this provider does not support image variations");
  expect(up.requests.filter(({ method }) => method === "POST")).toEqual([]);
});

test("an image is required", async () => {
  const call = openai.images.createVariation({ model: "dall-e-3" } as never);
  expect(await thrownBy(call)).toMatchObject({ status: 400, param: "image" });
});

test("a server without the endpoint does not make variations", async () => {
  up.on("*", { status: 404, json: { error: { message: "Not Found" } } });
  const call = openai.images.createVariation({ model: "dall-e-3", image });
  expect(await thrownBy(call)).toMatchObject({ status: 400, code: "unsupported_parameter", param: "image" });
  expect(up.requests.map(({ path }) => path)).toEqual(["/v1/images/variations"]);
});

test("a server without the model says so by its own status", async () => {
  const error = {
    message: "The model `dall-e-3` does not exist",
    type: "invalid_request_error",
    code: "model_not_found",
  };
  up.on("*", { status: 404, json: { error } });
  const call = openai.images.createVariation({ model: "dall-e-3", image });
  expect(await thrownBy(call)).toMatchObject({ status: 404, code: "model_not_found" });
});
