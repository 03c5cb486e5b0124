// A page that was opened before an upgrade names files that are gone: it loads itself again, once for each build.
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
