// Edits by form: what stands beside the files, masks, and what a form lacks.
import { expect, test } from "bun:test";
import { dotBytes, imageSetting } from "./setting.ts";
import { dot, fars, nameOf } from "./upstream-dialects.ts";

const { up, gateway, url } = await imageSetting();
const picture = () => new File([dotBytes], "dot.png", { type: "application/octet-stream" });

async function send(parts: readonly (readonly [string, string | File])[]) {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const answer = await fetch(`${gateway.url}/v1/images/edits`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}` },
    body: form,
  });
  const body = (await answer.json()) as { error?: { param: string; code: string } };
  return { status: answer.status, param: body.error?.param, code: body.error?.code };
}

const model = ["model", "gpt-image-1"] as const;
const prompt = ["prompt", "bluer"] as const;
const fine = { status: 200, param: undefined, code: undefined };
const bad = (param: string, code = "invalid_value") => ({ status: 400, param, code });

test.each([
  { parts: [model, prompt, ["image", picture()]], expected: fine },
  { parts: [model, prompt, ["image[]", picture()], ["image[]", picture()]], expected: fine },
  { parts: [model, prompt, ["image", picture()], ["image", picture()]], expected: fine },
  { parts: [model, prompt, ["image[0]", picture()], ["image[1]", picture()]], expected: fine },
  {
    parts: [model, prompt, ["image", picture()], ["mask", picture()], ["n", "10"], ["output_compression", "0"]],
    expected: fine,
  },
  { parts: [model, prompt, ["image", picture()], ["n", "11"]], expected: bad("n") },
  { parts: [model, prompt, ["image", picture()], ["n", "two"]], expected: bad("n", "invalid_type") },
  { parts: [model, prompt, ["image", picture()], ["stream", "maybe"]], expected: bad("stream", "invalid_type") },
  { parts: [model, prompt], expected: bad("image", "missing_required_parameter") },
  { parts: [model, ["image", picture()]], expected: bad("prompt", "missing_required_parameter") },
  { parts: [prompt, ["image", picture()]], expected: bad("model", "missing_required_parameter") },
  {
    parts: [model, prompt, ["image", new File(["no picture"], "a.png", { type: "image/png" })]],
    expected: bad("image"),
  },
  {
    parts: [model, prompt, ...Array.from({ length: 17 }, () => ["image[]", picture()] as const)],
    expected: bad("image"),
  },
  { parts: [model, prompt, ...Array.from({ length: 16 }, () => ["image[]", picture()] as const)], expected: fine },
] as { parts: (readonly [string, string | File])[]; expected: object }[])(
  "a form of $parts.length parts is answered with $expected.status $expected.param",
  async ({ parts, expected }) => {
    up.on("POST /v1/images/edits", { json: { created: 1, data: [{ b64_json: dot }] } });
    expect(await send(parts)).toEqual(expected as never);
  },
);

test("texts and files reach an upstream of the same words as they came", async () => {
  up.on("POST /v1/images/edits", { json: { created: 1, data: [{ b64_json: dot }] } });
  await send([model, prompt, ["n", "2"], ["future_field", "yes"], ["image", picture()], ["mask", picture()]]);
  const { text, headers } = up.requests[0]!;
  expect(headers.get("content-type")).toMatch(/^multipart\/form-data; boundary=/);
  for (const [name, value] of [
    ["model", "gpt-image-1"],
    ["prompt", "bluer"],
    ["n", "2"],
    ["future_field", "yes"],
  ])
    expect(text).toContain(`name="${name}"\r\n\r\n${value}\r\n`);
  for (const name of ["image", "mask"]) expect(text).toContain(`name="${name}"; filename="dot.png"`);
});

test("a mask is refused where there is none", async () => {
  const far = fars.find(({ kind }) => kind === "dashscope")!;
  up.on(far.route, far.answers([url]));
  const result = await send([["model", nameOf(far)], prompt, ["image", picture()], ["mask", picture()]]);
  expect(result).toEqual(bad("mask", "unsupported_parameter"));
  expect(up.requests).toHaveLength(0);
});

const filesIn = (text: string): string[] =>
  [...text.matchAll(/name="([^"]+)"; filename="([^"]+)"\r\nContent-Type: (\S+)/g)].map((found) =>
    found.slice(1).join(" "),
  );
const called = (name: string) => new File([dotBytes], name, { type: "text/plain" });

test.each([
  [["image"], ["image 0.png image/png"]],
  [["image[]"], ["image[] 0.png image/png"]],
  [["image[0]"], ["image 0.png image/png"]],
  [
    ["image", "image"],
    ["image[] 0.png image/png", "image[] 1.png image/png"],
  ],
  [
    ["image[1]", "image[0]"],
    ["image[] 1.png image/png", "image[] 0.png image/png"],
  ],
  [
    ["mask", "image"],
    ["image 1.png image/png", "mask 0.png image/png"],
  ],
])(
  "files %j reach an upstream of the same words under the names, in the order and of the type that it knows",
  async (names, seen) => {
    up.on("POST /v1/images/edits", { json: { created: 1, data: [{ b64_json: dot }] } });
    await send([model, prompt, ...names.map((name, index) => [name, called(`${index}.png`)] as const)]);
    expect(filesIn(up.requests[0]!.text)).toEqual(seen);
  },
);

test("a file that nobody reads is told, and refused when strict", async () => {
  const far = fars.find(({ kind }) => kind === "gemini")!;
  up.on(far.edit!.route, far.answers([`data:image/png;base64,${dot}`]));
  const ask = async (headers: object) => {
    const form = new FormData();
    for (const [name, value] of [["model", nameOf(far)], prompt, ["image", picture()], ["extra", picture()]] as const)
      form.append(name, value);
    const authorization = `Bearer ${gateway.key}`;
    return fetch(`${gateway.url}/v1/images/edits`, {
      method: "POST",
      headers: { authorization, ...headers },
      body: form,
    });
  };
  expect((await ask({})).headers.get("x-turnpike-warnings")).toBe("dropped;field=extra");
  expect((await ask({ "x-turnpike-strict": "true" })).status).toBe(400);
});

test("a reply without a time gets one", async () => {
  up.on("POST /v1/images/edits", { json: { data: [{ b64_json: dot }] } });
  const form = new FormData();
  for (const [name, value] of [model, prompt, ["image", picture()]] as const) form.append(name, value);
  const headers = { authorization: `Bearer ${gateway.key}` };
  const answer = await fetch(`${gateway.url}/v1/images/edits`, { method: "POST", headers, body: form });
  expect(await answer.json()).toEqual({ data: [{ b64_json: dot }], created: expect.any(Number) });
});
