// Runs `npm test` while the machine is busy with other work: eight endless loops beside it, three rounds by default.
import { cpus } from "node:os";

const loops = 8;
const rounds = Number(process.argv[2] ?? 3);
const repository = `${import.meta.dir}/..`;

const spinning = Array.from({ length: loops }, () =>
  Bun.spawn([process.execPath, "-e", "for (;;);"], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }),
);
process.on("exit", () => {
  for (const loop of spinning) loop.kill("SIGKILL");
});
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const ends: string[] = [];
let failed = false;
for (let round = 1; round <= rounds; round++) {
  console.log(`== round ${round} of ${rounds}, ${loops} busy loops on ${cpus().length} cores`);
  const startMs = performance.now();
  const check = Bun.spawn([process.execPath, "scripts/check.ts"], {
    cwd: repository,
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await check.stdout.text();
  process.stdout.write(text);
  failed ||= (await check.exited) !== 0;
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  ends.push(`round ${round}: ${text.trimEnd().split("\n").at(-1)} (${seconds} s)`);
}
console.log(`\n${ends.join("\n")}`);
process.exit(failed ? 1 : 0);
