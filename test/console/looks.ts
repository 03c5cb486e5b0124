// What axe and the width of the screen find wrong with a page as it is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

export const axePath = join(import.meta.dir, "..", "..", "node_modules", "axe-core", "axe.min.js");

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe calls serious or critical, and whether the page is wider than the screen. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  await page.evaluate(readFileSync(axePath, "utf8"));
  const { violations } = (await page.evaluate("axe.run()")) as { violations: readonly Finding[] };
  const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  const found = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
  return [...(isTooWide ? ["wider than the screen"] : []), ...found].map((fault) => `${page.url()}: ${fault}`);
}

/** A picture for someone to look at, where the variable names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.TEST_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
