// How long a server asks clients to wait, by its headers.

const maxRetryAfterMs = 60_000;

/** In milliseconds, at most a minute; undefined if neither header is valid. `nowMs` in Unix milliseconds. */
export function retryAfterMs(headers: Pick<Headers, "get">, nowMs: number): number | undefined {
  const exact = headers.get("retry-after-ms");
  const seconds = headers.get("retry-after");
  if (exact === null && seconds === null) return undefined;
  const waitMs = exact !== null ? Number(exact) : Number(seconds) * 1000;
  const wait = Number.isNaN(waitMs) ? Date.parse(seconds ?? "") - nowMs : waitMs;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), maxRetryAfterMs);
}
