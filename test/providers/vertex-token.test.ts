// Access tokens of a service account: asked for once, kept, renewed early, never shown.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { Secret } from "../../src/lib/secret.ts";
import { createSend } from "../../src/providers/upstream.ts";
import { readServiceAccount, type ServiceAccount, tokensOf } from "../../src/providers/vertex/service-account.ts";
import type { Thrown } from "../support/sample-requests.ts";
import { closedAddress, upstream } from "../support/upstream.ts";
import { assertionIn, keyFile, token } from "./key-file.ts";

const up = await upstream();
afterAll(() => up.stop());
beforeEach(() => up.clear());

let nowMs = Date.UTC(2026, 10, 1);
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
const minuteMs = 60_000;

function account(more: object = {}): ServiceAccount {
  const read = readServiceAccount(new Secret(keyFile(`${up.url}/token`, more)));
  if (typeof read === "string") throw new Error(read);
  return read;
}

const tokens = (more: object = {}) => tokensOf(account(more), { clock, send: createSend() });
const got = async (from: ReturnType<typeof tokens>) => (await from.get()).reveal();
const failure = (from: ReturnType<typeof tokens>): Promise<Thrown> =>
  from.get().then(
    () => ({}),
    (thrown: object) => thrown,
  );

test("the request is signed by the account's own key", async () => {
  up.on("*", token("one"));
  expect(await got(tokens())).toBe("one");
  const seen = await up.seen(0);
  expect(seen.headers.get("content-type")).toBe("application/x-www-form-urlencoded");
  const now = Math.floor(nowMs / 1000);
  const email = "gateway@project.iam.gserviceaccount.com";
  expect(assertionIn(seen)).toEqual({
    grant: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    header: { alg: "RS256", typ: "JWT", kid: "key-1" },
    claims: {
      iss: email,
      sub: email,
      aud: `${up.url}/token`,
      scope: "https://www.googleapis.com/auth/cloud-platform",
      iat: now,
      exp: now + 3600,
    },
    isSigned: true,
  });
});

test("all who wait at once wait for one request, and those after them for none", async () => {
  up.on("*", token("one"));
  const held = tokens();
  expect(await Promise.all([got(held), got(held), got(held)])).toEqual(["one", "one", "one"]);
  expect(await got(held)).toBe("one");
  expect(up.requests.length).toBe(1);
});

test("shortly before its end a token is renewed behind everybody's back", async () => {
  up.next(token("one"), token("two"));
  const held = tokens();
  await got(held);
  nowMs += 56 * minuteMs;
  expect(await Promise.all([got(held), got(held)])).toEqual(["one", "one"]);
  await (await up.seen(1)).finished;
  while ((await got(held)) !== "two") await new Promise((resolve) => setImmediate(resolve));
  expect(up.requests.length).toBe(2);
});

test("a renewal that fails hurts nobody while the old token is good", async () => {
  up.next(token("one"), { status: 503, text: "" });
  const held = tokens();
  await got(held);
  nowMs += 56 * minuteMs;
  expect(await got(held)).toBe("one");
  await (await up.seen(1)).finished;
  nowMs += 5 * minuteMs;
  up.on("*", token("two"));
  // Whoever asks while the failing renewal is still being told joins it.
  const again = async (): Promise<string> => got(held).catch(() => again());
  expect(await again()).toBe("two");
});

test("a token that has been refused is not used again", async () => {
  up.next(token("one"), token("two"));
  const held = tokens();
  await got(held);
  held.drop();
  expect(await got(held)).toBe("two");
});

test("failures: whose they are, and no word of the key", async () => {
  up.on("*", { status: 400, json: { error: "invalid_grant", error_description: "Invalid JWT Signature." } });
  expect(await failure(tokens())).toMatchObject({ kind: "upstream_credentials" });
  up.on("*", { status: 500, text: "" });
  expect(await failure(tokens())).toMatchObject({ kind: "upstream_overloaded" });
  up.on("*", { json: { token: "of another kind" } });
  expect(await failure(tokens())).toMatchObject({ kind: "upstream_credentials" });
  const broken = await failure(tokens({ private_key: "-----BEGIN PRIVATE KEY-----\ncanary\n" }));
  expect(broken).toMatchObject({ kind: "upstream_credentials" });
  expect(`${broken.message}`).not.toContain("canary");
});

test("a token service that cannot be reached, or breaks off", async () => {
  expect(await failure(tokens({ token_uri: closedAddress() }))).toMatchObject({ kind: "upstream_unreachable" });
  up.on("*", { text: "{", contentLength: 50, ending: "reset" });
  expect(await failure(tokens())).toMatchObject({ kind: "upstream_unreachable" });
});

test("after a failure the next caller asks again", async () => {
  up.next({ status: 500, text: "" }, token("one"));
  const held = tokens();
  await failure(held);
  expect(await got(held)).toBe("one");
});

test.each([
  ["no JSON", "must be JSON"],
  ['{"type":"authorized_user"}', "has the type 'authorized_user'"],
  ['{"type":"service_account"}', "no 'client_email'"],
  [keyFile("http://x", { private_key: "canary" }), "no valid 'private_key'"],
  [keyFile("file:///etc/passwd"), "'token_uri' is not a valid URL"],
])("a key file that is none: %s", (text, fault) => {
  const read = readServiceAccount(new Secret(text));
  expect(read).toContain(fault);
  expect(read).not.toContain("canary");
});
