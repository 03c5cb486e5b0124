// Requests without a Host header, with an odd one, or with lengths sent twice, byte by byte over real sockets.
import { beforeEach, describe, expect, test } from "bun:test";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { sourceFiles } from "../architecture/source.ts";
import { sendRaw } from "../support/raw-http.ts";
import { answersAll, chatBody, pathOf, rows, setting, smallest, welcome } from "./setting.ts";

const { world, bearer } = await setting();
beforeEach(() => answersAll(world.upstreams));

interface Raw {
  version?: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Header lines as they are. */
  lines?: readonly string[];
  body?: string;
}

function ask({ version = "1.1", method, path, headers = {}, lines = [], body = "" }: Raw) {
  const named = Object.entries({ ...bearer, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const length =
    body === "" || lines.some((line) => /^content-length/i.test(line)) ? [] : [`Content-Length: ${body.length}`];
  const head = [`${method} ${path} HTTP/${version}`, "Connection: close", ...named, ...length, ...lines, "", ""];
  return sendRaw(world.gateway.url, [head.join("\r\n") + body], 2_000);
}

function smallestOf(row: Endpoint): Raw {
  const { method = "GET", headers, body } = smallest(row);
  return { method, path: pathOf(row), headers, ...(typeof body === "string" ? { body } : {}) };
}

const named = rows.map((row) => ({ name: `${row.method} ${row.path}`, row }));

describe.each(named)("$name", ({ row }) => {
  test("answers an HTTP/1.0 client without a Host header, and an empty Host header", async () => {
    const request = smallestOf(row);
    const old = await ask({ ...request, version: "1.0" });
    const empty = await ask({ ...request, lines: ["Host:"] });
    expect([old.status, empty.status]).toEqual([welcome(row), welcome(row)]);
  });
});

const chat = { method: "POST", path: "/v1/chat/completions", headers: { "content-type": "application/json" } };
const body = JSON.stringify(chatBody);

test.each([
  ["two", ["Host: a.example", "Host: b.example"]],
  ["two of the same", ["Host: a.example", "Host: a.example"]],
  ["one with a path", ["Host: a.example/b?c"]],
  ["one with a space", ["Host: a b"]],
  ["one with a port that is not one", ["Host: a.example:port"]],
])("%s Host headers are refused on every path", async (_name, lines) => {
  for (const raw of [
    { method: "GET", path: "/livez" },
    { ...chat, body },
  ]) {
    const answer = await ask({ ...raw, lines });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { type: "invalid_request_error", param: "host" } });
  }
});

test.each(["a.example", "a.example:8080", "127.0.0.1:1", "[::1]:8080", "a_b.example", "a.example:99999", "a.example:"])(
  "Host: %s is answered",
  async (host) => {
    expect((await ask({ ...chat, body, lines: [`Host: ${host}`] })).status).toBe(200);
    expect((await ask({ method: "GET", path: "/v1/videos?limit=1", lines: [`Host: ${host}`] })).status).toBe(200);
  },
);

test("the same Content-Length twice is one length, two lengths are refused", async () => {
  const length = `Content-Length: ${body.length}`;
  const same = await ask({ ...chat, body, lines: ["Host: a.example", length, length] });
  expect(same.status).toBe(200);
  const other = await ask({ ...chat, body, lines: ["Host: a.example", length, "Content-Length: 1"] });
  expect(other.status).toBe(400);
});

test("a large body whose length is sent twice is read whole", async () => {
  const large = JSON.stringify({ ...chatBody, user: "x".repeat(2 * 1024 * 1024) });
  const length = `Content-Length: ${large.length}`;
  expect((await ask({ ...chat, body: large, lines: ["Host: a.example", length, length] })).status).toBe(200);
});

test("a query is read without a Host header too", async () => {
  const answer = await ask({ version: "1.0", method: "GET", path: "/v1/videos?limit=0" });
  expect([answer.status, JSON.parse(answer.body).error?.param]).toEqual([400, "limit"]);
});

test("only one file takes a request's URL apart: elsewhere a missing Host header would be forgotten", () => {
  const others = sourceFiles("src/http").filter(
    ({ path, text }) => path !== "src/http/target.ts" && /new URL\(/.test(text),
  );
  expect(others.map(({ path }) => path)).toEqual([]);
});
