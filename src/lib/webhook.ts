// The signature of a webhook by the Standard Webhooks specification: HMAC-SHA-256 over id, time and body.

const prefix = "whsec_";
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const leastBytes = 24;
const mostBytes = 64;

interface WebhookHeaders extends Record<string, string> {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/** The headers of one delivery. The id is the same in each attempt, the time is not. */
export function webhookHeaders(key: Uint8Array, id: string, nowMs: number, body: string): WebhookHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = new Bun.CryptoHasher("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/** The key in the format of the receivers' libraries. */
export function webhookSecretText(key: Uint8Array): string {
  return prefix + Buffer.from(key).toString("base64");
}

/** The key of a text such as `whsec_…`: Base64 of 24 to 64 bytes. Null for anything else. */
export function webhookKeyOf(text: string): Uint8Array | null {
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : "";
  const bytes = base64.test(rest) ? new Uint8Array(Buffer.from(rest, "base64")) : new Uint8Array();
  return bytes.length >= leastBytes && bytes.length <= mostBytes ? bytes : null;
}
