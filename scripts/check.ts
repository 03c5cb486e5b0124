// Runs every check of the project: format and lint, types, generated documents, tests; ends with one line that counts.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";

const repository = join(import.meta.dir, "..");

interface Step {
  name: string;
  command: string[];
}

interface Counts {
  passed: number;
  failed: number;
  /** Full names of the skipped tests. */
  skipped: string[];
}

const bun = process.execPath;
/** The runtime's five seconds for a test are too few on a machine that is busy with other work. */
const testTimeout = "--timeout=300000";
const tool = (name: string) => join(repository, "node_modules", ".bin", name);

const steps: Step[] = [
  { name: "format and lint", command: [tool("biome"), "check", "--error-on-warnings"] },
  { name: "types", command: [tool("tsc"), "-p", "."] },
  { name: "types of the console", command: [tool("tsc"), "-p", "console"] },
  ...(existsSync(join(repository, "scripts/docs.ts"))
    ? [{ name: "generated documents", command: [bun, "scripts/docs.ts", "--check"] }]
    : []),
];

/** Runs all steps, whatever fails, and gives the exit code. */
async function check(report: string): Promise<number> {
  const failed: string[] = [];
  for (const step of steps) if ((await run(step)) !== 0) failed.push(step.name);
  const testCommand = [
    bun,
    "test",
    testTimeout,
    // Many tests wait rather than compute, so two processes more than cores.
    `--parallel=${cpus().length + 2}`,
    "--no-isolate",
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...process.argv.slice(2),
  ];
  const testCode = await run({ name: "tests", command: testCommand });
  const tests = readReport(report);
  if (testCode !== 0 && tests.failed === 0) failed.push("tests ended before they had reported");
  for (const name of failed) console.log(`failed: ${name}`);
  for (const name of tests.skipped) console.log(`skipped: ${name}`);
  return summary({
    passed: tests.passed + steps.length - failed.filter((name) => steps.some((step) => step.name === name)).length,
    failed: tests.failed + failed.length,
    skipped: tests.skipped,
  });
}

async function run({ name, command }: Step): Promise<number> {
  console.log(`\n== ${name}`);
  const child = Bun.spawn(command, { cwd: repository, stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  return await child.exited;
}

/** Counts the cases of a JUnit report: a case is failed or skipped when an element inside says so. */
function readReport(path: string): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: [] };
  if (!existsSync(path)) return counts;
  for (const [, attributes = "", inside = ""] of readFileSync(path, "utf8").matchAll(testCase)) {
    if (/<(failure|error)\b/.test(inside)) counts.failed++;
    else if (/<skipped\b/.test(inside)) counts.skipped.push(nameOf(attributes));
    else counts.passed++;
  }
  return counts;
}

const testCase = /<testcase\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

function nameOf(attributes: string): string {
  const read = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
  return [read("classname"), read("name")].filter(Boolean).map(plainText).join(" > ");
}

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&", "#39": "'" };

function plainText(text: string): string {
  return text.replace(/&([\w#]+);/g, (whole, entity: string) => entities[entity] ?? whole);
}

/** Prints the last line and gives the exit code. */
function summary({ passed, failed, skipped }: Counts): number {
  const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : "";
  console.log(`\n${passed} passed, ${failed} failed${tail}`);
  return failed > 0 ? 1 : 0;
}

const folder = mkdtempSync(join(tmpdir(), "turnpike-check-"));
try {
  process.exitCode = await check(join(folder, "junit.xml"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
