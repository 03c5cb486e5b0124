// How long a server asks to wait, by the headers that clients know.

const maxRetryAfterMs = 60_000;

/** In milliseconds, cut to a minute; undefined where neither header can be read. `nowMs` in Unix milliseconds. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = headers.get("retry-after-ms");
  const seconds = headers.get("retry-after");
  if (exact === null && seconds === null) return undefined;
  const asked = exact !== null ? Number(exact) : Number(seconds) * 1000;
  const wait = Number.isNaN(asked) ? Date.parse(seconds ?? "") - nowMs : asked;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), maxRetryAfterMs);
}
