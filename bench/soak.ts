// `npm run soak`: measures what a gateway does under faults and load, one bar after the other. `-- hung leaving` runs some, `--scale 10` runs longer.
import { lifeChecks } from "./soak/life.ts";
import { trafficChecks } from "./soak/traffic.ts";

const words = process.argv.slice(2);
const at = words.indexOf("--scale");
const scale = at < 0 ? 1 : Number(words.splice(at, 2)[1]);
const checks = [...trafficChecks, ...lifeChecks];
const unknown = words.filter((word) => !checks.some(({ name }) => name === word));
if (unknown.length > 0 || !(scale > 0)) {
  console.error(`Usage: npm run soak -- [--scale N] [${checks.map(({ name }) => name).join("|")}]...`);
  process.exit(2);
}

let missed = 0;
console.log("| Bar | Promise | Measured | |\n|---|---|---|---|");
for (const { name, bar, promise, run } of checks) {
  if (words.length > 0 && !words.includes(name)) continue;
  const { measured, holds } = await run(scale);
  if (!holds) missed++;
  console.log(`| ${bar} \`${name}\` | ${promise} | ${measured} | ${holds ? "holds" : "**missed**"} |`);
}
process.exit(missed > 0 ? 1 : 0);
