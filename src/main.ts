// The entry: the right environment first, then the command that was asked for.
import { relaunch } from "./runtime-environment.ts";

relaunch();
const { run } = await import("./cli/main.ts");
await run(process.argv.slice(2));
