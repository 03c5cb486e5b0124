// The built console: sizes of what a browser loads, and the headers that its files are served with.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { guideTree } from "../../scripts/guides.ts";
import { sourceFiles } from "../architecture/source.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";

const path = join(import.meta.dir, "..", "..", "dist", "console.bundle");
const isBuilt = existsSync(path);

interface Bundle {
  readonly entries: { readonly console: string; readonly docs: string };
  readonly style: string;
  readonly files: Readonly<Record<string, { readonly br: string }>>;
}

describe.skipIf(!isBuilt)("the built console (skipped: it is not built)", () => {
  const { entries, style, files }: Bundle = isBuilt
    ? JSON.parse(readFileSync(path, "utf8"))
    : { entries: { console: "", docs: "" }, style: "", files: {} };
  const bytesOf = (name: string): number => Buffer.from(files[name]?.br ?? "", "base64").length;
  const textOf = (name: string): string =>
    brotliDecompressSync(Buffer.from(files[name]?.br ?? "", "base64")).toString();

  /** A file with everything that it imports at once. */
  function loadedWith(name: string, found = new Set<string>()): Set<string> {
    if (found.has(name)) return found;
    found.add(name);
    for (const [, other = ""] of textOf(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
      loadedWith(other, found);
    return found;
  }
  const firstOf = (entry: string) => new Set([...loadedWith(entry), style]);
  const first = firstOf(entries.console);
  const docs = firstOf(entries.docs);
  const sum = (names: Iterable<string>): number => [...names].reduce((all, name) => all + bytesOf(name), 0);

  test.each(["console", "docs"] as const)("the first load of %s is at most 130 KB", (name) => {
    const size = sum(firstOf(entries[name]));
    expect(size).toBeGreaterThan(50_000);
    expect(size).toBeLessThanOrEqual(130_000);
  });

  test("the documentation does not load the code of the console, which asks the admin API", () => {
    expect([...docs].filter((name) => textOf(name).includes("/admin/api"))).toEqual([]);
    expect([...first].filter((name) => textOf(name).includes("/admin/api"))).not.toEqual([]);
  });

  test("any further page is at most 60 KB", () => {
    const pages = Object.keys(files).filter((name) => name.endsWith(".js") && !name.startsWith("main-"));
    expect(pages.length).toBeGreaterThan(6);
    const sizes = pages.flatMap((name) => {
      const parts = [...loadedWith(name)];
      // A page belongs to one of the two sets, or to both.
      const entry = parts.some((part) => part === entries.docs) ? docs : first;
      return [[name, sum(parts.filter((each) => !entry.has(each)))] as const];
    });
    expect(sizes.filter(([, size]) => size > 60_000)).toEqual([]);
  });

  test("no file names another host to load from", () => {
    const faults = Object.keys(files).filter((name) => /(?:import|src=|url)\(?["']?https?:\/\//.test(textOf(name)));
    expect(faults).toEqual([]);
  });

  describe("served", () => {
    let running: RunningGateway;
    beforeAll(async () => {
      running = await gateway();
    });
    afterAll(() => running.stop());

    test("the entry page is not cached, and has a strict policy without inline scripts and styles", async () => {
      const answer = await fetch(`${running.url}/console/requests?x=1`);
      const text = await answer.text();
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("no-cache");
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy).toStartWith("default-src 'self';");
      expect(policy).not.toContain("unsafe");
      expect(text).not.toMatch(/<style|<script(?![^>]* src=)| style=/);
      const again = await fetch(`${running.url}/console/requests`, {
        headers: { "if-none-match": answer.headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
    });

    test.each([
      ...["/console", "/console/", "/console/keys", "/console/keys/x"],
      ...["/docs", "/docs/", "/docs/api/createMessage", "/docs/guides/limits"],
    ])("%s leads to its files by a relative path", async (page) => {
      const site = page.startsWith("/docs") ? "docs" : "console";
      const text = await (await fetch(running.url + page, { headers: { accept: "text/html" } })).text();
      const source = /src="([^"]+)"/.exec(text)?.[1] ?? "";
      const file = `/${site}/assets/${entries[site]}`;
      expect(new URL(source, running.url + page).pathname).toBe(file);
      expect(new URL(source, `https://example.com/prefix${page}`).pathname).toBe(`/prefix${file}`);
      expect((await fetch(running.url + file)).status).toBe(200);
    });

    test.each([
      ["br", "br"],
      ["gzip", "gzip"],
      ["br;q=0, gzip", "gzip"],
      ["identity", null],
    ])("files never change, and are compressed beforehand: %s", async (accepted, encoding) => {
      const init = { headers: { "accept-encoding": accepted }, decompress: false };
      const answer = await fetch(`${running.url}/console/assets/${style}`, init);
      expect(answer.headers.get("content-encoding")).toBe(encoding);
      expect(answer.headers.get("cache-control")).toContain("immutable");
      expect(answer.headers.get("content-type")).toBe("text/css; charset=utf-8");
      expect((await answer.bytes()).length).toBeGreaterThan(1_000);
    });

    test("a file that is gone is 404", async () => {
      expect((await fetch(`${running.url}/console/assets/main-gone.js`)).status).toBe(404);
    });
  });
});

test("guides have no HTML of their texts, and link only to guides, to their parts and to the web", () => {
  const tree = guideTree(
    "# A\n<script>x</script>\n\n[a](javascript:x) [b](limits.md#c) [d](../src/app.ts) [e](https://example.com) ![f](g.png)",
  );
  expect(tree).toEqual([
    { tag: "h1", id: "a", children: ["A"] },
    { tag: "p", children: ["<script>x</script>"] },
    {
      tag: "p",
      children: [
        "a ",
        { tag: "a", href: "guide:limits#c", children: ["b"] },
        " d ",
        { tag: "a", href: "https://example.com", children: ["e"] },
        " ",
      ],
    },
  ]);
});

test("the pages import types of the server and nothing else of it, and nothing of the server imports them", () => {
  const pages = sourceFiles("console");
  const outside = pages.flatMap((file) =>
    file.valueImports.filter((target) => !target.startsWith("console/")).map((target) => `${file.path} ${target}`),
  );
  const inward = sourceFiles("src").flatMap((file) =>
    file.imports.filter((target) => target.startsWith("console/")).map((target) => `${file.path} ${target}`),
  );
  const packages = sourceFiles("src").flatMap(({ path: name, text }) =>
    /from "(?:react|@tanstack|@radix-ui|lucide-react|uplot)/.test(text) ? [name] : [],
  );
  expect({ outside, inward, packages }).toEqual({ outside: [], inward: [], packages: [] });
});

/** One file has every text; types are generated. */
const unlimited = ["console/src/texts.ts", "console/src/data/served.ts"];

test("the pages have no HTML from texts, and no long files", () => {
  const pages = sourceFiles("console");
  expect(
    pages.filter(({ text }) => /dangerouslySetInnerHTML|innerHTML/.test(text)).map(({ path: name }) => name),
  ).toEqual([]);
  expect(
    pages.filter(({ lines, path: name }) => lines > 300 && !unlimited.includes(name)).map(({ path: name }) => name),
  ).toEqual([]);
});
