// Reads a request's body: type, encoding, size and depth are checked before anything is built from it.
import { GatewayError } from "../canonical/error.ts";
import type { UploadedFile } from "../dialects/dialect.ts";
import { parseBody } from "../lib/body-thread.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { MultipartLimits } from "../lib/multipart.ts";
import { isWholeText, type JsonBody, type JsonFault, type JsonLimits } from "../lib/read-json.ts";
import { decode, decoderFor, tooLarge } from "./decompress.ts";
import { type BodyPace, withinPace } from "./slow-body.ts";

type Progress = (bytes: number) => void;

/** The limits of a request, by the names of their rows in src/config/limits.ts. */
export interface ReadLimits extends JsonLimits, MultipartLimits, BodyPace {
  readonly maxBodyBytes: number;
  readonly maxHeaders: number;
  /** Text fields of a form, in total. */
  readonly maxFormTextBytes: number;
}

/** Cheap checks of every request, before its key is verified. */
export function checkHeaders(request: Request, limits: ReadLimits): void {
  if (request.headers.count > limits.maxHeaders)
    throw new GatewayError("too_many_headers", `The request has more than ${limits.maxHeaders} headers.`);
}

function checkType(request: Request): void {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "application/json" || type.endsWith("+json")) return;
  const found = type === "" ? "Missing required header: 'Content-Type'" : "The Content-Type is not supported";
  throw new GatewayError("unsupported_media_type", `${found}. Send 'Content-Type: application/json'.`);
}

/**
 * Sent twice it arrives as a list; the runtime refuses lists of different lengths
 * (https://www.rfc-editor.org/rfc/rfc9112#section-6.3).
 */
function declaredBytes({ headers }: Request): number | null {
  const declared = headers.get("content-length");
  return declared === null ? null : Number.parseInt(declared, 10);
}

/**
 * A body that is read in one piece does not show its progress: a small one must arrive within the grace period, a
 * larger one within the time allowed for all of it.
 */
const assumedBytes = (declared: number): number => (declared < smallBytes ? 0 : declared);

function readBytes(request: Request, maxBytes: number, pace: BodyPace): Promise<Uint8Array<ArrayBuffer>> {
  const declared = declaredBytes(request);
  if (declared !== null && declared > maxBytes) throw tooLarge(maxBytes);
  if (declared !== null && declared <= onePieceBytes)
    return withinPace(pace, () => request.bytes() as Promise<Uint8Array<ArrayBuffer>>, assumedBytes(declared));
  return withinPace(pace, (progress) =>
    declared === null ? gather(request, maxBytes, progress) : gatherExactly(request, declared, progress),
  );
}

const smallBytes = 64 * 1024;
/**
 * Up to this size a body is read in one piece, which costs half as much as a stream. The runtime doubles its buffer to
 * grow it, and holds both meanwhile, so a larger body is read directly into its final buffer.
 */
const onePieceBytes = 1024 * 1024;

/** Frees memory without waiting for the garbage collector. Does nothing for a view on a larger buffer. */
export function releaseBuffer({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

async function gatherExactly(request: Request, length: number, progress: Progress): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for await (const chunk of request.body ?? []) {
    bytes.set(chunk, at);
    at += chunk.length;
    progress(at);
    releaseBuffer(chunk);
  }
  return at === length ? bytes : bytes.subarray(0, at);
}

async function gather(request: Request, maxBytes: number, progress: Progress): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.length;
    progress(total);
    if (total > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const faults: { readonly [reason in JsonFault["reason"]]: string } = {
  encoding: "The body is not valid UTF-8.",
  depth: "The body is nested too deeply.",
  values: "The body has too many values.",
  containers: "The body has too many objects and arrays.",
  members: "The body has too many members.",
  strings: "The body has too many strings.",
  syntax: "The body is not valid JSON.",
  number: "The body has a number that is too large.",
};

function faultError(fault: JsonFault): GatewayError {
  const place = fault.at === undefined ? "" : ` (at byte ${fault.at})`;
  return new GatewayError("invalid_json", `${faults[fault.reason]}${place}`);
}

/**
 * The body without its content encoding, read once. Throws status 413 before reading if the declared length is too
 * large.
 */
export function readPlain(
  request: Request,
  limits: BodyPace & { readonly maxBodyBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const { maxBodyBytes: maxBytes } = limits;
  const decoder = decoderFor(request.headers.get("content-encoding"));
  const reading = readBytes(request, maxBytes, limits);
  return decoder === null ? reading : reading.then((raw) => decode(decoder, raw, maxBytes));
}

/** A body as an object; `bytes` is its size, `files` are those of a form. */
export interface ReadBody {
  readonly wire: JsonObject;
  readonly bytes: number;
  /** The duration until the body was complete. */
  readonly readMs: number;
  /** The body itself, if it was JSON. */
  readonly json?: JsonBody;
  readonly files?: readonly UploadedFile[];
  /** It may contain exact numbers. */
  readonly mayBeExact?: boolean;
  /** Frees the memory of a form. */
  release?(): void;
}

/** Below this size, a copy of the bytes costs less than a blob. */
const smallestBlobBytes = 16 * 1024;

/** Whether a body is read as a blob, whose memory the runtime shares with its text where that is ASCII. */
function isShareable(request: Request, declared: number, { maxBodyBytes }: ReadLimits): boolean {
  const isOnePiece = declared >= smallestBlobBytes && declared <= Math.min(onePieceBytes, maxBodyBytes);
  return isOnePiece && decoderFor(request.headers.get("content-encoding")) === null;
}

/** The text of a body; its bytes if they may not be UTF-8, or start with a byte order mark, so that they are checked. */
async function readShared(request: Request, declared: number, pace: BodyPace): Promise<JsonBody> {
  const blob = await withinPace(pace, () => request.blob(), assumedBytes(declared));
  const text = await blob.text();
  return isWholeText(text, blob.size) ? text : ((await blob.bytes()) as Uint8Array<ArrayBuffer>);
}

/** The JSON object of a request. Throws status 400, 413 or 415. */
export async function readJson(request: Request, limits: ReadLimits): Promise<ReadBody> {
  checkType(request);
  const startedMs = performance.now();
  const declared = declaredBytes(request) ?? 0;
  const body = isShareable(request, declared, limits)
    ? await readShared(request, declared, limits)
    : await readPlain(request, limits);
  const readMs = performance.now() - startedMs;
  // A text has the length that was declared; counting its bytes takes a pass over it.
  const bytes = typeof body === "string" ? declared : body.length;
  const parsing = parseBody(body, limits);
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  if (!parsed.ok) throw faultError(parsed.fault);
  if (!isObject(parsed.value)) throw new GatewayError("invalid_json", "The body must be a JSON object.");
  return { wire: parsed.value, bytes, readMs, mayBeExact: parsed.mayBeExact, json: parsed.body };
}
