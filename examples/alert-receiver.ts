// A receiver of alerts: checks the signature of each message, and prints it. `ALERT_SECRET=whsec_… bun examples/alert-receiver.ts`
import { timingSafeEqual } from "node:crypto";

const toleranceSeconds = 300;

/** The body, if the signature is that of the secret and the message is recent. */
export function verified(secret: string, headers: Headers, body: string): unknown {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const timestamp = headers.get("webhook-timestamp") ?? "";
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds))
    throw new Error("The message is too old.");
  const text = `${headers.get("webhook-id")}.${timestamp}.${body}`;
  const expected = new Bun.CryptoHasher("sha256", key).update(text).digest();
  const signatures = (headers.get("webhook-signature") ?? "").split(" ").map((each) => each.replace(/^v1,/, ""));
  const isValid = signatures.some((each) => {
    const given = Buffer.from(each, "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isValid) throw new Error("The signature is not valid.");
  return JSON.parse(body);
}

if (import.meta.main) {
  const secret = process.env["ALERT_SECRET"] ?? "";
  const server = Bun.serve({
    port: Number(process.env["PORT"] ?? 9000),
    async fetch(request) {
      try {
        // Process it in the background where that takes long: an answer after 15 s is too late.
        process.stdout.write(`${JSON.stringify(verified(secret, request.headers, await request.text()))}\n`);
        return new Response(null, { status: 204 });
      } catch (error) {
        return new Response(String(error), { status: 400 });
      }
    },
  });
  process.stdout.write(`Receiving alerts on ${server.url}\n`);
}
