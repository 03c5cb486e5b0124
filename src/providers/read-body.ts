// Reading what an upstream sent: within bounds, and without its credentials. Whole bodies are read here and nowhere else.
import { redactorFor } from "./redaction.ts";
import { replyError } from "./upstream.ts";

/** Reads at most `maxBytes`; null when there is more. Transport faults become gateway errors. */
export async function readBounded(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  // Of a compressed reply the length says nothing: a small one may become as large as it likes.
  const isPlain = !response.headers.has("content-encoding");
  const declared = Number((isPlain ? response.headers.get("content-length") : null) ?? Number.NaN);
  if (declared > maxBytes) return null;
  const reading: Promise<Uint8Array | null> = declared >= 0 ? response.bytes() : gather(response, maxBytes);
  const bytes = await reading.catch((thrown: unknown) => {
    throw replyError(thrown, signal);
  });
  return bytes === null ? null : (redactorFor(response)?.bytes(bytes, !response.ok) ?? bytes);
}

async function gather(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of response.body) {
    total += chunk.length;
    if (total > maxBytes) return null;
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
