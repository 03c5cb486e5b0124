// Ways to present a credential to an upstream.
import type { Secret } from "../lib/secret.ts";

/** `Authorization: Bearer …`. */
export const bearer = (credential: Secret): Record<string, string> => ({
  authorization: `Bearer ${credential.reveal()}`,
});

/** `x-api-key: …`. */
export const apiKeyHeader = (credential: Secret): Record<string, string> => ({ "x-api-key": credential.reveal() });

/** `x-goog-api-key: …`. */
export const googleKeyHeader = (credential: Secret): Record<string, string> => ({
  "x-goog-api-key": credential.reveal(),
});
