// Responses that are compressed although `identity` was requested: decoded as they are read.
import { type BodyReader, type HttpResponse, readerOf, streamOf } from "./response.ts";

type Format = ConstructorParameters<typeof DecompressionStream>[0];

const formats: Readonly<Record<string, Format>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
  zstd: "zstd",
};

/** The one coding of a body; undefined if there is none, or more than one, or an unknown one. */
function formatIn(encoding: string): Format | undefined {
  const codings = encoding.split(",").map((coding) => coding.trim().toLowerCase());
  const [only, ...others] = codings.filter((coding) => coding !== "identity");
  return only === undefined || others.length > 0 ? undefined : formats[only];
}

/** Many servers call a raw stream `deflate`; one in the format of zlib (RFC 1950) starts with its method, 8. */
const formatOf = (format: Format, [first = 0]: Uint8Array): Format =>
  format === "deflate" && (first & 0x0f) !== 8 ? "deflate-raw" : format;

/** An empty body is not compressed, whatever its headers announce. */
class DecodedBody implements BodyReader {
  private readonly source: BodyReader;
  private readonly format: Format;
  private decoded: BodyReader | null = null;

  constructor(source: BodyReader, format: Format) {
    this.source = source;
    this.format = format;
  }

  async read(): ReturnType<BodyReader["read"]> {
    if (this.decoded !== null) return this.decoded.read();
    const first = await this.source.read();
    if (first.done) return first;
    const decoder = new DecompressionStream(formatOf(this.format, first.value));
    const compressed = streamOf(startingWith(first.value, this.source));
    const decoded = compressed.pipeThrough(decoder as ReadableWritablePair<Uint8Array, Uint8Array>);
    this.decoded = decoded.getReader() as BodyReader;
    return this.decoded.read();
  }

  cancel(reason?: unknown): Promise<void> {
    return (this.decoded ?? this.source).cancel(reason);
  }
}

function startingWith(first: Uint8Array, rest: BodyReader): BodyReader {
  let waiting: Uint8Array | null = first;
  return {
    read() {
      const value = waiting;
      waiting = null;
      return value === null ? rest.read() : Promise.resolve({ done: false, value });
    },
    cancel: (reason) => rest.cancel(reason),
  };
}

/** The response, or one with a decoded body. An unknown coding is left as it is. */
export function decoded(response: HttpResponse): HttpResponse {
  // The runtime's client has decoded it already.
  if (response instanceof Response) return response;
  const encoding = response.headers.get("content-encoding");
  const format = encoding === null ? undefined : formatIn(encoding);
  if (format === undefined || response.body === null) return response;
  const body = streamOf(new DecodedBody(readerOf(response), format));
  return new Response(body, { status: response.status, headers: [...response.headers] });
}
