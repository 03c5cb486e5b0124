// Responses that are compressed although `identity` was requested: decoded as they are read.
import type { HttpResponse } from "./response.ts";

type Format = ConstructorParameters<typeof DecompressionStream>[0];

const formats: Readonly<Record<string, Format>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
  zstd: "zstd",
};

/** The response, or one with a decoded body. An unknown coding is left as it is. */
export function decoded(response: HttpResponse): HttpResponse {
  // The runtime's client has decoded it already.
  if (response instanceof Response) return response;
  const coding = response.headers.get("content-encoding");
  if (coding === null) return response;
  const format = formats[coding.trim().toLowerCase()];
  if (format === undefined || response.body === null) return response;
  const decoder = new DecompressionStream(format);
  const body = response.body.pipeThrough(decoder as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Response(body, { status: response.status, headers: [...response.headers] });
}
