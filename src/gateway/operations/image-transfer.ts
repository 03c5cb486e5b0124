// Bringing images: what lies behind a client's address for upstreams that take bytes alone, and results that clients want as bytes.
import { GatewayError } from "../../canonical/error.ts";
import type { ImageAnswer, ImageAsk, MadeImage, Picture } from "../../canonical/image.ts";
import type { Answer } from "../../canonical/operation.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { badReply } from "../../dialects/errors.ts";
import { imageOfBytes, imageType } from "../../dialects/video/images.ts";
import { inTurns } from "../../lib/map-concurrent.ts";
import type { Dns } from "../../providers/safe-fetch/dns-pinning.ts";
import { fetchGuarded } from "../../providers/safe-fetch/index.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import { sumUsage } from "../streaming/stop-sequences.ts";

/** What bringing something needs of the gateway. */
export interface Bringing {
  /** What the operator opens to the guarded fetcher. */
  readonly fetchAllow: readonly string[];
  readonly dns: Dns;
}

const maxImageBytes = 50 * 1024 * 1024;
/** Of all images of one request. */
const maxTotalBytes = 100 * 1024 * 1024;
const timeoutMs = 60_000;
const atOnce = 4;

/** Bytes that may still be brought. */
interface Purse {
  left: number;
}

async function bring(
  url: string,
  purse: Purse,
  from: { readonly givenBy: "client" | "upstream"; readonly param?: string },
  { fetchAllow: allow, dns }: Bringing,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const maxBytes = Math.min(maxImageBytes, Math.max(purse.left, 1));
  const { bytes } = await fetchGuarded(url, { ...from, maxBytes, timeoutMs, signal, allow, dns });
  purse.left -= bytes.length;
  return bytes;
}

/** True where the client's images stand behind addresses, and the upstream takes none. */
export function needsBytes({ ask, dialect }: Inquiry, upstream: Dialect): boolean {
  if (ask.operation !== "image" || upstream === dialect || upstream.request.wantsBytes !== true) return false;
  return [...ask.images, ask.mask].some((picture) => picture?.source.kind === "url");
}

/** Each request brings its images once, whoever is asked for it. */
const brought = new WeakMap<Inquiry, Promise<Inquiry>>();

/** The same inquiry with bytes in place of addresses. Throws the 400 that names the field of one that cannot be fetched. */
export function withBytes(inquiry: Inquiry, bringing: Bringing, signal: AbortSignal): Promise<Inquiry> {
  const known = brought.get(inquiry);
  if (known !== undefined) return known;
  const under = fetchAll(inquiry, bringing, signal);
  brought.set(inquiry, under);
  return under;
}

async function fetchAll(inquiry: Inquiry, bringing: Bringing, signal: AbortSignal): Promise<Inquiry> {
  const { ask } = inquiry;
  if (ask.operation !== "image") return inquiry;
  const purse: Purse = { left: maxTotalBytes };
  const fetched = async (picture: Picture): Promise<Picture> => {
    const { source, path } = picture;
    if (source.kind !== "url") return picture;
    const bytes = await bring(source.url, purse, { givenBy: "client", param: path }, bringing, signal);
    if (purse.left < 0)
      throw new GatewayError("invalid_value", "The images of this request are too large together.", { param: path });
    return { source: imageOfBytes(bytes, path), path };
  };
  const images = await inTurns(ask.images, atOnce, fetched);
  const mask = ask.mask === undefined ? {} : { mask: await fetched(ask.mask) };
  return { ...inquiry, ask: { ...ask, images, ...mask } };
}

const isAddress = ({ source }: MadeImage): boolean => source.kind === "url";

/** The answer with bytes in place of addresses, where the client wants bytes; the same one where there is nothing to bring. */
export async function delivered<Given extends Answer | null>(
  answer: Given,
  ask: Inquiry["ask"],
  bringing: Bringing,
  signal: AbortSignal,
): Promise<Given | ImageAnswer> {
  if (answer?.operation !== "image" || ask.operation !== "image") return answer;
  if (ask.delivery !== "base64" || !answer.images.some(isAddress)) return answer;
  const purse: Purse = { left: maxTotalBytes };
  const images = await inTurns(answer.images, atOnce, (image) => asBytes(image, purse, bringing, signal));
  return { ...answer, images };
}

async function asBytes(image: MadeImage, purse: Purse, bringing: Bringing, signal: AbortSignal): Promise<MadeImage> {
  const { source } = image;
  if (source.kind !== "url") return image;
  const bytes = await bring(source.url, purse, { givenBy: "upstream" }, bringing, signal);
  const mediaType = imageType(bytes) ?? image.mediaType;
  if (mediaType === undefined) throw badReply("an image of it is none");
  if (purse.left < 0) throw badReply("its images are larger than the gateway takes");
  return { ...image, source: { kind: "base64", base64: Buffer.from(bytes).toString("base64") }, mediaType };
}

/** An ask of more images than one call makes, as several. */
export function drawnApart(ask: ImageAsk, most: number): readonly ImageAsk[] {
  const wanted = ask.n ?? 1;
  if (wanted <= most) return [ask];
  return Array.from({ length: Math.ceil(wanted / most) }, (_, call) => ({
    ...ask,
    n: Math.min(most, wanted - call * most),
  }));
}

/** Answers to parts of one ask as one. */
export function joinImages(answers: readonly ImageAnswer[]): ImageAnswer {
  const [first] = answers;
  if (first === undefined) throw badReply("there is no image");
  const usage = sumUsage(answers.map((answer) => answer.usage));
  const { input: _, ...common } = first;
  return {
    ...common,
    images: answers.flatMap((answer) => answer.images),
    ...(usage === undefined ? {} : { usage }),
  };
}
