// The rows of /console and /docs. Their files contain nothing about the configuration: the pages request it.
import type { ErrorFormat, HandlerContext, HandlerEndpoint, KeyRule } from "../endpoint.ts";
import type { BundleReader } from "./bundle.ts";
import { asset, entryPage, type Site, signInPage } from "./site.ts";

const onlyOwn = ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"];

const consoleSite: Site = {
  name: "console",
  title: "Turnpike",
  policy: [
    "default-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "form-action 'self'",
    ...onlyOwn,
  ],
  noScript: "The console needs JavaScript. Everything it shows is also in the admin API.",
  notBuilt: "Everything that the console shows is also in the admin API.",
};

const inDocument = "The OpenAPI document at <code>/openapi.json</code> describes every path; it requires a client key.";

const docsSite: Site = {
  name: "docs",
  title: "Turnpike documentation",
  policy: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    ...onlyOwn,
  ],
  noScript: `This page needs JavaScript. ${inDocument}`,
  notBuilt: inDocument,
};

const open: KeyRule = { key: "none" };
const replyTypes = ["text/html"];

const row = (path: string, operationId: string, summary: string, format: ErrorFormat) =>
  ({ kind: "plain", method: "GET", path, operationId, summary, tag: "Gateway", ...format }) as const;

function files(site: Site, format: ErrorFormat, read: BundleReader): HandlerEndpoint {
  const { name } = site;
  const base = row(`/${name}/assets/{file...}`, `${name}File`, "A script or style of these pages.", format);
  const handle = (context: HandlerContext) => asset(read, site, context);
  return { ...base, access: open, replyTypes: ["text/javascript"], handle };
}

/** Every row of the console. */
export function consoleEndpoints(format: ErrorFormat, read: BundleReader): readonly HandlerEndpoint[] {
  const page = {
    access: open,
    replyTypes,
    handle: (context: HandlerContext) => entryPage(read, consoleSite, context),
  };
  return [
    { ...row("/console", "console", "The web console.", format), ...page },
    { ...row("/console/", "consoleFolder", "The web console.", format), ...page },
    files(consoleSite, format, read),
    { ...row("/console/{page...}", "consolePage", "A page of the web console.", format), ...page },
  ];
}

/** `/docs`, which is part of the API, and the rows of its pages and files, which are not. */
export function docsEndpoints(format: ErrorFormat, read: BundleReader, access: KeyRule) {
  const site = { ...docsSite, needsNoKey: access.key === "none" };
  const page = {
    access,
    replyTypes,
    handle: (context: HandlerContext) => entryPage(read, site, context),
    signIn: (visit: Pick<HandlerContext, "request" | "requestId">) => signInPage(read, site, visit),
  };
  const docs: HandlerEndpoint = { ...row("/docs", "docs", "The API reference and the guides.", format), ...page };
  const pages: readonly HandlerEndpoint[] = [
    { ...row("/docs/", "docsFolder", "The API reference and the guides.", format), ...page },
    files(docsSite, format, read),
    { ...row("/docs/{page...}", "docsPage", "A page of the documentation.", format), ...page },
  ];
  return { docs, pages };
}
