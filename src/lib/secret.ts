// Secrets: text that is never printed, keyed hashes of keys, and encrypted values.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

const mask = "***";
const sealVersion = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** Text that logs, JSON and templates show as `***`; only `reveal` returns it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return mask;
  }
}

/** 32 bytes for one purpose, so that the installation's secret never serves two. */
export function deriveKey(secret: Secret, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret.reveal(), "turnpike", purpose, 32));
}

/** HMAC-SHA-256 of a presented key, in hex: what is stored and looked up instead of the key. */
export function hashKey(pepper: Uint8Array, key: string): string {
  return new Bun.CryptoHasher("sha256", pepper).update(key).digest("hex");
}

/** `hashKey` for many keys with one pepper: the key schedule is made once. */
export function keyHasher(pepper: Uint8Array): (key: string) => string {
  const ready = new Bun.CryptoHasher("sha256", pepper);
  return (key) => ready.copy().update(key).digest("hex");
}

/** Whether two hashes are equal, compared in constant time. */
export function sameHash(left: string, right: string): boolean {
  const leftBytes = Buffer.from(left);
  const rightBytes = Buffer.from(right);
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

/**
 * AES-256-GCM with a 32-byte key, as base64url of version, nonce, tag and ciphertext. `context` is bound to the value:
 * it can only be decrypted with the same context, so an encrypted value cannot be moved to another row.
 */
export function seal(key: Uint8Array, value: string | Uint8Array, context: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(boundTo(context));
  const sealed = typeof value === "string" ? cipher.update(value, "utf8") : cipher.update(value);
  const body = Buffer.concat([sealed, cipher.final()]);
  return Buffer.concat([Buffer.of(sealVersion), nonce, cipher.getAuthTag(), body]).toString("base64url");
}

/** The text of `seal`; an Error when the key, the context or a single bit differs. */
export const open = (key: Uint8Array, sealed: string, context: string): Secret =>
  new Secret(openBytes(key, sealed, context).toString("utf8"));

/** The bytes of `seal`, in the same way. */
export function openBytes(key: Uint8Array, sealed: string, context: string): Buffer {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes[0] !== sealVersion || bytes.length < 1 + nonceBytes + tagBytes) {
    throw new Error("The encrypted value has an unknown format.");
  }
  const tagStart = 1 + nonceBytes;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(1, tagStart), { authTagLength: tagBytes });
  decipher.setAAD(boundTo(context));
  decipher.setAuthTag(bytes.subarray(tagStart, tagStart + tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(tagStart + tagBytes)), decipher.final()]);
  } catch (cause) {
    throw new Error("The encrypted value cannot be decrypted with this secret.", { cause });
  }
}

function boundTo(context: string): Buffer {
  return Buffer.from(`${sealVersion}:${context}`);
}
