// Images and files on OpenAI-shaped wires: a URL or a data URI, bytes with a name, or the id of a stored file.
import type { CacheHint, DocumentBlock, ImageBlock } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";
import { bytesOf, readDataUri, textOf, typeOfName } from "./media.ts";

/** The cache breakpoint after a part. */
export function cacheOf(part: JsonObject): { cache?: CacheHint } {
  const wire = part.prompt_cache_breakpoint;
  return isObject(wire) ? { cache: { wire } } : {};
}

/** What every media part has: its path and its cache breakpoint. */
type Place = { readonly path: string } & { readonly cache?: CacheHint };

/** An image by its URL. Bytes of another type become a document. `field` is the path of the URL. */
export function imageOf(url: string, field: string, detail: string | undefined, place: Place) {
  const bytes = readDataUri(url);
  if (bytes === null && !/^https?:\/\//i.test(url)) {
    throw badValue(field, "An image must be an http or https URL or a data URI.");
  }
  if (bytes !== null && !bytes.mediaType.startsWith("image/")) {
    return { type: "document", source: bytes, ...place } satisfies DocumentBlock;
  }
  const shown = detail === undefined ? {} : { detail };
  return { type: "image", source: bytes ?? { kind: "url", url }, ...shown, ...place } satisfies ImageBlock;
}

function titled(name: string | undefined): { title?: string } {
  return name === undefined ? {} : { title: name };
}

/** A file by its bytes, as a data URI or Base64. Bytes of an image become an image. */
export function fileOfBytes(data: string, name: string | undefined, place: Place): DocumentBlock | ImageBlock {
  const source = readDataUri(data) ?? bytesOf(data, typeOfName(name));
  if (source.mediaType.startsWith("image/")) return { type: "image", source, ...place };
  return { type: "document", source, ...titled(name), ...place };
}

/** A file that the provider stores. */
export function storedFile(id: string, name: string | undefined, place: Place): DocumentBlock {
  return { type: "document", source: { kind: "file", id }, ...titled(name), ...place };
}

/** A text document as text under its title, because servers accept few file types. */
export function documentText({ source, title }: DocumentBlock): string | null {
  const header = title === undefined ? "" : `${title}\n\n`;
  if (source.kind === "text") return header + source.text;
  return source.kind === "bytes" && source.mediaType.startsWith("text/") ? header + textOf(source) : null;
}
