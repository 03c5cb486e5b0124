// The page that reads the OpenAPI document to a person. It holds no data itself: it fetches the document with the reader's key.
import page from "./docs.html" with { type: "text" };
import type { PlainVisit } from "./endpoint.ts";

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** `GET /docs`. */
export function docsPage({ requestId }: Pick<PlainVisit, "requestId">): Response {
  return new Response(String(page), { headers: { ...headers, "x-request-id": requestId } });
}

/** The same page for a browser that has no key yet: it asks for one. */
export function docsSignIn({ requestId }: Pick<PlainVisit, "requestId">): Response {
  const answer = docsPage({ requestId });
  answer.headers.set("www-authenticate", "Bearer");
  return new Response(answer.body, { status: 401, headers: answer.headers });
}
