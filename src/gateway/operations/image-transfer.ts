// Downloads images: those at a client's URL for upstreams that accept only bytes, and results for clients that request
// bytes.

import { GatewayError } from "../../canonical/error.ts";
import type { GeneratedImage, ImageResponse, InputImage } from "../../canonical/image.ts";
import type { OperationResponse } from "../../canonical/operation.ts";
import type { UpstreamDialect } from "../../dialects/dialect.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import { imageOfBytes, imageType } from "../../dialects/video/images.ts";
import { abortSignalOf, type Cancellation } from "../../lib/cancellation.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { safeFetch } from "../../providers/safe-fetch/index.ts";
import type { Dns } from "../../providers/safe-fetch/resolver.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { GatewayLimits } from "../policy/limits.ts";

/** What downloading depends on. */
export interface FetchContext {
  /** The operator's allowlist for the guarded fetcher. */
  readonly fetchAllow: readonly string[];
  readonly dns: Dns;
  readonly limits: GatewayLimits;
}

const atOnce = 4;

/** Remaining bytes to download. */
interface ByteBudget {
  left: number;
}

async function bring(
  url: string,
  purse: ByteBudget,
  from: { readonly givenBy: "client" | "upstream"; readonly param?: string },
  { fetchAllow: allow, dns, limits }: FetchContext,
  signal: Cancellation,
): Promise<Uint8Array> {
  const maxBytes = Math.min(limits.imageFetchBytes, Math.max(purse.left, 1));
  const timeoutMs = limits.imageFetchMs;
  const { bytes } = await safeFetch(url, {
    ...from,
    maxBytes,
    timeoutMs,
    signal: abortSignalOf(signal),
    allow,
    dns,
  });
  purse.left -= bytes.length;
  return bytes;
}

/** Whether the client's images are URLs and the upstream does not accept any. */
export function needsBytes(gatewayRequest: GatewayRequest, upstream: UpstreamDialect): boolean {
  if (gatewayRequest.outline.operation !== "image") return false;
  const { request, dialect } = gatewayRequest;
  if (request.operation !== "image" || upstream === dialect || upstream.request.needsInlineImages !== true)
    return false;
  return [...request.images, request.mask].some((picture) => picture?.source.kind === "url");
}

/**
 * Each request downloads its images once, whichever candidates are called. The key is a request, which never changes
 * and belongs to one exchange of one gateway: the images are released with it, and found only through it.
 */
const fetchedByRequest = new WeakMap<GatewayRequest, Promise<GatewayRequest>>();

/**
 * The same request with bytes in place of URLs. Throws status 400 with the field of a URL that cannot be downloaded.
 */
export function withBytes(
  gatewayRequest: GatewayRequest,
  bringing: FetchContext,
  signal: Cancellation,
): Promise<GatewayRequest> {
  const known = fetchedByRequest.get(gatewayRequest);
  if (known !== undefined) return known;
  const under = fetchAll(gatewayRequest, bringing, signal);
  fetchedByRequest.set(gatewayRequest, under);
  return under;
}

async function fetchAll(
  gatewayRequest: GatewayRequest,
  bringing: FetchContext,
  signal: Cancellation,
): Promise<GatewayRequest> {
  const { request } = gatewayRequest;
  if (request.operation !== "image") return gatewayRequest;
  const purse: ByteBudget = { left: bringing.limits.imageFetchTotalBytes };
  const fetched = async (picture: InputImage): Promise<InputImage> => {
    const { source, path } = picture;
    if (source.kind !== "url") return picture;
    const bytes = await bring(source.url, purse, { givenBy: "client", param: path }, bringing, signal);
    if (purse.left < 0)
      throw new GatewayError("invalid_value", "The images of this request exceed the total size limit.", {
        param: path,
      });
    return { source: imageOfBytes(bytes, path), path };
  };
  const images = await mapConcurrent(request.images, atOnce, fetched);
  const mask = request.mask === undefined ? {} : { mask: await fetched(request.mask) };
  return gatewayRequest.with({ request: { ...request, images, ...mask } });
}

const isAddress = ({ source }: GeneratedImage): boolean => source.kind === "url";

/**
 * The response with bytes in place of URLs, if the client requests bytes; the same object if there is nothing to
 * download.
 */
export async function delivered<Given extends OperationResponse | null>(
  answer: Given,
  request: GatewayRequest["request"],
  bringing: FetchContext,
  signal: Cancellation,
): Promise<Given | ImageResponse> {
  if (answer?.operation !== "image" || request.operation !== "image") return answer;
  if (request.delivery !== "base64" || !answer.images.some(isAddress)) return answer;
  const purse: ByteBudget = { left: bringing.limits.imageFetchTotalBytes };
  const images = await mapConcurrent(answer.images, atOnce, (image) => asBytes(image, purse, bringing, signal));
  return { ...answer, images };
}

async function asBytes(
  image: GeneratedImage,
  purse: ByteBudget,
  bringing: FetchContext,
  signal: Cancellation,
): Promise<GeneratedImage> {
  const { source } = image;
  if (source.kind !== "url") return image;
  const bytes = await bring(source.url, purse, { givenBy: "upstream" }, bringing, signal);
  const mediaType = imageType(bytes) ?? image.mediaType;
  if (mediaType === undefined) throw invalidUpstreamResponse("one of the returned images is not a valid image");
  if (purse.left < 0) throw invalidUpstreamResponse("the images exceed the size limit");
  return { ...image, source: { kind: "base64", base64: Buffer.from(bytes).toString("base64") }, mediaType };
}
