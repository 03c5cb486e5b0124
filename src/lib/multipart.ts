// Parses multipart/form-data: parts as views on the body, within bounds, and the position of a fault.

/** One part. `bytes` is a view on the body: nothing is copied. */
export interface MultipartPart {
  readonly name: string;
  /** Present if the part is a file, even without a name. */
  readonly fileName?: string;
  /** As declared; empty if it was not. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface MultipartLimits {
  readonly maxFormParts: number;
  /** Bytes of the headers of one part. */
  readonly maxFormHeaderBytes: number;
}

/** `end`: the body ends before its closing boundary. `at` is an offset into the body. */
export interface MultipartFault {
  readonly reason: "start" | "boundary" | "end" | "parts" | "header" | "disposition" | "encoding" | "name";
  readonly at: number;
}

export type MultipartResult =
  | { readonly ok: true; readonly parts: readonly MultipartPart[] }
  | { readonly ok: false; readonly fault: MultipartFault };

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const carriageReturn = 13;
const lineFeed = 10;
const dash = 45;

/** https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1: up to 70 of these, the last no space. */
const boundaryForm = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/** The boundary in a `Content-Type`; null if the type is not multipart/form-data or has no usable boundary. */
export function boundaryOf(contentType: string): string | null {
  const [type = ""] = contentType.split(";", 1);
  if (type.trim().toLowerCase() !== "multipart/form-data") return null;
  const found = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2] ?? "";
  return boundaryForm.test(boundary) ? boundary : null;
}

/** Thrown and caught within this file, because a fault may occur at any depth. */
interface Broken {
  readonly broken: MultipartFault;
}

function fail(reason: MultipartFault["reason"], at: number): never {
  const broken: Broken = { broken: { reason, at } };
  throw broken;
}

/** Spaces and tabs after a boundary (https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1 lets transports add some). */
const mostPadding = 64;
/** Line ends after the closing boundary. */
const mostLineEnds = 64;

/** Skips spaces and tabs after a boundary. */
function pastPadding(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end - at < mostPadding && (bytes[end] === 32 || bytes[end] === 9)) end++;
  return end;
}

/** The offset of the next part's headers after a delimiter, or null for the closing one. */
function afterDelimiter(bytes: Uint8Array, at: number): number | null {
  if (bytes[at] === dash && bytes[at + 1] === dash) {
    const rest = bytes.subarray(pastPadding(bytes, at + 2));
    if (rest.length > mostLineEnds || rest.some((byte) => byte !== carriageReturn && byte !== lineFeed))
      fail("boundary", at);
    return null;
  }
  const end = pastPadding(bytes, at);
  if (end >= bytes.length) fail("end", end);
  if (bytes[end] !== carriageReturn || bytes[end + 1] !== lineFeed) fail("boundary", at);
  return end + 2;
}

/** `"…"` or a token, with the escapes of browsers and others. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text.trim();
  const inner = text.slice(1, -1).replace(/\\(["\\])/g, "$1");
  return inner.replace(/%22/g, '"').replace(/%0D/gi, "\r").replace(/%0A/gi, "\n");
}

function extended(value: string, at: number): string {
  const encoded = /^utf-8'[\w-]*'(.*)$/i.exec(value.trim())?.[1];
  if (encoded === undefined) return fail("disposition", at);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return fail("disposition", at);
  }
}

const parameter = /^\s*;\s*([\w*-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*)/;

function readDisposition(value: string, at: number): { name: string; fileName: string | undefined } {
  const [kind = ""] = value.split(";", 1);
  if (kind.trim().toLowerCase() !== "form-data") return fail("disposition", at);
  const found = new Map<string, string>();
  let rest = value.slice(kind.length);
  for (let match = parameter.exec(rest); match !== null; match = parameter.exec(rest)) {
    const key = (match[1] ?? "").toLowerCase();
    if (found.has(key)) return fail("disposition", at);
    found.set(key, match[2] ?? "");
    rest = rest.slice(match[0].length);
  }
  const name = found.get("name");
  if (name === undefined || rest.trim() !== "") return fail("disposition", at);
  const [wide, plain] = [found.get("filename*"), found.get("filename")];
  const fileName = wide === undefined ? (plain === undefined ? undefined : unquoted(plain)) : extended(wide, at);
  return { name: unquoted(name), fileName };
}

interface Head {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly type: string;
  /** Where the part's bytes start. */
  readonly end: number;
}

const known = new Set(["content-disposition", "content-type", "content-transfer-encoding", "content-length"]);
const plainEncodings = new Set(["binary", "8bit", "7bit"]);

function readHeaders(text: string, at: number): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n")) {
    const [, name = "", value = ""] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
    const key = name.toLowerCase();
    if (name === "" || (known.has(key) && headers.has(key))) fail("header", at);
    headers.set(key, value);
  }
  return headers;
}

function headText(bytes: Uint8Array, at: number, end: number): string {
  try {
    return strictDecoder.decode(bytes.subarray(at, end));
  } catch {
    return fail("encoding", at);
  }
}

function readHead(buffer: Buffer, at: number, limits: MultipartLimits): Head {
  const end = buffer.indexOf("\r\n\r\n", at);
  if (end < 0 || end - at > limits.maxFormHeaderBytes)
    return fail(end < 0 && buffer.length - at <= limits.maxFormHeaderBytes ? "end" : "header", at);
  const headers = readHeaders(headText(buffer, at, end), at);
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding !== undefined && !plainEncodings.has(encoding)) return fail("encoding", at);
  const disposition = headers.get("content-disposition");
  if (disposition === undefined) return fail("disposition", at);
  return { ...readDisposition(disposition, at), type: headers.get("content-type") ?? "", end: end + 4 };
}

/** The offset after the first boundary: at the very start, or after one empty line. */
function firstDelimiter(buffer: Buffer, boundary: string): number {
  const start = buffer[0] === carriageReturn && buffer[1] === lineFeed ? 2 : 0;
  const opening = `--${boundary}`;
  if (buffer.toString("latin1", start, start + opening.length) !== opening) fail("start", start);
  return start + opening.length;
}

/** Candidates that are checked in one step. */
const stepCandidates = 50_000;

/** The offset of `delimiter`, which starts with CR LF. Searching for its first byte is fast in data without it. */
function* find(buffer: Buffer, delimiter: Buffer, from: number): Generator<void, number> {
  let candidates = 0;
  for (let at = buffer.indexOf(carriageReturn, from); at >= 0; at = buffer.indexOf(carriageReturn, at + 1)) {
    const isLine = buffer[at + 1] === lineFeed && buffer[at + 2] === dash && buffer[at + 3] === dash;
    if (at + delimiter.length > buffer.length) return -1;
    if (isLine && buffer.compare(delimiter, 0, delimiter.length, at, at + delimiter.length) === 0) return at;
    if (++candidates % stepCandidates === 0) yield;
  }
  return -1;
}

function* readParts(buffer: Buffer, boundary: string, limits: MultipartLimits): Generator<void, MultipartPart[]> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const parts: MultipartPart[] = [];
  let at = afterDelimiter(buffer, firstDelimiter(buffer, boundary));
  while (at !== null) {
    if (parts.length >= limits.maxFormParts) fail("parts", at);
    const { name, fileName, type, end } = readHead(buffer, at, limits);
    // The delimiter of an empty part starts with the empty line that ends its headers.
    const close = yield* find(buffer, delimiter, end - 2);
    if (close < 0) fail("end", buffer.length);
    const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + end, Math.max(0, close - end));
    parts.push({ name, ...(fileName === undefined ? {} : { fileName }), type, bytes });
    at = afterDelimiter(buffer, close + delimiter.length);
  }
  return parts;
}

/**
 * Parses a body with a known boundary, in steps between which other work may run. Strict: an invalid form is a fault
 * with its offset, never a partial form.
 */
export function* readMultipart(
  bytes: Uint8Array,
  boundary: string,
  limits: MultipartLimits,
): Generator<void, MultipartResult> {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return { ok: true, parts: yield* readParts(buffer, boundary, limits) };
  } catch (thrown) {
    if (typeof thrown !== "object" || thrown === null || !("broken" in thrown)) throw thrown;
    return { ok: false, fault: (thrown as Broken).broken };
  }
}
