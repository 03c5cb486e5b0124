// What axe and the width of the screen find wrong with a page as it is, and pictures of it.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { seriousFaults } from "../support/axe.ts";

/** What axe calls serious or critical, and whether the page is wider than the screen. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  const found = [...(isTooWide ? ["wider than the screen"] : []), ...(await seriousFaults(page))];
  return found.map((fault) => `${page.url()}: ${fault}`);
}

/** A picture for someone to look at, where the variable names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.TEST_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
