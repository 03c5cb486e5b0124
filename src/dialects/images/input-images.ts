// Images that a client gives: read from text and files, and written in the form that an upstream takes.
import type { InputImage, PictureSource } from "../../canonical/image.ts";
import type { FormPart, UploadedFile } from "../dialect.ts";
import { badValue, unsupported } from "../errors.ts";
import { base64Of, imageOfBytes, imageOfText } from "../video/images.ts";

/** Images of one request. */
export const mostImages = 16;

/** An address, a data URI or bare Base64; addresses of a provider's own store are its files. */
export function pictureOfText(text: string, path: string): InputImage {
  if (/^(?:oss|gs):\/\/./i.test(text)) return { source: { kind: "file", id: text }, path };
  return { source: imageOfText(text, path), path };
}

export function pictureOfFile({ bytes }: UploadedFile, path: string): InputImage {
  return { source: imageOfBytes(bytes, path), path };
}

/** Throws `invalid_value` for more images than any provider takes. */
export function checkImages(images: readonly InputImage[], path: string): readonly InputImage[] {
  if (images.length <= mostImages) return images;
  throw badValue(path, `'${path}' must have at most ${mostImages} images.`);
}

/** The image as text: its address, or a data URI. `keeps` tells the files that the upstream can read itself. */
export function pictureText({ source, path }: InputImage, keeps: RegExp | null = null): string {
  if (source.kind === "url") return source.url;
  if (source.kind === "bytes") return `data:${source.mediaType};base64,${base64Of(source)}`;
  if (keeps?.test(source.id)) return source.id;
  throw unsupported(path, "the file is stored with a different provider.");
}

type Bytes = Extract<PictureSource, { kind: "bytes" }>;

/** The bytes of an image. The corridor has brought those that stood behind an address. */
export function pictureBytes({ source, path }: InputImage): Bytes {
  if (source.kind === "bytes") return source;
  throw unsupported(
    path,
    source.kind === "file"
      ? "the file is stored with a different provider."
      : "this model accepts image bytes only, not URLs.",
  );
}

export const pictureBase64 = (picture: InputImage): string => base64Of(pictureBytes(picture));

/** The image as a part of a form. */
export function picturePart(name: string, picture: InputImage): FormPart {
  const { bytes, mediaType } = pictureBytes(picture);
  return { name, fileName: `image.${mediaType.split("/")[1] ?? "png"}`, type: mediaType, bytes };
}
