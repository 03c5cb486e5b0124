// docs/conformance.md in sections, each made by the suite that observes it: `UPDATE_CONFORMANCE=1` writes them anew.
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const document = join(import.meta.dir, "..", "..", "docs", "conformance.md");

/** Compares a section with the document, or writes it there. */
export function checkConformance(section: string, text: string): void {
  const [start, end] = [`<!-- ${section} -->\n`, `<!-- end of ${section} -->\n`];
  const whole = readFileSync(document, "utf8");
  const [from, to] = [whole.indexOf(start), whole.indexOf(end)];
  const made = `${start}\n${text.trim()}\n\n`;
  if (process.env["UPDATE_CONFORMANCE"] === "1") {
    const before = from < 0 ? `${whole.trimEnd()}\n\n` : whole.slice(0, from);
    writeFileSync(document, `${before}${made}${to < 0 ? end : whole.slice(to)}`);
    return;
  }
  expect(from < 0 ? "" : whole.slice(from, to)).toBe(made);
}
