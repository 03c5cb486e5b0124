// Fetches a URL: checks, resolves and requests it, and follows redirects until the final response.

import type { IncomingMessage } from "node:http";
import { GatewayError } from "../../canonical/error.ts";
import { raceAbort } from "../../lib/abortable.ts";
import type { Allowed } from "./allowlist.ts";
import type { SetTimer } from "./connect.ts";
import { connect, type PostBody } from "./connect.ts";
import type { ErrorFactory, Origin } from "./errors.ts";
import { type Dns, resolvePinned, unanswered } from "./resolver.ts";
import { longestGiven, longestSigned, type ParsedUrl, parseUrl, usualPorts } from "./url-policy.ts";

export interface SafeFetchOptions extends Origin {
  /** Default 20 million. */
  readonly maxBytes?: number;
  /** For everything: names, connections, redirects and the last byte of the body. Default 10 seconds. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  /**
   * What the operator allows although it is private or uses another port: `host`, `address` or `range/prefix`, each
   * for ports 80 and 443, or followed by the only allowed port.
   */
  readonly allow?: readonly string[];
  /**
   * Accepted media types, as in `image/png` or `image/*`; absent: all. This is the server's claim: check the bytes
   * too.
   */
  readonly types?: readonly string[];
  /** A Range header as a client sent it. An invalid one is left out. */
  readonly range?: string | undefined;
  /** Sent with POST instead of a GET; any response is final then, including a redirect. */
  readonly post?: PostBody;
  /** Resolves names for the key of the request. */
  readonly dns: Dns;
  readonly setTimer?: SetTimer;
  /** PEM certificates to trust instead of those of the public authorities. */
  readonly ca?: string;
}

const maxRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);
const rangeShape = /^bytes=(?:\d{1,15}-\d{0,15}|-\d{1,15})$/;

/** One fetch under way. */
export interface FetchJob {
  readonly options: SafeFetchOptions;
  readonly allowed: Allowed;
  readonly errorFor: ErrorFactory;
  readonly signal: AbortSignal;
}

/** The parsed URL. The error of a redirect does not contain its target, which the client must not learn. */
function locate({ options, allowed, errorFor }: FetchJob, text: string, from: ParsedUrl | null): ParsedUrl {
  const isGiven = from === null && options.givenBy === "client";
  const place = parseUrl(text, isGiven ? longestGiven : longestSigned, from?.url);
  if (typeof place !== "string" && mayUse(allowed, place.port)) return place;
  const fault = typeof place === "string" ? place : "port";
  throw errorFor(from === null ? fault : "nowhere", "", new Error(`The URL is refused: ${fault}.`));
}

const mayUse = (allowed: Allowed, port: number): boolean => usualPorts.includes(port) || allowed.namesPort(port);

/** Checks a URL as before a request: its text, and the addresses of its host. */
export async function checkFetchUrl(job: FetchJob, text: string): Promise<void> {
  const place = locate(job, text, null);
  await lookedUp(job, place);
}

/** The allowed addresses. A name server that does not answer may answer the next time. */
function lookedUp({ options, allowed, errorFor, signal }: FetchJob, place: ParsedUrl): Promise<readonly string[]> {
  return raceAbort(resolvePinned(place, allowed, options.dns), signal).catch((thrown: unknown) => {
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof GatewayError) throw thrown;
    const isUnanswered = thrown instanceof Error && "code" in thrown && thrown.code === unanswered;
    throw errorFor(isUnanswered ? "unanswered" : "nowhere", "", thrown);
  });
}

/** The head of the response from one URL. Names are resolved once, and the connection uses those addresses. */
async function requestAt(job: FetchJob, place: ParsedUrl): Promise<IncomingMessage> {
  const { options, errorFor, signal } = job;
  const addresses = await lookedUp(job, place);
  const range = rangeShape.test(options.range ?? "") ? options.range : undefined;
  return connect({ place, addresses, range, post: options.post, ca: options.ca, signal }).catch((thrown) => {
    throw signal.aborted ? signal.reason : errorFor("unreachable", "", thrown);
  });
}

/** The target of a redirect; null for other responses. */
function target({ statusCode = 0, headers: { location } }: IncomingMessage): string | null {
  return redirects.has(statusCode) && location !== undefined ? location : null;
}

/** Follows redirects itself: each target is checked like the first URL. */
export async function requestFollowing(job: FetchJob, text: string): Promise<IncomingMessage> {
  let place = locate(job, text, null);
  for (let followed = 0; followed <= maxRedirects; followed++) {
    const message = await requestAt(job, place);
    const next = target(message);
    if (next === null || job.options.post !== undefined) return message;
    message.destroy();
    place = locate(job, next, place);
  }
  throw job.errorFor("redirects", maxRedirects);
}
