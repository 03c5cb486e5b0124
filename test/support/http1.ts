// Reads one HTTP/1.1 request from bytes, so that the scripted upstream sees exactly what was sent.

/** A request as it stood on the wire. Header names are lower case. */
export interface RawRequest {
  method: string;
  /** Path with its query, as sent. */
  target: string;
  headers: Headers;
  body: Uint8Array;
}

interface Taken {
  request: RawRequest;
  /** Bytes that belong to the next request. */
  rest: Buffer;
}

interface Body {
  bytes: Buffer;
  end: number;
}

/** Takes one whole request off the front of `bytes`; undefined while it is not whole yet. */
export function takeRequest(bytes: Buffer): Taken | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [line = "", ...fields] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const [method = "", target = ""] = line.split(" ");
  const headers = readHeaders(fields);
  const body = takeBody(bytes, headEnd + 4, headers);
  if (!body) return undefined;
  return { request: { method, target, headers, body: body.bytes }, rest: bytes.subarray(body.end) };
}

function readHeaders(fields: string[]): Headers {
  const headers = new Headers();
  for (const field of fields) {
    const colon = field.indexOf(":");
    headers.append(field.slice(0, colon), field.slice(colon + 1).trim());
  }
  return headers;
}

function takeBody(bytes: Buffer, start: number, headers: Headers): Body | undefined {
  if (headers.get("transfer-encoding")?.includes("chunked")) return takeChunks(bytes, start);
  const end = start + Number(headers.get("content-length") ?? 0);
  return bytes.length < end ? undefined : { bytes: Buffer.from(bytes.subarray(start, end)), end };
}

function takeChunks(bytes: Buffer, start: number): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { bytes: Buffer.concat(chunks), end: next };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
