// Requests that the specification allows without a model: the sandbox answers them while nothing else is configured.
import { afterAll, describe, expect, test } from "bun:test";
import { dot } from "../images/upstream-dialects.ts";
import { openaiClient } from "../support/clients.ts";
import { gateway } from "../support/gateway.ts";

const single = await gateway();
const other = await gateway({
  yaml: 'providers:\n  far: { kind: compatible, base_url: "http://127.0.0.1:9/v1", credential: "k", models: [gpt-x] }\n',
});
afterAll(() => Promise.all([single.stop(), other.stop()]));

const form = (fields: Record<string, string | Blob>): FormData => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return body;
};

const png = new Blob([Buffer.from(dot, "base64")], { type: "image/png" });
const json = (body: object) => ({ body: JSON.stringify(body), headers: { "content-type": "application/json" } });

type Row = readonly [path: string, init: () => { body: string | FormData; headers?: object }, refused: string];

const requests: readonly Row[] = [
  ["/v1/moderations", () => json({ input: "hi" }), "model"],
  ["/v1/videos", () => ({ body: form({ prompt: "a fox" }) }), "model"],
  ["/v1/video/generations", () => json({ prompt: "a fox" }), "model"],
  ["/videoA/v1/videos/text2video", () => json({ prompt: "a fox" }), "model"],
  ["/videoA/v1/videos/image2video", () => json({ prompt: "a fox", image: dot }), "model"],
  ["/videoB/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31", () => json({ prompt: "a fox" }), "req_key"],
  ["/v1/images/variations", () => ({ body: form({ image: png }) }), "model"],
];

describe.each(requests)("%s without a model", (path, init, refused) => {
  const ask = ({ url, key }: typeof single) => {
    const { body, headers } = init();
    return fetch(url + path, { method: "POST", body, headers: { authorization: `Bearer ${key}`, ...headers } });
  };

  test("is answered by the sandbox", async () => {
    const response = await ask(single);
    expect([response.status, response.headers.get("x-turnpike-provider")]).toEqual([200, "sandbox"]);
  });

  test("is never answered by the sandbox where something else is configured", async () => {
    const response = await ask(other);
    expect(response.headers.get("x-turnpike-provider")).not.toBe("sandbox");
    if (path === "/v1/moderations") return;
    const { error } = (await response.json()) as { error: { param: string } };
    expect([400, 404]).toContain(response.status);
    expect(error.param).toBe(refused);
  });
});

test("a provider that may have any model is not asked for the usual one of OpenAI's format", async () => {
  const unlisted = await gateway({
    yaml: 'providers:\n  openai: { kind: openai, base_url: "http://127.0.0.1:9/v1", credential: "k" }\n',
  });
  const headers = { authorization: `Bearer ${unlisted.key}` };
  const response = await fetch(`${unlisted.url}/v1/videos`, {
    method: "POST",
    body: form({ prompt: "a fox" }),
    headers,
  });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { code: "missing_required_parameter", param: "model" } },
  ]);
  await unlisted.stop();
});

test("the SDK gets variations of an image", async () => {
  const { data } = await openaiClient(single.url, single.key).images.createVariation({
    image: new File([png], "dot.png", { type: "image/png" }),
    n: 2,
    size: "256x256",
    response_format: "b64_json",
  });
  expect(data?.map(({ b64_json }) => b64_json?.slice(0, 5))).toEqual(["iVBOR", "iVBOR"]);
});

test("a video says which model made it", async () => {
  const client = openaiClient(single.url, single.key);
  const { id, model } = await client.videos.create({ prompt: "a fox" });
  expect(model as string).toBe("sandbox/video");
  expect((await client.videos.retrieve(id)).model as string).toBe("sandbox/video");
});
