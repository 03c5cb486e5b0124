// A guide: the tree that the build made of its Markdown, as elements. No HTML of a text is read.

import groups, { type Guide, type GuideNode } from "guides:list";
import { Link, useParams, useRouterState } from "@tanstack/react-router";
import { createElement, type ReactNode, useEffect, useState } from "react";
import { withReload } from "../shell/reload.ts";
import { Code } from "../ui/basics.tsx";
import { Failure, Skeleton } from "../ui/states.tsx";
import { texts } from "./texts.ts";

const looks: Readonly<Record<string, string>> = {
  h1: "mb-3 font-semibold text-lg",
  h2: "mt-6 mb-2 scroll-mt-2 font-semibold text-base",
  h3: "mt-4 mb-1 scroll-mt-2 font-semibold",
  h4: "mt-3 mb-1 scroll-mt-2 font-medium",
  p: "my-2",
  ul: "my-2 list-disc pl-5",
  ol: "my-2 list-decimal pl-5",
  code: "wrap-anywhere rounded bg-sunken px-1 font-mono text-[0.92em]",
  blockquote: "my-2 border-line border-l-2 pl-3 text-muted",
  table: "w-full",
  th: "border-line border-b py-1.5 pr-4 text-left align-top font-medium",
  td: "min-w-24 border-line border-b py-1.5 pr-4 align-top [&_code]:[overflow-wrap:normal]",
  a: "text-accent underline",
  hr: "my-4 border-line",
};

const textOf = (node: GuideNode): string => (typeof node === "string" ? node : node.children.map(textOf).join(""));

function Anchor({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const [, name, hash] = /^guide:([\w-]+)(?:#(.*))?$/.exec(href) ?? [];
  if (name !== undefined || href.startsWith("#")) {
    const target =
      name === undefined ? { to: "." } : { to: "/guides/$guide" as string, params: { guide: name } as never };
    return (
      <Link {...target} hash={name === undefined ? href.slice(1) : (hash ?? "")} className={looks["a"] ?? ""}>
        {children}
      </Link>
    );
  }
  return (
    <a href={href} rel="noreferrer" className={looks["a"]}>
      {children}
    </a>
  );
}

function shown(node: GuideNode, key: number): ReactNode {
  if (typeof node === "string") return node;
  const { tag, children, id, href, start } = node;
  if (tag === "pre")
    return (
      <Code key={key} label={texts.code}>
        {textOf(node).trimEnd()}
      </Code>
    );
  const inner = children.map(shown);
  if (tag === "a")
    return (
      <Anchor key={key} href={href ?? ""}>
        {inner}
      </Anchor>
    );
  const attributes = { key, id, start, className: looks[tag] };
  if (tag === "hr" || tag === "br") return createElement(tag, attributes);
  const element = createElement(tag, attributes, ...inner);
  return tag === "table" ? <Wide key={key}>{element}</Wide> : element;
}

/** A table that is wider than the page scrolls in itself. */
const Wide = ({ children }: { readonly children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
  <section aria-label="Table" tabIndex={0} className="my-3 overflow-x-auto">
    {children}
  </section>
);

function Contents({ tree }: { readonly tree: readonly GuideNode[] }) {
  const headings = tree.filter((node) => typeof node !== "string" && node.tag === "h2");
  if (headings.length < 3) return null;
  return (
    <ul className="mb-4 flex flex-wrap gap-x-4 gap-y-1 border-line border-b pb-3">
      {headings.map((node) =>
        typeof node === "string" ? null : (
          <li key={node.id}>
            <Anchor href={`#${node.id}`}>{textOf(node)}</Anchor>
          </li>
        ),
      )}
    </ul>
  );
}

function Loaded({ guide }: { readonly guide: Guide }) {
  const [tree, setTree] = useState<readonly GuideNode[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const hash = useRouterState({ select: (state) => state.location.hash });
  useEffect(() => {
    withReload(guide.load)().then((module) => setTree(module.default), setError);
  }, [guide]);
  useEffect(() => {
    if (tree !== null && hash !== "") document.getElementById(hash)?.scrollIntoView();
  }, [tree, hash]);
  useEffect(() => {
    document.title = `${guide.title}: ${texts.title}`;
  }, [guide]);
  if (error !== null) return <Failure error={error} retry={() => location.reload()} />;
  if (tree === null) return <Skeleton />;
  const [first, ...rest] = tree;
  return (
    <article className="max-w-4xl">
      {first === undefined ? null : shown(first, -1)}
      <Contents tree={tree} />
      {rest.map(shown)}
    </article>
  );
}

export default function GuidePage() {
  const { guide: name } = useParams({ strict: false }) as { guide?: string };
  const guide = groups.flatMap(({ guides }) => guides).find((each) => each.name === name);
  if (guide === undefined) return <Failure error={texts.unknownGuide} />;
  return <Loaded key={guide.name} guide={guide} />;
}
