// `npm run bench`: measures Turnpike beside its peers and prints, or writes, the page that says how it went.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readOptions } from "./options.ts";
import { report } from "./report.ts";
import { run } from "./run.ts";

const page = join(import.meta.dir, "../docs/performance.md");

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

process.on("uncaughtException", (cause) => {
  console.error(cause.message);
  process.exit(1);
});

const words = process.argv.slice(2);
const options = readOptions(words);
const command = ["npm run bench", ...(words.length > 0 ? ["--", ...words] : [])].join(" ");
const results = await run(options, command, (line) => console.error(line));
console.log(options.json ? JSON.stringify(results, undefined, 2) : report(results));
if (options.write) {
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, report(results));
  console.error("wrote docs/performance.md");
}
