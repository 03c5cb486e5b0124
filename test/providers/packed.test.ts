// Calls as they leave, on real sockets: methods, JSON bodies, and forms that another parser reads.
import { afterAll, expect, test } from "bun:test";
import type { UpstreamRequest } from "../../src/dialects/dialect.ts";
import { providerAt } from "./helpers.ts";

interface Received {
  method: string;
  path: string;
  type: string | null;
  text: string;
  form: [string, unknown][];
}

let received: Received | undefined;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const type = request.headers.get("content-type");
    const form = type?.startsWith("multipart/") ? [...(await request.clone().formData())] : [];
    received = { method: request.method, path: new URL(request.url).pathname, type, text: await request.text(), form };
    return Response.json({});
  },
});
afterAll(() => server.stop(true));
const provider = providerAt("openai", server.url.href.replace(/\/$/, ""));

async function leaves(call: UpstreamRequest): Promise<Received | undefined> {
  await provider.dispatch.sendTask?.(call, new AbortController().signal);
  return received;
}

test("a call is a POST of JSON unless it says otherwise", async () => {
  expect(await leaves({ path: "videos", body: { a: 1 } })).toMatchObject({
    method: "POST",
    path: "/v1/videos",
    type: "application/json",
    text: '{"a":1}',
  });
  expect(await leaves({ path: "videos/x", body: {}, method: "PUT" })).toMatchObject({ method: "PUT", text: "{}" });
  for (const method of ["GET", "DELETE"] as const)
    expect(await leaves({ path: "videos/x", body: { a: 1 }, method })).toMatchObject({ method, type: null, text: "" });
});

test("a form arrives part by part, whatever stands in names and bytes", async () => {
  const bytes = Uint8Array.from({ length: 600 }, (_, index) => index);
  const form = [
    { name: "prompt", value: "ein Kätzchen\r\n--turnpike-\r\n" },
    { name: 'a"b', value: "" },
    { name: "image[]", fileName: 'na"me.png', type: "image/png\r\nx-evil: 1", bytes },
    { name: "empty", fileName: "e", type: "text/plain", bytes: new Uint8Array() },
  ];
  const packed = await leaves({ path: "videos", body: {}, form });
  expect(packed?.type).toMatch(/^multipart\/form-data; boundary=turnpike-\w{32}$/);
  expect(packed?.text).not.toContain("\r\nx-evil");
  const [prompt, quoted, image, empty] = packed?.form ?? [];
  expect(prompt).toEqual(["prompt", "ein Kätzchen\r\n--turnpike-\r\n"]);
  expect(quoted?.[1]).toBe("");
  expect(image?.[0]).toBe("image[]");
  expect(await new Response(image?.[1] as Blob).bytes()).toEqual(bytes);
  expect(await new Response(empty?.[1] as Blob).bytes()).toEqual(new Uint8Array());
});
