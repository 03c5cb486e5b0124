// The canonical image request, from a prompt or from other images, and its response.
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** `file` ids belong to the provider that issued them. */
export type PictureSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "bytes"; readonly mediaType: string; readonly bytes: Uint8Array }
  | { readonly kind: "file"; readonly id: string };

/** An image that the client sent. */
export interface InputImage {
  readonly source: PictureSource;
  /** Its position on the client's wire. */
  readonly path: string;
}

/** The requested size: pixels, both or none; a shape as in `16:9`; or a resolution: `512`, `1K`, `2K` or `4K`. */
export interface ImageSize {
  readonly width?: number;
  readonly height?: number;
  readonly ratio?: string;
  readonly resolution?: string;
  /** The member of the client's wire that contains it. */
  readonly path: string;
}

export interface ImageRequest {
  readonly operation: "image";
  /** `edit`: change the input images. */
  readonly task: "generate" | "edit";
  readonly model: string;
  /** True where the client sent no model, and `model` is the default of its dialect. */
  readonly unnamed?: true;
  readonly stream: boolean;
  readonly prompt: string;
  readonly negativePrompt?: string;
  readonly images: readonly InputImage[];
  /** Transparent where the first image may be changed. */
  readonly mask?: InputImage;
  /** The number of images; absent: the provider's default. */
  readonly n?: number;
  readonly size?: ImageSize;
  readonly quality?: string;
  readonly style?: string;
  readonly background?: string;
  readonly inputFidelity?: string;
  readonly moderation?: string;
  /** File format: png, jpeg or webp. */
  readonly fileFormat?: string;
  /** 0 to 100. */
  readonly compression?: number;
  /** Partial images in a stream, 0 to 3. */
  readonly partialImages?: number;
  /** How the client requests the bytes; absent: as the provider returns them. */
  readonly delivery?: "url" | "base64";
  /** Whether the provider may rewrite the prompt. */
  readonly extendPrompt?: boolean;
  readonly watermark?: boolean;
  readonly seed?: number;
  readonly endUser?: string;
  readonly unmappedFields: readonly UnmappedField[];
}

/** A complete image: a public URL that is valid for a limited time, or its bytes. */
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
  /** Partial images, for a stream that returns them before the complete ones. */
  readonly partialImages?: readonly GeneratedImage[];
  /** Text that the provider returned with the images. */
  readonly text?: string;
  /** The actual size, if the provider reported it: `1024x1024`. */
  readonly size?: string;
  readonly quality?: string;
  readonly background?: string;
  readonly fileFormat?: string;
  readonly usage?: Usage;
}

/** The number of requested images. */
export function imageCount({ n }: Pick<ImageRequest, "n">): number {
  return n ?? 1;
}
