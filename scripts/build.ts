// Builds one self-contained executable, dist/turnpike or the path that is given. It reads no .env and no bunfig.toml from where it is started.
import { mkdirSync } from "node:fs";
import "./console.ts";

mkdirSync("dist", { recursive: true });
/** With bytecode, in parts that are loaded when they are needed, the executable starts in less than half the time. */
const fastStart = ["--bytecode", "--splitting", "--format=esm"];
const noFiles = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"];
const flags = ["--compile", "--minify", "--root=.", ...fastStart, ...noFiles];
const entries = [
  "src/main.ts",
  "src/gateway/bodies/body-worker.ts",
  "src/gateway/end-users/erase-worker.ts",
  "src/gateway/ledger/integrity-worker.ts",
  "src/gateway/ledger/checkpoint-worker.ts",
  "src/gateway/ledger/reader-worker.ts",
  "src/gateway/ledger/reprice-worker.ts",
  "src/lib/body-worker.ts",
  "src/providers/sandbox/worker.ts",
  "src/providers/token-counter/worker-cl100k.ts",
  "src/providers/token-counter/worker-o200k.ts",
  // Embedded as it is.
  "dist/console.bundle",
];
const child = Bun.spawnSync(
  [process.execPath, "build", ...flags, ...entries, "--outfile", process.argv[2] ?? "dist/turnpike"],
  {
    stdio: ["inherit", "inherit", "inherit"],
  },
);
process.exit(child.exitCode);
