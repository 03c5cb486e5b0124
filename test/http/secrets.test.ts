// No secret in any output: credentials of upstreams, keys of ours, addresses; in answers, streams, errors, the log, the database.
import { afterAll, expect, test } from "bun:test";
import { filesBelow } from "../support/files.ts";
import { saysOnly } from "../support/fixtures.ts";
import { transcribe } from "../support/response-oracle.ts";
import type { Line, Script } from "../support/upstream.ts";
import { chatBody, setting } from "./setting.ts";

const keyOfFile = "tp-canary-key-of-the-file";
const words = ["canary", "tp-test-key", "tp-test-admin-key", keyOfFile];
const { world, post, send, bearer } = await setting({ environment: { TURNPIKE_SECRET: "canary-of-the-installation" } });
const { alpha, claude } = world.upstreams;
const { url } = world.gateway;
const shown: string[] = [];

/** Everything that an upstream could say to make us repeat it. */
const leak = `Bearer canary-alpha, sk-canary-1234567890abcdef at ${alpha.url}/v1/chat, 10.0.0.7:8080, host up.internal`;

/** Our credential, as an upstream was shown it. */
const keyOf = ({ request: { headers } }: Line): string =>
  headers.get("x-api-key") ?? headers.get("authorization")?.slice("Bearer ".length) ?? "";

const scripts: [string, Script][] = [
  ...[400, 401, 403, 404, 409, 422, 429, 500, 503].map((status): [string, Script] => [
    `an error ${status} that repeats our credential`,
    {
      status,
      json: { error: { message: leak } },
      headers: { "x-api-key": leak, "set-cookie": leak, "x-request-id": "canary-id", "retry-after": leak },
    },
  ]),
  ["an error that is text", { status: 400, text: leak }],
  ["an error that is a page", { status: 502, text: `<html>${leak}</html>`, headers: { "content-type": "text/html" } }],
  ["a redirect", { status: 302, headers: { location: `${alpha.url}/canary` } }],
  ["an error in a 200", { json: { error: { message: leak } } }],
  ["no reply at all", { json: { hello: leak } }],
  ["a reset", (line) => line.reset()],
  ["half a body", { json: { id: leak }, contentLength: 9_000 }],
  [
    "an error in the stream",
    { frames: [`event: error\ndata: ${JSON.stringify({ type: "error", error: { message: leak } })}\n\n`] },
  ],
  ["broken JSON in the stream", { frames: [`data: {"${leak}\n\n`] }],
  ["a cut stream", saysOnly(3, "openai-chat/text.sse")],
  ...[400, 401, 500].map((status): [string, Script] => [
    `an error ${status} in which our credential stands like any word`,
    (line) => line.play({ status, json: { error: { message: `The key ${keyOf(line)} is unknown.` } } }),
  ]),
  [
    "an error in the stream in which our credential stands like any word",
    (line) => {
      const error = {
        type: "error",
        error: { type: "api_error", message: `The key ${keyOf(line)} is over its quota.` },
      };
      return line.play({ frames: [`event: error\ndata: ${JSON.stringify(error)}\n\n`] });
    },
  ],
];

test.each(scripts)("%s", async (_name, script) => {
  for (const stream of [false, true])
    for (const model of ["gpt-x", "claude-x"]) {
      alpha.on("*", script);
      claude.on("*", script);
      await note(await post({ ...chatBody, model, stream }));
      const headers = { ...bearer, "content-type": "application/json", "anthropic-version": "2023-06-01" };
      const body = JSON.stringify({ ...chatBody, model, stream, max_tokens: 9 });
      await note(await send("/v1/messages", { method: "POST", headers, body }));
      const requested = {
        model,
        stream,
        input: "hi",
        prompt: "hi",
        contents: [{ role: "user", parts: [{ text: "hi" }] }],
      };
      const verb = stream ? "streamGenerateContent" : "generateContent";
      for (const path of ["/v1/responses", "/v1/completions", `/v1beta/models/${model}:${verb}`])
        await note(await send(path, { method: "POST", headers, body: JSON.stringify(requested) }));
    }
});

test("documents and lists", async () => {
  await note(await send(`/v1beta/models?key=${world.gateway.key}`));
  await note(await send("/v1beta/models/gpt-x?key=tp-canary-guess"));
  for (const path of ["/v1/models", "/v1/models/gpt-x", "/openapi.json", "/docs", "/readyz", "/livez", "/nothing"])
    for (const headers of [bearer, {}, { authorization: "Bearer tp-canary-guess" }])
      await note(await send(path, { headers }));
});

/** Checks an answer and keeps it. The reference names the address that its own reader asked. */
async function note(answer: Response): Promise<void> {
  const { text: whole, headers } = await transcribe(answer);
  const text = whole.replace(`"servers":[{"url":"${url}"}]`, "");
  // A random id may hold any three letters.
  const all = `${text}\n${JSON.stringify([...headers])}`.replaceAll(/\breq_[\w-]+/g, "req_");
  shown.push(all);
  for (const word of [
    ...words,
    "sk-",
    url.slice(7),
    alpha.url.slice(7),
    claude.url.slice(7),
    "up.internal",
    "10.0.0.7",
  ])
    expect({ word, all: all.includes(word) ? all : "" }).toEqual({ word, all: "" });
}

test("the log and the banner say no secret either", () => {
  const { log, lines } = world.gateway;
  expect(log.length).toBeGreaterThan(20);
  for (const word of [...words, "tp-canary-guess"])
    for (const line of [...log, ...lines])
      expect({ word, line: line.includes(word) ? line : "" }).toEqual({ word, line: "" });
});

/** What is known to leak still: remove `.failing` where the gateway passes. */
const known: [string, object, RegExp][] = [
  ["a code that is no word", { message: "no", code: leak }, /"code":"\w+"/],
  ["a param that is no path", { message: "no", param: leak }, /"param":(?:null|"[\w.[\]-]+")/],
  [
    "our credential without a prefix that a pattern knows",
    { message: "canary-alpha is blocked" },
    /"message":"(?!.*canary)/,
  ],
];

test.each(known)("%s does not come through", async (_name, error, safe) => {
  alpha.on("*", { status: 400, json: { error } });
  expect(await (await post(chatBody)).text()).toMatch(safe);
});

afterAll(() => {
  expect(shown.length).toBeGreaterThan(80);
});

test("the data folder holds no key and no credential in clear", () => {
  const files = filesBelow(world.gateway.dataFolder);
  expect(files.length).toBeGreaterThan(2);
  for (const { name, text } of files)
    for (const word of words) expect({ name, word, found: text.includes(word) }).toEqual({ name, word, found: false });
});
