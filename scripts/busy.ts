// Runs `npm test` while the machine is busy with other work: eight endless loops at the same time, three rounds by default. `npm run test:busy -- 1 test/lib` is one round of some tests.
import { cpus } from "node:os";

const loops = 8;
const [count = "3", ...paths] = process.argv.slice(2);
const rounds = Number(count);
const repository = `${import.meta.dir}/..`;

/** Ends by itself where this process was killed. */
const loop = "const parent = process.ppid; while (process.ppid === parent) for (let n = 0; n < 1e8; n++);";

const spinning = Array.from({ length: loops }, () =>
  Bun.spawn([process.execPath, "-e", loop], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }),
);
process.on("exit", () => {
  for (const child of spinning) child.kill("SIGKILL");
});
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const ends: string[] = [];
let failed = false;
for (let round = 1; round <= rounds; round++) {
  console.log(`== round ${round} of ${rounds}, ${loops} busy loops on ${cpus().length} cores`);
  const startMs = performance.now();
  const check = Bun.spawn([process.execPath, "scripts/check.ts", ...paths], {
    cwd: repository,
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  for await (const chunk of check.stdout.pipeThrough(new TextDecoderStream())) {
    process.stdout.write(chunk);
    text += chunk;
  }
  failed ||= (await check.exited) !== 0;
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  ends.push(`round ${round}: ${text.trimEnd().split("\n").at(-1)} (${seconds} s)`);
}
console.log(`\n${ends.join("\n")}`);
process.exit(failed ? 1 : 0);
