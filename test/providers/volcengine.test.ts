// Volcengine's signature: the known vectors, what it covers, and a signed request as the service sees it.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { jimengVideos } from "../../src/dialects/video/index.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { Secret } from "../../src/lib/secret.ts";
import type { Account, UnsignedRequest } from "../../src/providers/credentials.ts";
import { httpProvider } from "../../src/providers/http-provider.ts";
import { volcengineSignature } from "../../src/providers/jimeng.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { plainVideo, renderContext } from "../dialects/video/setting.ts";
import { says } from "../support/fixtures.ts";
import { upstream } from "../support/upstream.ts";
import { kindOf } from "./helpers.ts";

const up = await upstream();
afterAll(() => up.stop());
beforeEach(() => up.clear());

const key = { accessKeyId: new Secret("AKTEST"), secretAccessKey: new Secret("SKTEST") };
const scope = { region: "cn-north-1", service: "cv" };
const nowMs = Date.UTC(2025, 0, 1);
const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
const address = "https://visual.volcengineapi.com/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31";
const body = '{"req_key":"jimeng_t2v_v30","prompt":"a cat"}';
const request: UnsignedRequest = { method: "POST", url: address, body };
const signatureOf = (change: Partial<UnsignedRequest> = {}, more = {}): string =>
  volcengineSignature({ ...request, ...change }, { ...key, ...more }, scope, nowMs).authorization?.split(
    "Signature=",
  )[1] ?? "";

test("pieces are signed as the body that they make", () => {
  const { method, url } = request;
  const pieces = [Buffer.from(body.slice(0, 9)), Buffer.from(body.slice(9))];
  expect(volcengineSignature({ method, url, pieces }, key, scope, nowMs)).toEqual(
    volcengineSignature(request, key, scope, nowMs),
  );
});

describe("known vectors", () => {
  const credential = "HMAC-SHA256 Credential=AKTEST/20250101/cn-north-1/cv/request";
  const hash = "2f281458116057487058e763801dcbee397c7b649f1cf0ab06a3f7d7a8143edb";

  test("what the vendor's own SDK signs", () => {
    const signature = "daa8d35e1fa00775c2c985b4518fff3836490d35e6eb48324bebbe0a54c91fbd";
    expect(volcengineSignature(request, key, scope, nowMs)).toEqual({
      "x-date": "20250101T000000Z",
      "x-content-sha256": hash,
      authorization: `${credential}, SignedHeaders=host;x-content-sha256;x-date, Signature=${signature}`,
    });
  });

  test("the content type beside it", () => {
    const signature = "c326f8249f6b26f59dadbd95cc54e477e4e61088efaf200a9835171a25e11c03";
    const headers = { "content-type": "application/json" };
    expect(volcengineSignature(request, key, scope, nowMs, headers).authorization).toBe(
      `${credential}, SignedHeaders=content-type;host;x-content-sha256;x-date, Signature=${signature}`,
    );
  });
});

test("every part of the request is covered, and the order of the query is not", () => {
  const base = signatureOf();
  const turned = "https://visual.volcengineapi.com/?Version=2022-08-31&Action=CVSync2AsyncSubmitTask";
  expect(signatureOf({ url: turned })).toBe(base);
  expect(signatureOf({ body: new TextEncoder().encode(body) })).toBe(base);
  const others = [
    signatureOf({ method: "GET" }),
    signatureOf({ body: `${body} ` }),
    signatureOf({ url: address.replace("visual", "other") }),
    signatureOf({ url: address.replace("/?", "/x?") }),
    signatureOf({ url: `${address}&a=b` }),
    signatureOf({}, { secretAccessKey: new Secret("SKTEST2") }),
    signatureOf({}, { sessionToken: new Secret("session") }),
  ];
  expect(new Set([base, ...others]).size).toBe(others.length + 1);
  // A space is %20 whether it came as that or as a plus, and a star is escaped.
  expect(signatureOf({ url: `${address}&a=b%20c*` })).toBe(signatureOf({ url: `${address}&a=b+c%2A` }));
});

test("the token of a temporary key goes along and is signed", () => {
  const proof = volcengineSignature(request, { ...key, sessionToken: new Secret("session") }, scope, nowMs);
  expect(proof["x-security-token"]).toBe("session");
  expect(proof.authorization).toContain("SignedHeaders=host;x-content-sha256;x-date;x-security-token,");
});

function providerWith(account: Account, credential: Secret | null = null): Provider {
  const entry = { name: "visual", kind: kindOf("jimeng"), baseUrl: up.url, credential, models: null, headers: {} };
  return httpProvider({ ...entry, account, timeouts: {} }, { clock });
}

const submit = (provider: Provider) => {
  const { call } = jimengVideos.render(plainVideo, { ...renderContext, model: "jimeng_v30" });
  return provider.dispatch.sendTask?.(call, new AbortController().signal);
};

describe("a submit on a socket", () => {
  test("is signed as it is sent", async () => {
    up.next(says("video/jimeng/accepted.json"));
    expect((await submit(providerWith(key)))?.status).toBe(200);
    const seen = await up.seen(0);
    expect([seen.method, seen.path, seen.query.toString()]).toEqual([
      "POST",
      "/",
      "Action=CVSync2AsyncSubmitTask&Version=2022-08-31",
    ]);
    const url = `${up.url}/?${seen.query}`;
    const proof = volcengineSignature({ method: "POST", url, body: seen.text }, key, scope, nowMs);
    for (const [name, value] of Object.entries(proof)) expect(seen.headers.get(name)).toBe(value);
    expect(seen.headers.get("host")).toBe(new URL(up.url).host);
    expect(seen.text).not.toContain("SKTEST");
  });

  test("shows a key instead, where one is configured", async () => {
    up.next(says("video/jimeng/accepted.json"));
    await submit(providerWith(key, new Secret("a-shown-key")));
    const { headers } = await up.seen(0);
    expect(headers.get("authorization")).toBe("Bearer a-shown-key");
    expect(headers.get("x-date")).toBeNull();
  });
});
