// Results in a bucket: signed requests, parts, ranges, deletion, and a bucket that fails.
import { afterAll, expect, test } from "bun:test";
import { bytesOf, type Keeper, keeper, megabyte, reel, upstream, video } from "./keeping.ts";

const gone = { status: 404, json: { error: { message: "gone" } } };

/** A server that speaks as much of S3 as is needed, and only to requests that are signed. */
function bucketServer() {
  const objects = new Map<string, { bytes: Uint8Array; type: string }>();
  const uploads = new Map<string, { type: string; parts: Map<number, Uint8Array> }>();
  const faults: string[] = [];
  const state = { failing: false };
  const put = (path: string, bytes: Uint8Array, type: string) => void objects.set(path, { bytes, type });
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const signed = request.headers.get("authorization") ?? "";
    const shape =
      /^AWS4-HMAC-SHA256 Credential=AKTEST\/\d{8}\/eu-test-1\/s3\/aws4_request, ?SignedHeaders=[\w;-]*host[\w;-]*, ?Signature=[0-9a-f]{64}$/;
    if (!shape.test(signed)) {
      faults.push(`${request.method} ${url.pathname}: ${signed}`);
      return new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 });
    }
    if (state.failing) return new Response("<Error><Code>InternalError</Code></Error>", { status: 500 });
    const upload = uploads.get(url.searchParams.get("uploadId") ?? "");
    const type = request.headers.get("content-type") ?? "";
    if (request.method === "POST" && url.searchParams.has("uploads")) {
      const id = `u${uploads.size}`;
      uploads.set(id, { type, parts: new Map() });
      const name = "InitiateMultipartUploadResult";
      return new Response(`<${name}><Bucket>b</Bucket><Key>k</Key><UploadId>${id}</UploadId></${name}>`);
    }
    if (request.method === "PUT" && upload !== undefined) {
      upload.parts.set(Number(url.searchParams.get("partNumber")), await request.bytes());
      return new Response(null, { headers: { etag: '"part"' } });
    }
    if (request.method === "POST" && upload !== undefined) {
      const parts = [...upload.parts].sort(([left], [right]) => left - right).map(([, bytes]) => bytes);
      put(url.pathname, new Uint8Array(Buffer.concat(parts)), upload.type);
      return new Response("<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>");
    }
    if (request.method === "PUT") {
      put(url.pathname, await request.bytes(), type);
      return new Response(null, { headers: { etag: '"whole"' } });
    }
    const found = objects.get(url.pathname);
    if (request.method === "DELETE") objects.delete(url.pathname);
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    if (found === undefined) return new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 });
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
    const part = start === undefined ? found.bytes : found.bytes.slice(Number(start), Number(end) + 1);
    const headers = { "content-length": String(part.length), etag: '"x"' };
    return new Response(request.method === "HEAD" ? null : Buffer.from(part), {
      status: start === undefined ? 200 : 206,
      headers,
    });
  };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  return { url: `http://127.0.0.1:${server.port}`, objects, uploads, faults, state, stop: () => server.stop(true) };
}

const up = await upstream();
const bucket = bucketServer();
const yaml = `videos:
  results:
    bucket: { name: films, endpoint: "${bucket.url}", region: eu-test-1, access_key_id: "\${BUCKET_ID}", secret_access_key: "\${BUCKET_SECRET}", prefix: kept/ }`;
const environment = { BUCKET_ID: "AKTEST", BUCKET_SECRET: "sk-canary-bucket" };
const setup: Keeper = await keeper(up, { yaml, environment });

afterAll(async () => {
  await setup.stop();
  bucket.stop();
  await up.stop();
});

test.each([
  ["a small video", 70_000],
  ["one of several parts", 11 * megabyte + 3],
])("%s is copied to the bucket, served in parts, and deleted", async (_name, length) => {
  const bytes = bytesOf(length, 7);
  up.on(video, reel(bytes));
  const id = await setup.finish();
  expect(await setup.stored(id)).toMatchObject({ storedBytes: length, copyTries: 1 });
  expect(setup.files()).toEqual([]);
  expect([...bucket.objects.keys()]).toEqual([`/films/kept/${id}-0.mp4`]);
  expect(bucket.objects.get(`/films/kept/${id}-0.mp4`)?.type).toBe("video/mp4");
  up.on(video, gone);
  const whole = await setup.fetch(id);
  // No length: the server tells one only for bodies that are not streamed.
  expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect(Bun.hash(await whole.bytes())).toBe(Bun.hash(bytes));
  const part = await setup.fetch(id, { range: `bytes=${length - 5}-` });
  expect([part.status, part.headers.get("content-range")]).toEqual([
    206,
    `bytes ${length - 5}-${length - 1}/${length}`,
  ]);
  expect(await part.bytes()).toEqual(bytes.slice(-5));
  expect((await setup.fetch(id, { range: `bytes=${length}-` })).status).toBe(416);
  await setup.ask("DELETE", `/v1/videos/${id}`);
  expect(bucket.objects.size).toBe(0);
  expect(bucket.faults).toEqual([]);
});

test("a bucket that fails changes nothing but when it is tried again", async () => {
  const bytes = bytesOf(70_000, 9);
  up.on(video, reel(bytes));
  bucket.state.failing = true;
  const id = await setup.finish();
  await setup.rowUntil(id, (row) => (row?.copyTries ?? 0) >= 1);
  expect(await (await setup.fetch(id)).bytes()).toEqual(bytes);
  bucket.state.failing = false;
  await setup.stored(id);
  up.on(video, gone);
  expect((await setup.fetch(id)).status).toBe(200);
  bucket.state.failing = true;
  expect((await setup.fetch(id)).status).toBe(404);
  bucket.state.failing = false;
  expect(await (await setup.fetch(id)).bytes()).toEqual(bytes);
  await setup.ask("DELETE", `/v1/videos/${id}`);
});

test("a source that breaks off leaves no half of a video in the bucket", async () => {
  const bytes = bytesOf(6 * megabyte, 11);
  const cut = { ending: "reset", headers: { "content-length": String(bytes.length + 9) } } as const;
  up.on(video, reel(bytes, cut), gone);
  const id = await setup.finish();
  await setup.rowUntil(id, (row) => (row?.copyTries ?? 0) >= 1);
  expect(bucket.objects.size).toBe(0);
  await setup.ask("DELETE", `/v1/videos/${id}`);
});

test("nothing that anybody is told or that is logged knows the bucket's secret", async () => {
  expect(setup.gateway.log.join("\n")).not.toContain("canary");
});
