// Images of an ask in a form that the upstream takes: addresses are fetched for those that want bytes.
import type { VideoImage, VideoImageSource, VideoRequest } from "../../canonical/video.ts";
import { unsupported } from "../../dialects/errors.ts";
import { imageOfBytes } from "../../dialects/video/images.ts";
import type { ImageForm, VideoUpstream } from "../../dialects/video/upstream.ts";
import type { Dns } from "../../providers/safe-fetch/dns-pinning.ts";
import { safeFetch } from "../../providers/safe-fetch/index.ts";
import type { GatewayDependencies } from "../pipeline/dependencies.ts";

const maxImageBytes = 50 * 1024 * 1024;
const fetchPatienceMs = 30_000;
const bytesForms: readonly ImageForm[] = ["data", "base64", "form"];

type Fetching = Pick<GatewayDependencies, "fetchAllow"> & { readonly dns: Dns };
type Taker = Pick<VideoUpstream, "takes" | "secureOnly">;

async function fetched(url: string, path: string, signal: AbortSignal, parts: Fetching): Promise<VideoImageSource> {
  const { bytes } = await safeFetch(url, {
    givenBy: "client",
    param: path,
    maxBytes: maxImageBytes,
    timeoutMs: fetchPatienceMs,
    signal,
    allow: parts.fetchAllow,
    dns: parts.dns,
  });
  return imageOfBytes(bytes, path);
}

/** Whether the upstream takes the image as the client gave it. */
function isTaken({ source }: VideoImage, { takes, secureOnly }: Taker, takesBytes: boolean): boolean {
  if (source.kind === "bytes") return takesBytes;
  if (source.kind === "file") return takes.includes("file");
  return takes.includes("url") && !(secureOnly === true && /^http:/i.test(source.url));
}

async function fitted(image: VideoImage, upstream: Taker, signal: AbortSignal, parts: Fetching) {
  const { source, path } = image;
  const { takes } = upstream;
  const takesBytes = bytesForms.some((form) => takes.includes(form));
  if (isTaken(image, upstream, takesBytes)) return image;
  if (source.kind === "url" && takesBytes) return { ...image, source: await fetched(source.url, path, signal, parts) };
  const reason =
    source.kind === "bytes" ? "this model accepts image URLs only." : "the file is stored with a different provider.";
  throw unsupported(path, takes.length === 0 ? "this model does not support image input." : reason);
}

/** The ask with every image as the upstream takes it. Throws the 400 of an image that cannot be had or said. */
export async function withImages(
  request: VideoRequest,
  upstream: Taker,
  signal: AbortSignal,
  parts: Fetching,
): Promise<VideoRequest> {
  if (request.images.length === 0) return request;
  return {
    ...request,
    images: await Promise.all(request.images.map((image) => fitted(image, upstream, signal, parts))),
  };
}
