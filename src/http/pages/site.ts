// What /console and /docs have in common: an entry page that is never cached, and hashed files that never change.
import { GatewayError } from "../../canonical/error.ts";
import { accepts } from "../compress.ts";
import type { HandlerContext } from "../endpoint.ts";
import { pathOf } from "../target.ts";
import type { BundleReader, ConsoleBundle } from "./bundle.ts";

/** One of the two sets of pages. */
export interface Site {
  /** The first segment of its paths, and the name of its script in the bundle. */
  readonly name: "console" | "docs";
  readonly title: string;
  readonly policy: readonly string[];
  /** The pages read their data without a key. */
  readonly needsNoKey?: boolean;
  /** For a browser without JavaScript, and for a gateway whose pages are not built: HTML. */
  readonly noScript: string;
  readonly notBuilt: string;
}

type Visit = Pick<HandlerContext, "request" | "requestId">;

const headersOf = ({ policy }: Site, requestId: string) => ({
  "content-security-policy": policy.join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  vary: "Accept-Encoding",
  "x-request-id": requestId,
});

/** Relative, because a proxy may serve the gateway under a prefix that it does not pass on. */
function folderOf({ name }: Site, path: string): string {
  const depth = path.split("/").length - 2;
  return depth === 0 ? `${name}/` : "../".repeat(depth - 1);
}

function pageNotBuilt({ title, notBuilt }: Site): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<h1>This page is not built</h1>
<p>Run <code>npm ci &amp;&amp; npm run build:console</code> and reload this page. ${notBuilt}</p>
</html>
`;
}

function pageOf({ entries, style, icon, digest }: ConsoleBundle, site: Site, path: string): string {
  const folder = `${folderOf(site, path)}assets`;
  return `<!doctype html>
<html lang="en" data-build="${digest}"${site.needsNoKey ? ' data-key="none"' : ""}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${site.title}</title>
<link rel="icon" href="${folder}/${icon}">
<link rel="stylesheet" href="${folder}/${style}">
<script type="module" src="${folder}/${entries[site.name]}"></script>
<div id="root"></div>
<noscript>${site.noScript}</noscript>
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

/** The entry page, for every path of the site. */
export async function entryPage(read: BundleReader, site: Site, { request, requestId }: Visit): Promise<Response> {
  const bundle = await read();
  const text = bundle === null ? pageNotBuilt(site) : pageOf(bundle, site, pathOf(request.url));
  const tag = tagOf(text);
  const own = { ...headersOf(site, requestId), "cache-control": "no-cache", etag: tag };
  if (isUnchanged(request, tag)) return new Response(null, { status: 304, headers: own });
  return new Response(text, { headers: { ...own, "content-type": "text/html; charset=utf-8" } });
}

/** The same page for a browser without a valid key: it asks for one. */
export async function signInPage(read: BundleReader, site: Site, { request, requestId }: Visit): Promise<Response> {
  const page = await entryPage(read, site, { request: new Request(request.url), requestId });
  page.headers.delete("etag");
  page.headers.set("www-authenticate", "Bearer");
  return new Response(page.body, { status: 401, headers: page.headers });
}

/** A script or style of the site. */
export async function asset(read: BundleReader, site: Site, { request, requestId, params }: HandlerContext) {
  const file = (await read())?.files.get(params.file ?? "");
  if (file === undefined) throw new GatewayError("not_found", "This file is not part of the build.");
  // The name has the hash of the content.
  const tag = `"${params.file}"`;
  const cached = { "cache-control": "public, max-age=31536000, immutable", etag: tag };
  const own = { ...headersOf(site, requestId), ...cached, "content-type": file.type };
  if (isUnchanged(request, tag)) return new Response(null, { status: 304, headers: own });
  if (accepts(request, "br")) return new Response(file.br, { headers: { ...own, "content-encoding": "br" } });
  if (accepts(request, "gzip")) return new Response(file.gzip, { headers: { ...own, "content-encoding": "gzip" } });
  return new Response(Bun.gunzipSync(file.gzip), { headers: own });
}
