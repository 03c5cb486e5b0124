// Images of a request in a form that the upstream accepts: URLs are fetched for those that need bytes.
import type { VideoImage, VideoImageSource, VideoRequest } from "../../canonical/video.ts";
import { unsupported } from "../../dialects/errors.ts";
import { imageOfBytes } from "../../dialects/video/images.ts";
import type { ImageForm, VideoUpstream } from "../../dialects/video/upstream.ts";
import { safeFetch } from "../../providers/safe-fetch/index.ts";
import type { Dns } from "../../providers/safe-fetch/resolver.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";

const bytesForms: readonly ImageForm[] = ["data", "base64", "form"];

type Fetching = Pick<GatewayDependencies, "fetchAllow" | "limits"> & { readonly dns: Dns };
type ImageRules = Pick<VideoUpstream, "imageForms" | "httpsOnly">;

async function fetched(url: string, path: string, signal: AbortSignal, parts: Fetching): Promise<VideoImageSource> {
  const { bytes } = await safeFetch(url, {
    givenBy: "client",
    param: path,
    maxBytes: parts.limits.imageFetchBytes,
    timeoutMs: parts.limits.imageFetchMs,
    signal,
    allow: parts.fetchAllow,
    dns: parts.dns,
  });
  return imageOfBytes(bytes, path);
}

/** Whether the upstream accepts the image as the client sent it. */
function isTaken({ source }: VideoImage, { imageForms, httpsOnly }: ImageRules, acceptsBytes: boolean): boolean {
  if (source.kind === "bytes") return acceptsBytes;
  if (source.kind === "file") return imageForms.includes("file");
  return imageForms.includes("url") && !(httpsOnly === true && /^http:/i.test(source.url));
}

async function fitted(image: VideoImage, upstream: ImageRules, signal: AbortSignal, parts: Fetching) {
  const { source, path } = image;
  const { imageForms } = upstream;
  const acceptsBytes = bytesForms.some((form) => imageForms.includes(form));
  if (isTaken(image, upstream, acceptsBytes)) return image;
  if (source.kind === "url" && acceptsBytes)
    return { ...image, source: await fetched(source.url, path, signal, parts) };
  const reason =
    source.kind === "bytes" ? "this model accepts image URLs only." : "the file is stored with a different provider.";
  throw unsupported(path, imageForms.length === 0 ? "this model does not support image input." : reason);
}

/** The request with every image as the upstream accepts it. Throws the 400 of an image that cannot be fetched or sent. */
export async function withImages(
  request: VideoRequest,
  upstream: ImageRules,
  signal: AbortSignal,
  parts: Fetching,
): Promise<VideoRequest> {
  if (request.images.length === 0) return request;
  return {
    ...request,
    images: await Promise.all(request.images.map((image) => fitted(image, upstream, signal, parts))),
  };
}
