// The page that displays the OpenAPI document. It contains no data itself: it requests the document with the reader's
// key.
import type { HandlerContext } from "../endpoint.ts";
import markup from "./page.html" with { type: "text" };
import script from "./page.mjs" with { type: "text" };
import style from "./style.css" with { type: "text" };

const hashOf = (text: string): string => `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`;

const page = String(markup)
  .replace("/*style*/", () => String(style))
  .replace("/*script*/", () => String(script));

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; connect-src 'self'; style-src ${hashOf(String(style))}; script-src ${hashOf(String(script))}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** `GET /docs`. */
export function docsPage({ requestId }: Pick<HandlerContext, "requestId">): Response {
  return new Response(page, { headers: { ...headers, "x-request-id": requestId } });
}

/** The same page for a browser without a key: it asks for one. */
export function docsSignIn({ requestId }: Pick<HandlerContext, "requestId">): Response {
  const answer = docsPage({ requestId });
  answer.headers.set("www-authenticate", "Bearer");
  return new Response(answer.body, { status: 401, headers: answer.headers });
}
