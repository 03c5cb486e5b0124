// Kling: an API key, or an access key with a secret that signs a token valid for half an hour.
import { klingTasks, klingVideos } from "../dialects/video/index.ts";
import { Secret } from "../lib/secret.ts";
import { bearerHeaders, bearerOrKeyPair, type KeyPair, keyPairFault, type Signer } from "./credentials.ts";
import type { HttpKind } from "./provider.ts";

const lifeSeconds = 1800;
/** The provider's clock may be behind. */
const skewSeconds = 5;
/** A token is replaced so long before it expires. */
const earlyMs = 5 * 60_000;

/** https://app.klingai.com/global/dev/document-api/apiReference/commonInfo */
export async function klingToken({ accessKeyId, secretAccessKey }: KeyPair, nowMs: number): Promise<string> {
  const { SignJWT } = await import("jose");
  const now = Math.floor(nowMs / 1000);
  return new SignJWT({ iss: accessKeyId.reveal(), exp: now + lifeSeconds, nbf: now - skewSeconds })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(new TextEncoder().encode(secretAccessKey.reveal()));
}

interface HeldToken {
  readonly token: Promise<string>;
  readonly madeAtMs: number;
}

/** Sends a token of this key, and makes a new one shortly before it expires, or after a refusal. */
function tokenSigner(key: KeyPair, nowMs: () => number): Signer {
  let held: HeldToken | null = null;
  const isGood = ({ madeAtMs }: HeldToken): boolean => {
    const ageMs = nowMs() - madeAtMs;
    return ageMs >= 0 && ageMs < lifeSeconds * 1000 - earlyMs;
  };
  return {
    async sign() {
      if (held === null || !isGood(held)) held = { token: klingToken(key, nowMs()), madeAtMs: nowMs() };
      return bearerHeaders(new Secret(await held.token));
    },
    onUnauthorized() {
      held = null;
    },
  };
}

export const kling: HttpKind = {
  name: "kling",
  baseUrl: "https://api-singapore.klingai.com",
  environment: { credential: "KLINGAI_API_KEY", baseUrl: "KLINGAI_BASE_URL" },
  dialects: [],
  videos: [klingVideos, klingTasks],
  origin: "kling",
  signer: bearerOrKeyPair((key, _entry, { clock }) => tokenSigner(key, clock.nowMs)),
  account: {
    members: {
      accessKeyId: ["KLINGAI_ACCESS_KEY", "KLING_ACCESS_KEY"],
      secretAccessKey: ["KLINGAI_SECRET_KEY", "KLING_SECRET_KEY"],
    },
    fault: keyPairFault,
  },
};
