// Addresses of media that a client names and a provider is to fetch: only schemes that mean something there, and none of a private network for a provider that stands in one.
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

export interface MediaAddress {
  readonly url: string;
  /** Where it stood on the client's wire, where that is known. */
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

/** In parts that only one dialect understands: members that are named as addresses are. */
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

/** A file's id is an address too where it has a scheme: `gs://…`. */
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

/** Those of an ask that holds nothing but images. */
export function imageAddresses({
  images,
}: {
  readonly images: readonly { readonly source: Source; readonly path: string }[];
}): readonly MediaAddress[] {
  return images.flatMap(({ source, path }) => inSource(source, path));
}

/** Texts that are addresses as a whole, wherever they stand in a value. */
function addressTexts(value: unknown): string[] {
  if (typeof value === "string") return /^\s*(?:[a-z][a-z0-9+.-]*:\/\/|file:)\S+\s*$/i.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(addressTexts) : [];
}

/** Those among a client's own fields that go on to the provider as they are: a mask, a sound, a subject. */
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

/** All that a request names, whatever its operation. */
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

/** The addresses of a host; none where it does not exist, or cannot be looked up now. */
function addressesOf(place: ParsedUrl, dns: Dns): Promise<readonly string[]> | readonly string[] {
  return place.address === null ? dns(place.hostname).catch(() => []) : [place.address];
}

/** Whether a provider stands in a private network. One whose name cannot be looked up now counts as if it did. */
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

/** A name that cannot be looked up here goes on: the provider finds out for itself. */
async function checkPublic({ url, path }: MediaAddress, { fetchAllow, dns }: Fetching): Promise<void> {
  const place = parseUrl(url, longestSigned);
  if (typeof place === "string") throw inside(path);
  const allowed = readAllowed(fetchAllow);
  for (const answer of await addressesOf(place, dns)) {
    const address = plainAddress(answer);
    if (address === null || (addressClassOf(address) !== "open" && !allowed.admits(place, address))) throw inside(path);
  }
}

/** Throws the 400 of an address that this provider must not be given. */
export async function checkAddresses(
  addresses: readonly MediaAddress[],
  provider: Provider,
  fetching: Fetching,
): Promise<void> {
  const known = addresses.flatMap(({ url, path }) => {
    const word = scheme.exec(url.trim())?.[0]?.toLowerCase() ?? "";
    if (word === "data:" || provider.kind.mediaSchemes?.includes(word)) return [];
    // Base64 and ids of files stand where addresses may stand, too.
    if (word === "") return [];
    if (!openSchemes.includes(word)) throw refused(path);
    return [{ url: url.trim(), path }];
  });
  if (known.length === 0 || !(await isPrivate(provider, fetching.dns))) return;
  for (const address of known) await checkPublic(address, fetching);
}
