// The entry point: ensures the right environment, then runs the command.
import { relaunch } from "./runtime-environment.ts";

relaunch();
const { run } = await import("./cli/main.ts");
await run(process.argv.slice(2));
