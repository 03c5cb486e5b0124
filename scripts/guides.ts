// The guides of /docs: Markdown of this repository as trees of plain values, and the words by which they are found.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const repository = join(import.meta.dir, "..");

/** An element with its children; text is a string. Attributes are only those that a guide needs. */
export type GuideNode =
  | string
  | {
      readonly tag: string;
      readonly children: readonly GuideNode[];
      readonly id?: string;
      readonly href?: string;
      readonly start?: number;
    };

/** In the order in which they are listed. */
const groups: readonly (readonly [string, readonly string[]])[] = [
  ["Use", ["README.md", "docs/console.md", "docs/limits.md", "docs/billing.md", "docs/conformance.md"]],
  ["Configure", ["docs/configuration.md", "docs/routing.md", "docs/admin-api.md"]],
  ["Operate", ["operating", "deployment", "reliability", "observability", "metrics"].map((name) => `docs/${name}.md`)],
];

/** Sections of the README for those who work on the source. */
const leftOut = /^## (?:Commands|Documentation)\n[\s\S]*?(?=^## |^Licence|$(?![\s\S]))/gm;

const nameOf = (path: string): string => (path === "README.md" ? "start" : basename(path, ".md"));
const sources = groups.flatMap(([, paths]) => paths.map((path) => ({ name: nameOf(path), path })));

/** Files that a build of the guides reads. */
export const guideFiles = sources.map(({ path }) => join(repository, path));

const tags = new Set(
  "h1 h2 h3 h4 p a code pre strong em del ul ol li table thead tbody tr th td blockquote hr br".split(" "),
);

/** To another guide, to a part of this one or to the web; null for a file of the repository. */
function targetOf(href: string): string | null {
  if (/^https?:\/\//.test(href) || href.startsWith("#")) return href;
  const [path = "", hash] = href.split("#");
  const guide = sources.find((each) => basename(each.path) === basename(path) && !path.includes("decisions"));
  return guide === undefined ? null : `guide:${guide.name}${hash === undefined ? "" : `#${hash}`}`;
}

interface Element {
  readonly type: unknown;
  readonly props: Readonly<Record<string, unknown>>;
}

const isElement = (value: unknown): value is Element => typeof value === "object" && value !== null && "props" in value;

function merged(nodes: readonly GuideNode[]): readonly GuideNode[] {
  return nodes.reduce<GuideNode[]>((all, node) => {
    const last = all.at(-1);
    if (typeof node === "string" && typeof last === "string") all[all.length - 1] = last + node;
    else all.push(node);
    return all;
  }, []);
}

/** Only known elements: everything else is its text. */
function nodesOf(value: unknown): readonly GuideNode[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return merged(value.flatMap(nodesOf));
  if (!isElement(value)) return [];
  const { children, id, href, start } = value.props;
  const inner = nodesOf(children);
  if (typeof value.type !== "string" || !tags.has(value.type)) return inner;
  if (value.type !== "a")
    return [
      {
        tag: value.type,
        children: inner,
        ...(id ? { id: String(id) } : {}),
        ...(start ? { start: Number(start) } : {}),
      },
    ];
  const target = targetOf(String(href));
  return target === null ? inner : [{ tag: "a", children: inner, href: target }];
}

/** The tree of a Markdown text; HTML within it is text. */
export function guideTree(markdown: string): readonly GuideNode[] {
  const options = { noHtmlBlocks: true, noHtmlSpans: true, headings: { ids: true } };
  return nodesOf(Bun.markdown.react(markdown, undefined, options));
}

const textOf = (node: GuideNode): string => (typeof node === "string" ? node : node.children.map(textOf).join(" "));

export interface GuideSection {
  readonly guide: string;
  readonly id: string;
  readonly title: string;
  /** Each word once, in lower case. */
  readonly words: string;
}

/** What search reads: a row for each heading, with the words below it. */
export function sectionsOf(guide: string, tree: readonly GuideNode[]): readonly GuideSection[] {
  const parts: { id: string; title: string; texts: string[] }[] = [];
  for (const node of tree) {
    const text = textOf(node);
    if (typeof node !== "string" && /^h[1-4]$/.test(node.tag))
      parts.push({ id: node.id ?? "", title: text, texts: [] });
    else parts.at(-1)?.texts.push(text);
  }
  return parts.map(({ id, title, texts }) => {
    const words =
      texts
        .join(" ")
        .toLowerCase()
        .match(/[a-z_][\w.-]{2,40}/g) ?? [];
    return { guide, id, title, words: [...new Set(words.map((word) => word.replace(/[.-]+$/, "")))].join(" ") };
  });
}

function readGuides() {
  return sources.map(({ name, path }) => {
    const text = readFileSync(join(repository, path), "utf8");
    const tree = guideTree(path === "README.md" ? text.replace(leftOut, "") : text);
    const first = tree.find((node) => typeof node !== "string" && node.tag === "h1");
    return {
      name,
      path,
      tree,
      title: name === "start" ? "Getting started" : first === undefined ? name : textOf(first),
    };
  });
}

const module = (value: unknown): string => `export default ${JSON.stringify(value)};`;

/** Gives the pages `guides:list`, `guides:search` and a module for each guide. */
export const guidesPlugin: Bun.BunPlugin = {
  name: "guides",
  setup(builder) {
    const guides = readGuides();
    const rows = groups.map(([title, paths]) => {
      const own = guides.filter(({ path }) => paths.includes(path));
      const entries = own.map(
        (guide) =>
          `{name:${JSON.stringify(guide.name)},title:${JSON.stringify(guide.title)},load:()=>import("guide:${guide.name}")}`,
      );
      return `{title:${JSON.stringify(title)},guides:[${entries.join(",")}]}`;
    });
    const modules = new Map([
      ["guides-list", `export default [${rows.join(",")}];`],
      ["guides-search", module(guides.flatMap(({ name, tree }) => sectionsOf(name, tree)))],
      ...guides.map(({ name, tree }) => [`guide-${name}`, module(tree)] as const),
    ]);
    builder.onResolve({ filter: /^guides?:/ }, ({ path }) => ({ path: path.replace(":", "-"), namespace: "guides" }));
    builder.onLoad({ filter: /.*/, namespace: "guides" }, ({ path }) => ({
      contents: modules.get(path) ?? "",
      loader: "js",
    }));
  },
};
