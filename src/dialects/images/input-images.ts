// Input images: read from text and files, refused where an upstream does not support them, and rendered for it.
import type { InputImage, PictureSource } from "../../canonical/image.ts";
import type { Loss } from "../../canonical/warning.ts";
import type { FormPart, UploadedFile } from "../dialect.ts";
import { badValue } from "../errors.ts";
import { rejected } from "../field-table.ts";
import { base64Of, imageOfBytes, imageOfText, imageText } from "../video/images.ts";

/** Maximum images of one request. */
export const maxImages = 16;

/** A URL, a data URI or Base64. URLs of a provider's own storage are its files. */
export function pictureOfText(text: string, path: string): InputImage {
  if (/^(?:oss|gs):\/\/./i.test(text)) return { source: { kind: "file", id: text }, path };
  return { source: imageOfText(text, path), path };
}

export function pictureOfFile({ bytes }: UploadedFile, path: string): InputImage {
  return { source: imageOfBytes(bytes, path), path };
}

/** Throws `invalid_value` for more images than any provider supports. */
export function checkImages(images: readonly InputImage[], path: string): readonly InputImage[] {
  if (images.length <= maxImages) return images;
  throw badValue(path, `'${path}' must have at most ${maxImages} images.`);
}

type Given = InputImage | readonly InputImage[];

/** Refuses the first image for which there is a reason. */
const refusing =
  (reasonFor: (source: PictureSource) => string | undefined) =>
  (_setting: unknown, given: Given): Loss | undefined => {
    for (const { source, path } of [given].flat()) {
      const reason = reasonFor(source);
      if (reason !== undefined) return { ...rejected(reason), path };
    }
    return undefined;
  };

const isForeign = (source: PictureSource, ownFiles: RegExp | undefined): boolean =>
  source.kind === "file" && ownFiles?.test(source.id) !== true;
const foreignFile = "the file is stored with a different provider.";

/** The limit of upstreams that accept images as text; `ownFiles` matches the URLs that they can read. */
export const textsOnly = (ownFiles?: RegExp) =>
  refusing((source) => (isForeign(source, ownFiles) ? foreignFile : undefined));

/** The limit of upstreams that accept bytes. The gateway has already downloaded URLs. */
export const bytesOrFiles = (ownFiles?: RegExp) =>
  refusing((source) => {
    if (isForeign(source, ownFiles)) return foreignFile;
    return source.kind === "url" ? "this model accepts image bytes only, not URLs." : undefined;
  });

/** The image as text: its URL or id, or a data URI. */
export const pictureText = ({ source }: InputImage): string => (source.kind === "file" ? source.id : imageText(source));

/** The Base64 bytes of an image with their type; undefined for an image by reference. */
export function pictureData({ source }: InputImage): { readonly mimeType: string; readonly data: string } | undefined {
  return source.kind === "bytes" ? { mimeType: source.mediaType, data: base64Of(source) } : undefined;
}

/** The image as a part of a form. */
export function pictureParts(name: string, { source }: InputImage): FormPart[] {
  if (source.kind !== "bytes") return [];
  const { mediaType: type, bytes } = source;
  return [{ name, fileName: `image.${type.split("/")[1] ?? "png"}`, type, bytes }];
}
