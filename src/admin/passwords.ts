// Passwords of users: their bounds, their hashes, and a check that takes as long for a user who does not exist.
import { GatewayError } from "../canonical/error.ts";
import { createSemaphore } from "../lib/semaphore.ts";

export const minPasswordChars = 12;
export const maxPasswordChars = 256;

// Memory and time of argon2id as OWASP recommends them at least.
const argon = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const maxAtOnce = 4;
const maxWaiting = 100;

/** One spelling of a password, however a keyboard composes its letters (https://www.rfc-editor.org/rfc/rfc8265#section-4.2). */
const normalized = (password: string): string => password.normalize("NFC");

/** Throws status 400 for a new password that is too short or too long. */
export function requirePassword(password: string): void {
  const chars = [...normalized(password)].length;
  if (chars >= minPasswordChars && chars <= maxPasswordChars) return;
  const message = `Invalid 'password': it must have ${minPasswordChars} to ${maxPasswordChars} characters.`;
  throw new GatewayError("invalid_value", message, { param: "password" });
}

// Each hash in progress takes 19 MB.
const slots = createSemaphore(maxAtOnce);

async function inSlot<Result>(work: () => Promise<Result>): Promise<Result> {
  if (slots.count() >= maxWaiting)
    throw new GatewayError("rate_limit_exceeded", "Too many sign-ins at once. Try again in a moment.", {
      retryAfterMs: 1_000,
    });
  await slots.acquire();
  try {
    return await work();
  } finally {
    slots.release();
  }
}

export const hashPassword = (password: string): Promise<string> =>
  inSlot(() => Bun.password.hash(normalized(password), argon));

let unused: Promise<string> | undefined;

/** Whether the password is the one of this hash. Null, for a user without a password, takes as long and is false. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  unused ??= hashPassword(crypto.randomUUID());
  const compared = hash ?? (await unused);
  const isSame = await inSlot(() => Bun.password.verify(normalized(password), compared));
  return isSame && hash !== null;
}
