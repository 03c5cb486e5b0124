// The rows of /console: an entry page that is never cached, and hashed files that never change.
import { GatewayError } from "../../canonical/error.ts";
import type { ErrorFormat, HandlerContext, HandlerEndpoint, KeyRule } from "../endpoint.ts";
import { pathOf } from "../target.ts";
import { type BundleReader, bundleReader, type ConsoleBundle } from "./bundle.ts";

const policy = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  vary: "Accept-Encoding",
} as const;

/** Relative, because a proxy may serve the gateway under a prefix that it does not pass on. */
function folderOf(path: string): string {
  const depth = path.split("/").length - 2;
  return depth === 0 ? "console/" : "../".repeat(depth - 1);
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Turnpike</title>
<h1>The console is not built</h1>
<p>Run <code>npm ci &amp;&amp; npm run build:console</code> and reload this page.</p>
</html>
`;

function pageOf({ entry, style, icon, digest }: ConsoleBundle, path: string): string {
  const folder = `${folderOf(path)}assets`;
  return `<!doctype html>
<html lang="en" data-build="${digest}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Turnpike</title>
<link rel="icon" href="${folder}/${icon}">
<link rel="stylesheet" href="${folder}/${style}">
<script type="module" src="${folder}/${entry}"></script>
<div id="root"></div>
<noscript>The console needs JavaScript. Everything it shows is also in the admin API.</noscript>
</html>
`;
}

function tagOf(text: string): string {
  return `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

const isUnchanged = (request: Request, tag: string): boolean =>
  request.headers
    .get("if-none-match")
    ?.split(",")
    .some((each) => each.trim().replace(/^W\//, "") === tag) ?? false;

async function entryPage(read: BundleReader, { request, requestId }: HandlerContext): Promise<Response> {
  const bundle = await read();
  const text = bundle === null ? notBuilt : pageOf(bundle, pathOf(request.url));
  const tag = tagOf(text);
  const own = { ...headers, "cache-control": "no-cache", etag: tag, "x-request-id": requestId };
  if (isUnchanged(request, tag)) return new Response(null, { status: 304, headers: own });
  return new Response(text, { headers: { ...own, "content-type": "text/html; charset=utf-8" } });
}

function accepts(request: Request, encoding: string): boolean {
  const given = request.headers.get("accept-encoding") ?? "";
  return given.split(",").some((each) => {
    const [name = "", weight = ""] = each.split(";");
    return name.trim() === encoding && !/^\s*q=0(?:\.0*)?\s*$/.test(weight);
  });
}

async function asset(read: BundleReader, { request, requestId, params }: HandlerContext): Promise<Response> {
  const file = (await read())?.files.get(params.file ?? "");
  if (file === undefined) throw new GatewayError("not_found", "This file is not part of the console.");
  // The name has the hash of the content.
  const tag = `"${params.file}"`;
  const cached = { "cache-control": "public, max-age=31536000, immutable", etag: tag };
  const own = { ...headers, ...cached, "content-type": file.type, "x-request-id": requestId };
  if (isUnchanged(request, tag)) return new Response(null, { status: 304, headers: own });
  if (accepts(request, "br")) return new Response(file.br, { headers: { ...own, "content-encoding": "br" } });
  if (accepts(request, "gzip")) return new Response(file.gzip, { headers: { ...own, "content-encoding": "gzip" } });
  return new Response(Bun.gunzipSync(file.gzip), { headers: own });
}

const open: KeyRule = { key: "none" };

/** Every row of the console. The files contain nothing about the configuration: the pages ask the admin API. */
export function consoleEndpoints(format: ErrorFormat, read = bundleReader()): readonly HandlerEndpoint[] {
  const row = (path: string, operationId: string, summary: string) =>
    ({ kind: "plain", method: "GET", path, operationId, summary, tag: "Admin", access: open, ...format }) as const;
  const page = (context: HandlerContext) => entryPage(read, context);
  const replyTypes = ["text/html"];
  return [
    { ...row("/console", "console", "The web console."), replyTypes, handle: page },
    { ...row("/console/", "consoleFolder", "The web console."), replyTypes, handle: page },
    {
      ...row("/console/assets/{file...}", "consoleFile", "A script or style of the web console."),
      replyTypes: ["text/javascript"],
      handle: (context) => asset(read, context),
    },
    { ...row("/console/{page...}", "consolePage", "A page of the web console."), replyTypes, handle: page },
  ];
}
