// What axe calls serious or critical on a page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

export const axePath = join(import.meta.dir, "..", "..", "node_modules", "axe-core", "axe.min.js");

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

export async function seriousFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(readFileSync(axePath, "utf8"));
  const { violations } = (await page.evaluate("axe.run()")) as { violations: readonly Finding[] };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
}
