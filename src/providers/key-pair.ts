// Accounts whose credential has two parts: a key that is named, and a secret that signs and never travels.
import type { Secret } from "../lib/secret.ts";
import type { Account, AccountFault } from "./credentials.ts";

/** A long-lived key, or a temporary one with its session's token. */
export interface KeyPair {
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
}

/** Both parts, where both are there. */
export function keyPairOf({ accessKeyId, secretAccessKey, sessionToken }: Account): KeyPair | null {
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** What is missing of a pair, where no key that is simply shown takes its place. */
export function keyPairFault(
  { accessKeyId, secretAccessKey }: Account,
  credential: Secret | null,
): AccountFault | null {
  if (accessKeyId === undefined && secretAccessKey !== undefined)
    return { member: "accessKeyId", problem: "the ID of the access key is missing" };
  if (secretAccessKey === undefined && accessKeyId !== undefined)
    return { member: "secretAccessKey", problem: "the secret of the access key is missing" };
  if (accessKeyId === undefined && credential === null)
    return { member: "accessKeyId", problem: "an access key, or an API key as the credential, is missing" };
  return null;
}
