// Images and files as OpenAI-shaped wires give them: an address or a data URI, bytes with a name, or the id of a stored file.
import type { CacheHint, DocumentBlock, ImageBlock } from "../../canonical/chat.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { badValue } from "../errors.ts";
import { bytesOf, readDataUri, textOf, typeOfName } from "./media.ts";

/** The marker on a part up to which the provider may cache. */
export function cacheOf(part: JsonObject): { cache?: CacheHint } {
  const wire = part.prompt_cache_breakpoint;
  return isObject(wire) ? { cache: { wire } } : {};
}

/** What every part of media keeps: where it stood, and its cache marker. */
export type Place = { readonly path: string } & { readonly cache?: CacheHint };

/** An image by its address; bytes that are none are a document. `field` is the path of the address. */
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

/** A file by its bytes, a data URI or bare base64; bytes that are an image are one. */
export function fileOfBytes(data: string, name: string | undefined, place: Place): DocumentBlock | ImageBlock {
  const source = readDataUri(data) ?? bytesOf(data, typeOfName(name));
  if (source.mediaType.startsWith("image/")) return { type: "image", source, ...place };
  return { type: "document", source, ...titled(name), ...place };
}

/** A file that the provider keeps. */
export function storedFile(id: string, name: string | undefined, place: Place): DocumentBlock {
  return { type: "document", source: { kind: "file", id }, ...titled(name), ...place };
}

/** The text of a document that is nothing but text, under its title: said as text, since servers take files of few kinds. */
export function documentText({ source, title }: DocumentBlock): string | null {
  const header = title === undefined ? "" : `${title}\n\n`;
  if (source.kind === "text") return header + source.text;
  return source.kind === "bytes" && source.mediaType.startsWith("text/") ? header + textOf(source) : null;
}
