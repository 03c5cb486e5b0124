// Forms over real sockets: what clients send is read, what is too large or no form is refused in time.
import { afterAll, expect, test } from "bun:test";
import { GatewayError } from "../../src/canonical/error.ts";
import { defaultLimits } from "../../src/config/limits.ts";
import { readForm } from "../../src/http/read-form.ts";
import { sendRaw } from "../support/raw-http.ts";

const limits = { ...defaultLimits, maxBodyBytes: 10_000 };
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    try {
      const { wire, files, bytes } = await readForm(request, limits);
      return Response.json({ wire, bytes, files: files.map((file) => ({ ...file, bytes: file.bytes.length })) });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      return Response.json(
        { code: thrown.code, param: thrown.param, message: thrown.message },
        { status: thrown.status },
      );
    }
  },
});
afterAll(() => server.stop(true));

const post = async (body: string | FormData | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
  const answer = await fetch(server.url, { method: "POST", body, headers });
  return { status: answer.status, reply: await answer.json() };
};

test("a form of fetch's own arrives with its files", async () => {
  const form = new FormData();
  form.append("model", "m");
  form.append("include[]", "a");
  form.append("image[]", new File([new Uint8Array(300)], "Bild ü.png", { type: "image/png" }));
  form.append("nothing", new File([], ""));
  const { status, reply } = await post(form);
  expect({ status, reply }).toMatchObject({
    status: 200,
    reply: {
      wire: { model: "m", include: ["a"] },
      files: [{ field: "image[]", name: "Bild ü.png", type: "image/png", bytes: 300 }],
    },
  });
});

test("a compressed form arrives too, within the same bound", async () => {
  const text = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${"x".repeat(9_000)}\r\n--b--`;
  const headers = { "content-type": "multipart/form-data; boundary=b", "content-encoding": "gzip" };
  expect((await post(Bun.gzipSync(text), headers)).reply).toMatchObject({ wire: { a: "x".repeat(9_000) } });
  expect((await post(Bun.gzipSync(text.replace("xxx", "x".repeat(2_000))), headers)).status).toBe(413);
});

test("what is no form is refused by its type, its bytes or its names", async () => {
  const type = (boundary: string) => ({ "content-type": `multipart/form-data${boundary}` });
  expect((await post("{}", { "content-type": "application/json" })).status).toBe(415);
  expect((await post("--b--", type(""))).reply).toMatchObject({
    code: "invalid_value",
    message: expect.stringMatching(/boundary/),
  });
  expect((await post("hello", type("; boundary=b"))).reply).toMatchObject({
    message: expect.stringMatching(/at byte 0/),
  });
  const field = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const twice = `${field("a", "1")}${field("a[b]", "2")}--b--`;
  expect((await post(twice, type("; boundary=b"))).reply).toMatchObject({ code: "invalid_value", param: "a" });
  const bytes = Buffer.concat([
    Buffer.from(field("a", "").slice(0, -2)),
    Buffer.from([0xff]),
    Buffer.from("\r\n--b--"),
  ]);
  expect((await post(bytes, type("; boundary=b"))).reply).toMatchObject({
    param: "a",
    message: expect.stringMatching(/UTF-8/),
  });
});

test("too much is refused before it is sent, and a body without a length at the bound", async () => {
  const head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\n";
  expect((await sendRaw(server.url.href, [`${head}Content-Length: 10001\r\n\r\n`])).status).toBe(413);
  const chunk = `1000\r\n${"x".repeat(4_096)}\r\n`;
  const chunked = [`${head}Transfer-Encoding: chunked\r\n\r\n`, chunk, chunk, chunk];
  expect((await sendRaw(server.url.href, chunked)).status).toBe(413);
});
