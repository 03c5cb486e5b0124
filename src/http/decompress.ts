// Decodes a request's content encoding, with the same size limit as for the body.
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { GatewayError } from "../canonical/error.ts";

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array<ArrayBuffer>>;

const decoders: { readonly [encoding: string]: Decoder } = {
  gzip: promisify(gunzip) as Decoder,
  "x-gzip": promisify(gunzip) as Decoder,
  deflate: promisify(inflate) as Decoder,
  br: promisify(brotliDecompress) as Decoder,
  zstd: promisify(zstdDecompress) as Decoder,
};

const encodings = "gzip, deflate, br, zstd";

/** The decoder for a `Content-Encoding`; null for none. Throws `unsupported_media_type` for an unknown one. */
export function decoderFor(encoding: string | null): Decoder | null {
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return null;
  const decoder = decoders[name];
  if (decoder === undefined)
    throw new GatewayError(
      "unsupported_media_type",
      `The content encoding is not supported. Send one of: ${encodings}.`,
    );
  return decoder;
}

/** Throws `request_too_large` if the decoded body exceeds `maxBytes`, `invalid_value` if the bytes are damaged. */
export async function decode(decoder: Decoder, bytes: Uint8Array, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await decoder(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(maxBytes);
    throw new GatewayError("invalid_value", "The body does not match its Content-Encoding.", { cause });
  }
}

export function tooLarge(maxBytes: number, what = "The body is"): GatewayError {
  return new GatewayError("request_too_large", `${what} larger than ${inWords(maxBytes)}.`);
}

/** 32 MiB, 2 KiB: the largest unit without a fraction. */
function inWords(bytes: number): string {
  if (bytes % (1024 * 1024) === 0) return `${bytes / 1024 / 1024} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}
