// The examples as their readers run them: the configuration is accepted, the programs print what the sandbox answers.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import { readConfiguration } from "../src/config/configuration.ts";
import { readSettings } from "../src/config/environment.ts";
import { gateway } from "./support/gateway.ts";

const root = join(import.meta.dir, "..");
const examples = join(root, "examples");
const running = await gateway();
afterAll(() => running.stop());

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, {
    env: { PATH: process.env["PATH"], TURNPIKE_URL: running.url, TURNPIKE_KEY: running.key },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
  return output;
}

test("the team's configuration has no fault and no warning", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-example-"));
  writeFileSync(join(folder, "turnpike.yaml"), readFileSync(join(examples, "turnpike.yaml")));
  const environment = {
    OPENAI_API_KEY: "sk-example-1",
    ANTHROPIC_API_KEY: "sk-example-2",
    TURNPIKE_KEY_WEBSITE: "tp-example-website",
    TURNPIKE_KEY_JOBS: "tp-example-jobs",
  };
  const { warnings, access } = readConfiguration(readSettings(environment, folder));
  expect(warnings).toEqual([]);
  expect(access.keys.map(({ caller }) => caller.name)).toEqual(["website", "nightly-jobs"]);
  rmSync(folder, { recursive: true });
});

test.skipIf(Bun.which("curl") === null)("the curl line prints a completion", async () => {
  const completion = JSON.parse(await run(["sh", join(examples, "chat.sh")])) as { choices: unknown[] };
  expect(completion.choices).toHaveLength(1);
});

test.skipIf(Bun.which("python3") === null)("the Python program prints the streamed text", async () => {
  const text = (await run(["python3", join(examples, "chat.py")])).trim();
  expect(text.length).toBeGreaterThan(10);
});

test("the agent calls its tool and prints the answer", async () => {
  const text = (await run([process.execPath, join(examples, "tool-agent.ts")])).trim();
  expect(text.length).toBeGreaterThan(0);
});

test("no document runs the name of this package from the registry, where it is not ours", () => {
  const texts = ["README.md", "SECURITY.md", "CONTRIBUTING.md", ...new Glob("{docs,examples}/**/*.md").scanSync(root)];
  const wrong = texts.filter((path) =>
    /\b(?:npx|bunx|npm (?:exec|i|install))\s(?:-\S+\s)*turnpike\b/.test(readFileSync(join(root, path), "utf8")),
  );
  expect(wrong).toEqual([]);
});
