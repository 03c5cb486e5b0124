// Calls from pages of other origins: off unless the operator lists them.

/** Origins that a browser may call from, or all of them. */
export type CorsOrigins = readonly string[] | "*";

export interface Cors {
  /** The answer to a preflight request; null for any other request. */
  preflight(request: Request): Response | null;
  /** Adds the headers with which a browser hands the answer to the page. */
  allow(request: Request, response: Response): Response;
}

/** How long a browser may remember a preflight; Chromium takes no more than this. */
const maxAgeSeconds = 7_200;
const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** What a page may read beside the few headers that every page may. */
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

/** Null origins: no header is sent, so that browsers refuse. Keys travel in headers, and no cookie is read: credentials stay off. */
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
      // A star would not stand for `authorization` (https://fetch.spec.whatwg.org/#http-access-control-allow-headers).
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
