// Runs the gateway for development: it restarts when its source changes, and the console is built anew.
export {};

const [bun, stdio] = [process.execPath, ["inherit", "inherit", "inherit"] as ["inherit", "inherit", "inherit"]];
const builder = Bun.spawn([bun, "scripts/console.ts", "--watch"], { stdio });
const gateway = Bun.spawn([bun, "--watch", "src/main.ts", ...process.argv.slice(2)], {
  stdio,
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => gateway.kill(signal));
process.exitCode = await gateway.exited;
builder.kill();
