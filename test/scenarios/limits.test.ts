// Limits on input: what is too large, too deep, too many or not text at all is refused before anyone is asked.
import { expect } from "bun:test";
import { says } from "../support/fixtures.ts";
import { clientKey } from "../support/gateway.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";

const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: turnpike\r\ncontent-type: application/json\r\n`;
const signedHead = `${head}authorization: Bearer ${clientKey}\r\n`;

function* endlessChunks(): Generator<string> {
  yield `${signedHead}transfer-encoding: chunked\r\n\r\n`;
  const megabyte = " ".repeat(1_048_576);
  for (let count = 0; count < 300; count++) yield `100000\r\n${megabyte}\r\n`;
}

const smallest = '"model":"gpt-x","messages":[{"role":"user","content":"hi"}]';
const tooDeep = `{${smallest},"tomorrow":${"[".repeat(200)}${"]".repeat(200)}}`;
const depthBomb = "[".repeat(1_000_000);
const notText = new Uint8Array([...Buffer.from(`{${smallest},"user":"`), 0xff, 0xfe, ...Buffer.from('"}')]);

/** A body that is refused as no usable JSON. */
function refused(name: string, rawBody: string | Uint8Array<ArrayBuffer>): Scenario {
  return {
    name,
    call: { rawBody },
    sees: { status: 400, error: { type: "invalid_request_error" } },
    requested: {},
    ledger: "none",
  };
}

const rows: Scenario[] = [
  {
    name: "a body whose length says that it is too large",
    call: { bytes: () => [`${signedHead}content-length: 10000000000\r\n\r\n{`] },
    sees: { status: 413 },
    requested: {},
    ledger: "none",
  },
  {
    name: "a chunked body that grows too large",
    call: { bytes: endlessChunks },
    sees: { status: 413 },
    requested: {},
    ledger: "none",
  },
  {
    name: "without a key the body is not waited for",
    call: { bytes: () => [`${head}content-length: 1000\r\n\r\n`] },
    sees: { status: 401 },
    requested: {},
  },
  {
    name: "three hundred headers",
    call: { bytes: () => [signedHead, "x-more: 1\r\n".repeat(300), "content-length: 2\r\n\r\n{}"] },
    sees: { status: 431 },
    requested: {},
  },
  refused("JSON nested two hundred deep", tooDeep),
  refused("a million open brackets", depthBomb),
  refused("bytes that are no UTF-8", notText),
  refused("a byte order mark", `\uFEFF{${smallest}}`),
  refused("something behind the JSON", `{${smallest}} trailing`),
  refused("a number that is no number", `{${smallest},"seed":1e999}`),
  {
    name: "a key named __proto__ changes nothing",
    call: { rawBody: `{${smallest},"__proto__":{"polluted":true}}` },
    upstream: { alpha: says("openai-chat/text.json") },
    also: () => expect(({} as { polluted?: boolean }).polluted).toBeUndefined(),
  },
  {
    name: "JSON nested a hundred deep is fine",
    call: { rawBody: `{${smallest},"tomorrow":${"[".repeat(100)}${"]".repeat(100)}}` },
    upstream: { alpha: says("openai-chat/text.json") },
  },
  {
    name: "a gzipped body is read",
    call: {
      rawBody: Bun.gzipSync(Buffer.from(`{${smallest},"user":"zipped"}`)),
      headers: { "content-encoding": "gzip" },
    },
    upstream: { alpha: says("openai-chat/text.json") },
    requested: { alpha: [{ body: { user: "zipped" }, lacksHeaders: ["content-encoding"] }] },
  },
  {
    name: "a gzipped body that unpacks too large",
    call: { rawBody: Bun.gzipSync(Buffer.alloc(150_000_000, 32)), headers: { "content-encoding": "gzip" } },
    sees: { status: 413, error: { code: "request_too_large" } },
    requested: {},
    ledger: "none",
  },
  {
    name: "the same request id comes back when it is a sane token",
    call: { headers: { "x-request-id": "caller-chosen-1" } },
    upstream: { alpha: says("openai-chat/text.json") },
    sees: { headers: { "x-request-id": "caller-chosen-1" } },
  },
  {
    name: "a request id that is no sane token is replaced",
    call: { headers: { "x-request-id": "a b <script> canary-in-my-id" } },
    upstream: { alpha: says("openai-chat/text.json") },
  },
];

scenarios("limits on input", rows);
