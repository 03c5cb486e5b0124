// Consistent copies of SQLite files while another process writes them.
import { Database } from "bun:sqlite";
import { chmodSync } from "node:fs";

const fileMode = 0o600;

/** Copies a database as of one moment, without its free pages. Throws if the copy is damaged; `to` must not exist. */
export function copyDatabase(from: string, to: string): void {
  const source = new Database(from, { readonly: true });
  try {
    source.query("vacuum into ?").run(to);
  } finally {
    source.close();
  }
  chmodSync(to, fileMode);
  const copy = new Database(to, { readonly: true });
  try {
    const [row] = copy.query("pragma quick_check").values();
    if (row?.[0] !== "ok") throw new Error(`The copy ${to} is damaged: ${String(row?.[0])}.`);
  } finally {
    copy.close();
  }
}
