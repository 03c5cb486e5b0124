// The canonical request for images, made from words or from other images, and its answer.
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** `file` ids belong to the provider that issued them. */
export type PictureSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "bytes"; readonly mediaType: string; readonly bytes: Uint8Array }
  | { readonly kind: "file"; readonly id: string };

/** An image that the client gave. */
export interface InputImage {
  readonly source: PictureSource;
  /** Where it stood on the client's wire. */
  readonly path: string;
}

/** How large an image is to be: pixels, both or none; a shape as in `16:9`; or a resolution: `512`, `1K`, `2K` or `4K`. */
export interface ImageSize {
  readonly width?: number;
  readonly height?: number;
  readonly ratio?: string;
  readonly resolution?: string;
  /** The member of the client's wire that says it. */
  readonly path: string;
}

export interface ImageRequest {
  readonly operation: "image";
  /** `edit`: the images are to be changed. */
  readonly task: "generate" | "edit";
  readonly model: string;
  /** True where the client named none, and `model` is the one of the imitated service. */
  readonly unnamed?: true;
  readonly stream: boolean;
  readonly prompt: string;
  readonly negativePrompt?: string;
  readonly images: readonly InputImage[];
  /** Transparent where the first image may be changed. */
  readonly mask?: InputImage;
  /** How many; absent: one, or what the provider makes of it. */
  readonly n?: number;
  readonly size?: ImageSize;
  readonly quality?: string;
  readonly style?: string;
  readonly background?: string;
  readonly inputFidelity?: string;
  readonly moderation?: string;
  /** Kind of file: png, jpeg or webp. */
  readonly fileFormat?: string;
  /** 0 to 100. */
  readonly compression?: number;
  /** Partial images in a stream, 0 to 3. */
  readonly partialImages?: number;
  /** How the client wants the bytes; absent: as they come. */
  readonly delivery?: "url" | "base64";
  /** Whether the provider may rewrite the prompt. */
  readonly extendPrompt?: boolean;
  readonly watermark?: boolean;
  readonly seed?: number;
  readonly endUser?: string;
  readonly unmappedFields: readonly UnmappedField[];
}

/** One finished image: at an address that anybody may fetch for a while, or its bytes. */
export interface GeneratedImage {
  readonly source:
    | { readonly kind: "url"; readonly url: string }
    | { readonly kind: "base64"; readonly base64: string };
  readonly mediaType?: string;
  readonly revisedPrompt?: string;
}

export interface ImageResponse {
  readonly operation: "image";
  readonly model: string;
  /** Unix seconds. */
  readonly createdAt?: number;
  readonly images: readonly GeneratedImage[];
  /** Unfinished images, for a stream that tells them before the finished ones. */
  readonly partialImages?: readonly GeneratedImage[];
  /** What the provider said in words beside the images. */
  readonly text?: string;
  /** What was really made, where the provider told it: `1024x1024`. */
  readonly size?: string;
  readonly quality?: string;
  readonly background?: string;
  readonly fileFormat?: string;
  readonly usage?: Usage;
}

/** How many images an ask wants. */
export function imageCount({ n }: Pick<ImageRequest, "n">): number {
  return n ?? 1;
}
