// Checks media URLs of a client that a provider is to fetch: only schemes that the provider supports, and no private
// addresses for a provider in a private network.
import type { Block } from "../../canonical/chat.ts";
import { GatewayError } from "../../canonical/error.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import type { UpstreamRequest } from "../../dialects/dialect.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Provider } from "../../providers/provider.ts";
import { readAllowed } from "../../providers/safe-fetch/allowlist.ts";
import type { Dns } from "../../providers/safe-fetch/resolver.ts";
import {
  addressClassOf,
  longestSigned,
  type ParsedUrl,
  parseUrl,
  plainAddress,
} from "../../providers/safe-fetch/url-policy.ts";

interface MediaAddress {
  readonly url: string;
  /** Its path on the client's wire, if it is known. */
  readonly path: string | undefined;
}

interface Fetching {
  readonly fetchAllow: readonly string[];
  readonly dns: Dns;
}

const scheme = /^([a-z][a-z0-9+.-]*):/i;
const openSchemes: readonly string[] = ["http:", "https:"];
const addressMember = /(?:^|_)(?:url|uri)$/i;
const deepest = 4;

/** In parts that only one dialect understands: members with the names of URLs. */
function inWire(wire: Json, path: string | undefined, depth = 0): MediaAddress[] {
  if (depth > deepest || typeof wire !== "object" || wire === null) return [];
  if (!isObject(wire)) return [...wire].flatMap((item) => inWire(item as Json, path, depth + 1));
  return Object.entries(wire).flatMap(([name, value]) =>
    typeof value === "string" && addressMember.test(name)
      ? [{ url: value, path }]
      : inWire(value ?? null, path, depth + 1),
  );
}

type Source = { readonly kind: string; readonly url?: string; readonly id?: string };

/** A file id is a URL too if it has a scheme: `gs://…`. */
function inSource({ kind, url, id }: Source, path: string | undefined): MediaAddress[] {
  if (kind === "url" && url !== undefined) return [{ url, path }];
  return kind === "file" && id !== undefined && id.includes("://") ? [{ url: id, path }] : [];
}

function inBlock(block: Block): MediaAddress[] {
  switch (block.type) {
    case "image":
    case "audio":
    case "document":
      return inSource(block.source, block.path);
    case "tool-result":
      return block.content.flatMap(inBlock);
    case "foreign":
      return inWire(block.wire, block.path);
    default:
      return [];
  }
}

/** The URLs of a request with only images. */
export function imageAddresses({
  images,
}: {
  readonly images: readonly { readonly source: Source; readonly path: string }[];
}): readonly MediaAddress[] {
  return images.flatMap(({ source, path }) => inSource(source, path));
}

/** Texts that are URLs as a whole, anywhere in a value. */
function addressTexts(value: unknown): string[] {
  if (typeof value === "string") return /^\s*(?:[a-z][a-z0-9+.-]*:\/\/|file:)\S+\s*$/i.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(addressTexts) : [];
}

/** URLs in fields of the client that are forwarded to the provider unchanged: a mask, audio, a subject. */
export function passedAddresses(
  fields: JsonObject,
  { body, form }: UpstreamRequest,
  path: string,
): readonly MediaAddress[] {
  const named = addressTexts(fields);
  if (named.length === 0) return [];
  const sent = new Set(addressTexts([body, form?.map((part) => ("value" in part ? part.value : null))]));
  return named.filter((url) => sent.has(url)).map((url) => ({ url, path }));
}

/** All URLs in a request, for any operation. */
export function addressesIn(request: OperationRequest): readonly MediaAddress[] {
  switch (request.operation) {
    case "chat":
      return request.messages.flatMap(({ blocks }) => blocks.flatMap(inBlock));
    case "image":
      return [...request.images, ...(request.mask === undefined ? [] : [request.mask])].flatMap(({ source, path }) =>
        inSource(source, path),
      );
    case "moderate":
      return request.items
        .flat()
        .flatMap((part) => (part.type === "image" ? [{ url: part.url, path: part.path }] : []));
    default:
      return [];
  }
}

/** The addresses of a host; none if it does not exist, or cannot be resolved at present. */
function addressesOf(place: ParsedUrl, dns: Dns): Promise<readonly string[]> | readonly string[] {
  return place.address === null ? dns(place.hostname).catch(() => []) : [place.address];
}

/** Whether a provider is in a private network. One whose name cannot be resolved at present counts as private. */
async function isPrivate({ dispatch }: Provider, dns: Dns): Promise<boolean> {
  const place = dispatch.form === "http" ? parseUrl(dispatch.baseUrl, longestSigned) : "malformed";
  if (typeof place === "string") return false;
  const standings = (await addressesOf(place, dns)).map((answer) => addressClassOf(plainAddress(answer) ?? answer));
  return standings.length === 0 || standings.some((standing) => standing !== "open");
}

const refused = (path: string | undefined): GatewayError =>
  new GatewayError("invalid_value", "The URL must begin with http:// or https://, or be a data URI.", {
    param: path ?? null,
  });

const inside = (path: string | undefined): GatewayError =>
  new GatewayError(
    "invalid_value",
    "The URL points to a host that this gateway does not let its providers fetch from.",
    {
      param: path ?? null,
    },
  );

/** A name that cannot be resolved here is passed on: the provider resolves it itself. */
async function checkPublic({ url, path }: MediaAddress, { fetchAllow, dns }: Fetching): Promise<void> {
  const place = parseUrl(url, longestSigned);
  if (typeof place === "string") throw inside(path);
  const allowed = readAllowed(fetchAllow);
  for (const answer of await addressesOf(place, dns)) {
    const address = plainAddress(answer);
    if (address === null || (addressClassOf(address) !== "open" && !allowed.admits(place, address))) throw inside(path);
  }
}

/** Throws status 400 for a URL that this provider must not get. */
export async function checkAddresses(
  addresses: readonly MediaAddress[],
  provider: Provider,
  fetching: Fetching,
): Promise<void> {
  const known = addresses.flatMap(({ url, path }) => {
    const word = scheme.exec(url.trim())?.[0]?.toLowerCase() ?? "";
    if (word === "data:" || provider.kind.mediaSchemes?.includes(word)) return [];
    // Base64 and file ids may be in the same place as URLs.
    if (word === "") return [];
    if (!openSchemes.includes(word)) throw refused(path);
    return [{ url: url.trim(), path }];
  });
  if (known.length === 0 || !(await isPrivate(provider, fetching.dns))) return;
  for (const address of known) await checkPublic(address, fetching);
}
