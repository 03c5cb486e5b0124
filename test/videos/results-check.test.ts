// The place for finished videos is tried at the start: a bucket that cannot be used is an error in the log, and holds nothing up.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../store/engines.ts";
import { type GatewayOptions, gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";

const yamlOf = (endpoint: string): string => `videos:
  results:
    bucket: { name: films, endpoint: "${endpoint}", access_key_id: AKTEST, secret_access_key: sk-canary-bucket, prefix: kept/ }`;

const failure = (status: number, code: string): Response =>
  new Response(`<Error><Code>${code}</Code><Message>words</Message></Error>`, { status });

/** What a gateway says at its start of the place that is configured; null where it answers, and has said nothing. */
async function problemOf(options: GatewayOptions, isDone: () => boolean = () => false): Promise<string | null> {
  const running = await gateway({
    ...options,
    environment: { TURNPIKE_VIDEO_RESULTS: undefined, ...options.environment },
  });
  const line = () => running.log.find((each) => each.includes("results_unavailable"));
  await until("the place was tried", () => line() !== undefined || isDone());
  expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
  expect(running.log.join("")).not.toContain("canary");
  await running.stop();
  const before = line();
  return before === undefined ? null : JSON.parse(before).problem;
}

function bucket(answer: (request: Request) => Response | Promise<Response>) {
  const requests: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      return answer(request);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requests, stop: () => server.stop(true) };
}

test.each([
  ["NoSuchBucket", 404, "The bucket 'films' does not exist."],
  ["InvalidAccessKeyId", 403, "The access key of the bucket does not exist."],
  ["SignatureDoesNotMatch", 403, "The secret of the bucket's access key is wrong."],
  ["AccessDenied", 403, "The access key is not allowed to write to the bucket 'films'."],
])("%s is an error in the log that says what is wrong", async (code, status, sentence) => {
  const server = bucket(() => failure(status, code));
  expect(await problemOf({ yaml: yamlOf(server.url) })).toBe(sentence);
  server.stop();
});

test("an endpoint where nothing listens", async () => {
  expect(await problemOf({ yaml: yamlOf("http://127.0.0.1:1") })).toBe("The endpoint of the bucket cannot be reached.");
});

test("a bucket that is there is asked once, and nothing is written", async () => {
  const server = bucket(() => failure(404, "NoSuchKey"));
  expect(await problemOf({ yaml: yamlOf(server.url) }, () => server.requests.length > 0)).toBeNull();
  expect(server.requests).toEqual(["GET /films/kept/.turnpike-probe"]);
  server.stop();
});

test("a key that may write and not list is no problem, and leaves nothing behind", async () => {
  const server = bucket(({ method }) => {
    if (method === "GET") return failure(403, "AccessDenied");
    return method === "PUT" ? new Response(null, { headers: { etag: '"x"' } }) : new Response(null, { status: 204 });
  });
  const isDone = () => server.requests.some((each) => each.startsWith("DELETE"));
  expect(await problemOf({ yaml: yamlOf(server.url) }, isDone)).toBeNull();
  expect(server.requests).toEqual(["GET", "PUT", "DELETE"].map((method) => `${method} /films/kept/.turnpike-probe`));
  server.stop();
});

test("a bucket that does not answer holds up neither the start nor requests", async () => {
  const held = Promise.withResolvers<Response>();
  const server = bucket(() => held.promise);
  expect(await problemOf({ yaml: yamlOf(server.url) }, () => server.requests.length > 0)).toBeNull();
  held.resolve(failure(404, "NoSuchKey"));
  server.stop();
});

test("a folder that cannot be made", async () => {
  const folder = temporaryFolder();
  const blocked = join(folder.path, "file");
  writeFileSync(blocked, "");
  const problem = await problemOf({ yaml: `videos: { results: { folder: "${blocked}/videos" } }` });
  expect(problem).toBe(`The folder '${blocked}/videos' is not writable.`);
  folder.remove();
});
