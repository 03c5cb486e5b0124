// Bytes inside JSON: data URIs and Base64, with the media type that the bytes show.
import type { MediaSource } from "../../canonical/chat.ts";

type BytesSource = Extract<MediaSource, { kind: "bytes" }>;

/** The start of well-known formats in Base64. */
const beginnings: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["JVBERi0", "application/pdf"],
];

const typeByExtension: ReadonlyMap<string, string> = new Map([
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["json", "application/json"],
  ["html", "text/html"],
]);

/** The media type by the first bytes; for WEBP, bytes eight to eleven. */
function shown(base64: string): string | undefined {
  for (const [beginning, mediaType] of beginnings) if (base64.startsWith(beginning)) return mediaType;
  if (!base64.startsWith("UklGR")) return undefined;
  return Buffer.from(base64.slice(0, 16), "base64").toString("latin1", 8, 12) === "WEBP" ? "image/webp" : undefined;
}

/** The standard alphabet with padding and without line breaks: some clients send base64url. */
export function standardBase64(base64: string): string {
  const joined = /\s/.test(base64) ? base64.replace(/\s+/g, "") : base64;
  const plain = /[-_]/.test(joined) ? joined.replaceAll("-", "+").replaceAll("_", "/") : joined;
  return plain.length % 4 === 0 ? plain : plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}

/** Bytes with the detected media type, otherwise the declared one. */
export function bytesOf(base64: string, declared: string): BytesSource {
  const data = standardBase64(base64);
  return {
    kind: "bytes",
    mediaType: shown(data) ?? (declared === "image/jpg" ? "image/jpeg" : declared),
    base64: data,
  };
}

/** The bytes of a data URI; null for any other text. */
export function readDataUri(uri: string): BytesSource | null {
  if (!/^data:/i.test(uri)) return null;
  const comma = uri.indexOf(",");
  if (comma < 0) return null;
  const [declared = "", ...attributes] = uri.slice(5, comma).toLowerCase().split(";");
  const data = uri.slice(comma + 1);
  const mediaType = declared || "text/plain";
  if (attributes.some((attribute) => attribute.trim() === "base64")) return bytesOf(data, mediaType);
  return { kind: "bytes", mediaType, base64: Buffer.from(unescaped(data), "utf8").toString("base64") };
}

function unescaped(data: string): string {
  try {
    return decodeURIComponent(data);
  } catch {
    return data;
  }
}

/** The data URI of bytes. */
export function dataUri(source: BytesSource): string {
  return `data:${source.mediaType};base64,${source.base64}`;
}

/** The media type of a file name. */
export function typeOfName(name: string | undefined): string {
  const extension = name?.slice(name.lastIndexOf(".") + 1).toLowerCase() ?? "";
  return typeByExtension.get(extension) ?? "application/pdf";
}

/** A file name for a document without one, because some servers require it. */
export function nameOfType(mediaType: string): string {
  const known = [...typeByExtension].find(([, type]) => type === mediaType);
  return `document.${known?.[0] ?? "pdf"}`;
}

/** Decodes bytes that are text. */
export function textOf(source: BytesSource): string {
  return Buffer.from(source.base64, "base64").toString("utf8");
}
