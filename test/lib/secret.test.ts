// Secrets do not print themselves, hashes are the standard's, and sealed values open only where they belong.
import { expect, test } from "bun:test";
import { deriveKey, hashKey, open, Secret, sameHash, seal } from "../../src/lib/secret.ts";

const key = deriveKey(new Secret("the secret of this installation"), "credentials");

test("a secret shows itself only when it is asked", () => {
  const secret = new Secret("hunter2");
  expect(secret.reveal()).toBe("hunter2");
  const shown = [
    `${secret}`,
    JSON.stringify({ secret }),
    Bun.inspect({ secret }),
    String([secret]),
    Object.keys(secret).join(),
  ];
  expect(shown.join(" ")).not.toContain("hunter2");
  expect(JSON.stringify(secret)).toBe('"***"');
});

test("a key's hash is HMAC-SHA-256 (RFC 4231, case 2)", () => {
  const hash = hashKey(new TextEncoder().encode("Jefe"), "what do ya want for nothing?");
  expect(hash).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  expect(sameHash(hash, hash)).toBe(true);
  expect(sameHash(hash, `${hash.slice(0, -1)}0`)).toBe(false);
  expect(sameHash(hash, hash.slice(1))).toBe(false);
});

test("one secret gives a different key for each purpose", () => {
  const other = deriveKey(new Secret("the secret of this installation"), "key hashes");
  expect(Buffer.from(other).equals(key)).toBe(false);
  expect(other).toHaveLength(32);
});

test("a sealed value opens with its key and its context, and never twice looks the same", () => {
  const sealed = seal(key, "sk-π", "provider:openai");
  expect(open(key, sealed, "provider:openai").reveal()).toBe("sk-π");
  expect(seal(key, "sk-π", "provider:openai")).not.toBe(sealed);
  expect(sealed).not.toContain("sk-");
});

test("another context, another key or a single changed bit does not open", () => {
  const sealed = seal(key, "sk-1", "provider:openai");
  expect(() => open(key, sealed, "provider:other")).toThrow("cannot be decrypted");
  expect(() => open(deriveKey(new Secret("x"), "credentials"), sealed, "provider:openai")).toThrow(
    "cannot be decrypted",
  );
  const bytes = Buffer.from(sealed, "base64url");
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => open(key, changed.toString("base64url"), "provider:openai")).toThrow("encrypted value");
  }
  expect(() => open(key, "", "provider:openai")).toThrow("unknown format");
});
