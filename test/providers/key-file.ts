// A service account with a key of its own, and a token service that checks what is presented to it.
import { createVerify, generateKeyPairSync } from "node:crypto";
import type { Reply, Seen } from "../support/upstream.ts";

const pair = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** The JSON of a key file whose tokens come from this address. */
export function keyFile(tokenUrl: string, more: object = {}): string {
  return JSON.stringify({
    type: "service_account",
    project_id: "project-of-the-key",
    private_key_id: "key-1",
    private_key: pair.privateKey,
    client_email: "gateway@project.iam.gserviceaccount.com",
    token_uri: tokenUrl,
    ...more,
  });
}

export const token = (name: string, seconds = 3600): Reply => ({
  json: { access_token: name, expires_in: seconds, token_type: "Bearer" },
});

const part = (text: string | undefined): unknown => JSON.parse(Buffer.from(text ?? "", "base64url").toString());

/** What a token request says, with its signature checked. */
export function assertionIn(seen: Seen): { grant: string | null; header: unknown; claims: unknown; isSigned: boolean } {
  const form = new URLSearchParams(seen.text);
  const [header, claims, signature = ""] = (form.get("assertion") ?? "").split(".");
  const check = createVerify("RSA-SHA256").update(`${header}.${claims}`);
  return {
    grant: form.get("grant_type"),
    header: part(header),
    claims: part(claims),
    isSigned: check.verify(pair.publicKey, Buffer.from(signature, "base64url")),
  };
}
