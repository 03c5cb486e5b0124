// Downloads of finished videos are bounded in bytes and in time, whole and in part, and none is empty without an error.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { upstream } from "../support/upstream.ts";
import { bytesOf, keeper, type Reply, type Upstream, video } from "./keeping.ts";

const kibibyte = 1024;
const maxBytes = 64 * kibibyte;
const maxMs = 1_000;

const up = await upstream();
const elsewhere = await upstream();
const setup = await keeper(up, {
  yaml: `limits: { video_download_bytes: ${maxBytes}, video_download_ms: ${maxMs} }`,
  environment: { TURNPIKE_VIDEO_RESULTS: "proxy", TURNPIKE_FETCH_ALLOW: new URL(elsewhere.url).host },
});
afterAll(async () => {
  await setup.stop();
  await elsewhere.stop();
  await up.stop();
});
beforeEach(() => {
  up.clear();
  elsewhere.clear();
});

const mp4 = { "content-type": "video/mp4" };
const pieces = (count: number, size = 16 * kibibyte): Uint8Array[] =>
  Array.from({ length: count }, () => bytesOf(size));
const problem = async (answer: Response) => ({ status: answer.status, code: at(await answer.json(), "error", "code") });

/** How many bytes came until the end, and whether it was a proper one. */
async function read(answer: Response): Promise<{ bytes: number; isWhole: boolean }> {
  let bytes = 0;
  try {
    for await (const chunk of answer.body ?? []) bytes += chunk.byteLength;
    return { bytes, isWhole: true };
  } catch {
    return { bytes, isWhole: false };
  }
}

/** The credential's own address, and an open one to which it leads. */
const sources: [string, (reply: Reply) => Upstream][] = [
  [
    "fetched with the credential",
    (reply) => {
      up.on(video, reply);
      return up;
    },
  ],
  [
    "behind a redirect",
    (reply) => {
      up.on(video, { status: 302, headers: { location: `${elsewhere.url}/film.mp4` }, text: "" });
      elsewhere.on("GET /film.mp4", reply);
      return elsewhere;
    },
  ],
];

describe.each(sources)("%s", (_name, source) => {
  test.each([
    ["whole", 200, undefined],
    ["a range", 206, "bytes=0-"],
  ])("%s: announced as too large, it is an error", async (_part, status, range) => {
    const id = await setup.finish();
    const more: Record<string, string> =
      range === undefined ? {} : { "content-range": `bytes 0-${maxBytes}/${maxBytes + 1}` };
    source({ status, bytes: [bytesOf(maxBytes + 1)], framing: "length", headers: { ...mp4, ...more } });
    const answer = await setup.fetch(id, range === undefined ? {} : { range });
    expect(await problem(answer)).toEqual({ status: 502, code: "upstream_protocol_error" });
  });

  test.each([
    ["whole", 200, undefined],
    ["a range", 206, "bytes=0-"],
  ])("%s: one that grows too large is cut", async (_part, status, range) => {
    const id = await setup.finish();
    const more: Record<string, string> = range === undefined ? {} : { "content-range": "bytes 0-9/*" };
    source({ status, bytes: pieces(8), framing: "chunked", headers: { ...mp4, ...more } });
    // On a busy machine all of it may have come, and the connection be closed, before the client reads the head.
    const answer = await setup.fetch(id, range === undefined ? {} : { range }).catch(() => null);
    expect([status, undefined]).toContain(answer?.status);
    const { bytes, isWhole } = answer === null ? { bytes: 0, isWhole: false } : await read(answer);
    expect(isWhole).toBe(false);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
  });

  test("as much as is allowed comes whole", async () => {
    const id = await setup.finish();
    source({ bytes: pieces(4), framing: "chunked", headers: mp4 });
    expect(await read(await setup.fetch(id))).toEqual({ bytes: maxBytes, isWhole: true });
  });

  test("one that takes too long is cut, and its provider's connection closed", async () => {
    const id = await setup.finish();
    const never = new Promise<void>(() => undefined);
    const server = source({ bytes: pieces(2), framing: "chunked", headers: mp4, gate: never });
    const startMs = performance.now();
    const { bytes, isWhole } = await read(await setup.fetch(id));
    expect({ bytes, isWhole }).toEqual({ bytes: 16 * kibibyte, isWhole: false });
    expect(performance.now() - startMs).toBeGreaterThan(maxMs * 0.9);
    await server.requests.at(-1)?.aborted;
  });

  test.each(["length", "chunked", "close"] as const)("one without bytes (%s) is an error", async (framing) => {
    const id = await setup.finish();
    source({ bytes: [], framing, headers: mp4 });
    expect(await problem(await setup.fetch(id))).toEqual({ status: 502, code: "upstream_failed" });
  });
});

test("a copy finds no bytes: the log says so, and so does the video's content", async () => {
  const copying = await keeper(up);
  up.on(video, { bytes: [], framing: "chunked", headers: mp4 });
  const id = await copying.finish();
  await copying.rowUntil(id, (row) => (row?.copyTries ?? 0) >= 1);
  const line = copying.gateway.log.find((each) => each.includes("job_failed")) ?? "";
  expect(line).toContain("The provider's video is empty.");
  expect(await problem(await copying.fetch(id))).toEqual({ status: 502, code: "upstream_failed" });
  expect(copying.files()).toEqual([]);
  await copying.stop();
});
