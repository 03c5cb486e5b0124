// Cross-origin requests: refused unless the operator lists the origins.

/** Origins that may call the gateway from a browser, or all. */
export type CorsOrigins = readonly string[] | "*";

export interface Cors {
  /** The response to a preflight request; null for any other request. */
  preflight(request: Request): Response | null;
  /** Adds the headers that let the page read the response. */
  allow(request: Request, response: Response): Response;
}

/** How long a browser may cache a preflight response; the maximum of Chromium. */
const maxAgeSeconds = 7_200;
const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** Headers that a page may read in addition to the safelisted ones. */
const exposed = [
  ...[
    "x-request-id",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "content-range",
    "www-authenticate",
  ],
  ...["provider", "model", "attempts", "warnings", "usage", "cost", "reset"].map((name) => `x-turnpike-${name}`),
  ...["limit", "remaining", "reset"].flatMap((what) =>
    ["requests", "tokens"].map((unit) => `x-ratelimit-${what}-${unit}`),
  ),
].join(", ");

/**
 * Other origins get no header, so that browsers refuse. Keys are sent in headers, and the cookie of the console is for
 * its own origin, so credentials stay off.
 */
export function createCors(origins: CorsOrigins): Cors {
  const allowed = (request: Request): string | null => {
    const origin = request.headers.get("origin");
    if (origin === null) return null;
    if (origins === "*") return "*";
    return origins.includes(origin) ? origin : null;
  };
  const common = (headers: Headers, origin: string): void => {
    headers.set("access-control-allow-origin", origin);
    if (origin !== "*") headers.append("vary", "Origin");
  };
  return {
    preflight(request) {
      const method = request.headers.get("access-control-request-method");
      const origin = allowed(request);
      if (request.method !== "OPTIONS" || method === null || origin === null) return null;
      const headers = new Headers();
      common(headers, origin);
      headers.set("access-control-allow-methods", methods);
      // `*` would not include `authorization` (https://fetch.spec.whatwg.org/#http-access-control-allow-headers).
      const wanted = request.headers.get("access-control-request-headers");
      if (wanted !== null) headers.set("access-control-allow-headers", wanted);
      headers.set("access-control-max-age", String(maxAgeSeconds));
      return new Response(null, { status: 204, headers });
    },
    allow(request, response) {
      const origin = allowed(request);
      if (origin === null) return response;
      common(response.headers, origin);
      response.headers.set("access-control-expose-headers", exposed);
      return response;
    },
  };
}
