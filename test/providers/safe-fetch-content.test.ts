// The end of a body: what stops without being whole is no content, whatever the stream says.
import { expect, test } from "bun:test";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { errorFactory } from "../../src/providers/safe-fetch/errors.ts";
import { boundedBody } from "../../src/providers/safe-fetch/response-policy.ts";

function bodyOf(complete: boolean, signal: AbortSignal) {
  const message = Object.assign(Readable.from([new Uint8Array(3)]), { complete }) as unknown as IncomingMessage;
  let releases = 0;
  const release = () => void releases++;
  const body = boundedBody({ message, maxBytes: 9, signal, errorFor: errorFactory({ givenBy: "upstream" }), release });
  return { body, releases: () => releases };
}

const live = new AbortController().signal;

test("an end in order", async () => {
  const { body, releases } = bodyOf(true, live);
  expect(await new Response(body).bytes()).toHaveLength(3);
  expect(releases()).toBe(1);
});

test("an end without the rest", async () => {
  const { body, releases } = bodyOf(false, live);
  const thrown = await new Response(body).bytes().catch((error: unknown) => error);
  expect(thrown).toMatchObject({ status: 502, code: "upstream_failed" });
  expect(releases()).toBe(1);
});

test("an end because it was aborted is the reason of the abort", async () => {
  const reason = new Error("the client left");
  const { body } = bodyOf(true, AbortSignal.abort(reason));
  expect(await new Response(body).bytes().catch((thrown: unknown) => thrown)).toBe(reason);
});
