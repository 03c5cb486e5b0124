// Pages that load themselves again: after an upgrade, whose files have other names, and while they are developed.
import { texts } from "../texts.ts";

const name = "turnpike.reloaded";
const build = document.documentElement.dataset["build"] ?? "";

/** The builds from which this tab was reloaded, so that two instances with different builds cannot make it loop. */
function reloadedFrom(): readonly string[] {
  return (sessionStorage.getItem(name) ?? "").split(" ").filter((each) => each !== "");
}

/** The import, or a reload if its file is missing. It fails where a reload did not help. */
export function withReload<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return () =>
    load().catch((cause: unknown) => {
      const before = reloadedFrom();
      if (before.includes(build)) throw new Error(texts.common.partMissing, { cause });
      // A bounded list: a tab that was open through many upgrades.
      sessionStorage.setItem(name, [...before, build].slice(-20).join(" "));
      location.reload();
      return new Promise<never>(() => undefined);
    });
}

/** True in the builds of `npm run dev`. */
declare const IS_WATCHED: boolean;

/** While pages are developed: an open page is loaded again after each build. */
export function followBuilds(): void {
  if (!IS_WATCHED) return;
  const look = async (): Promise<void> => {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
    const found = /data-build="(\w+)"/.exec((await answer?.text()) ?? "")?.[1];
    if (found !== undefined && found !== build) location.reload();
  };
  setInterval(() => void look(), 1_000);
}
