// Jimeng: Volcengine's visual service, with a signing key, or through a gateway with a bearer token.

import { createHash, createHmac } from "node:crypto";
import { jimengVideos } from "../dialects/video/index.ts";
import { bearerOrKeyPair, bodyToSign, type KeyPair, keyPairFault, type UnsignedRequest } from "./credentials.ts";
import type { HttpKind } from "./provider.ts";

/** https://www.volcengine.com/docs/85621/1544774 */
const scope = { region: "cn-north-1", service: "cv" } as const;

export const jimeng: HttpKind = {
  name: "jimeng",
  baseUrl: "https://visual.volcengineapi.com",
  environment: { baseUrl: "JIMENG_BASE_URL" },
  dialects: [],
  videos: [jimengVideos],
  origin: "jimeng",
  signer: bearerOrKeyPair((key, _entry, { clock }) => ({
    sign: async (request) => volcengineSignature(request, key, scope, clock.nowMs()),
  })),
  account: {
    members: {
      accessKeyId: ["VOLC_ACCESSKEY", "VOLCENGINE_ACCESS_KEY"],
      secretAccessKey: ["VOLC_SECRETKEY", "VOLCENGINE_SECRET_KEY"],
      sessionToken: ["VOLC_SESSIONTOKEN", "VOLCENGINE_SESSION_TOKEN"],
    },
    fault: keyPairFault,
  },
};

/** The scope of a signature in addition to the request. */
interface VolcengineScope {
  readonly region: string;
  readonly service: string;
}

type Bytes = string | Uint8Array;
const digest = (bytes: Bytes): string => createHash("sha256").update(bytes).digest("hex");
const keyed = (key: Bytes, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** As in RFC 3986: everything but letters, digits, `-`, `_`, `.` and `~`. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

const order = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

function canonicalQuery(query: URLSearchParams): string {
  const pairs = [...query].map(([name, value]) => [escaped(name), escaped(value)] as const);
  const sorted = pairs.toSorted((left, right) => order(left[0], right[0]) || order(left[1], right[1]));
  return sorted.map((pair) => pair.join("=")).join("&");
}

function canonicalPath(path: string): string {
  return path
    .split("/")
    .map((segment) => escaped(decodeURIComponent(segment)))
    .join("/");
}

/** The canonical form of the request for signing; `headers` are sorted by name. */
function canonicalRequest(
  { method, url }: UnsignedRequest,
  headers: readonly (readonly [string, string])[],
  hash: string,
) {
  const { pathname, searchParams } = new URL(url);
  const lines = headers.map(([name, value]) => `${name}:${value.trim()}\n`).join("");
  const names = headers.map(([name]) => name).join(";");
  return {
    names,
    text: [method, canonicalPath(pathname), canonicalQuery(searchParams), lines, names, hash].join("\n"),
  };
}

/** `20250101T000000Z`. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, "");
}

/**
 * https://www.volcengine.com/docs/6369/67269: like AWS's signature version 4, with other constants and without a
 * prefix to the secret. It covers method, URL, body, the returned headers, and those of `others`, by their names in
 * lower case, which are sent anyway.
 */
export function volcengineSignature(
  request: UnsignedRequest,
  key: KeyPair,
  { region, service }: VolcengineScope,
  nowMs: number,
  others: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const date = timestamp(nowMs);
  const hash = digest(bodyToSign(request) ?? "");
  const token: Record<string, string> =
    key.sessionToken === undefined ? {} : { "x-security-token": key.sessionToken.reveal() };
  const made = { "x-content-sha256": hash, "x-date": date, ...token };
  const covered = Object.entries({ ...others, ...made, host: new URL(request.url).host });
  const { names, text } = canonicalRequest(
    request,
    covered.toSorted(([left], [right]) => order(left, right)),
    hash,
  );
  const scope = [date.slice(0, 8), region, service, "request"];
  const signing = scope.reduce<Bytes>(keyed, key.secretAccessKey.reveal());
  const signature = keyed(signing, ["HMAC-SHA256", date, scope.join("/"), digest(text)].join("\n")).toString("hex");
  const credential = `${key.accessKeyId.reveal()}/${scope.join("/")}`;
  return {
    ...made,
    authorization: `HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
