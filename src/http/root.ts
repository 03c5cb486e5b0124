// `GET /`: describes this server, as a page for browsers and as JSON for other clients.
import { version } from "../../package.json";
import type { HandlerContext } from "./endpoint.ts";
import { writeJson } from "./write.ts";

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Turnpike</title>
<h1>Turnpike</h1>
<p>This is a gateway to AI models. Clients use it with a key.</p>
<ul>
<li><a href="docs">API reference</a> (asks for a key)</li>
<li><a href="openapi.json">OpenAPI document</a> (needs a key)</li>
<li><a href="readyz">Readiness</a></li>
</ul>
</html>
`;

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  vary: "Accept",
} as const;

/** Needs no key, because it contains nothing about the configuration. */
export function root({ request, requestId }: HandlerContext): Response {
  if (request.headers.get("accept")?.includes("text/html"))
    return new Response(page, { headers: { ...pageHeaders, "x-request-id": requestId } });
  const answer = writeJson({ name: "turnpike", version, docs: "docs", openapi: "openapi.json" }, requestId);
  answer.headers.set("vary", "Accept");
  return answer;
}
