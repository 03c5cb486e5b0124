// `turnpike completions`: what the real shells offer, and that the table of commands is all that they need.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { place } from "./command.ts";

const here = place();
afterAll(() => here.remove());

const rows: [line: string, offered: string[]][] = [
  ["usa", ["usage"]],
  ["config ", ["check", "plan", "print", "schema", "--help"]],
  ["usage --by ", ["model", "key", "day", "hour", "provider", "project", "operation", "end-user"]],
  ["usage --json --by m", ["model"]],
  ["usage --since 2026-01-01 --unt", ["--until"]],
  ["routes explain my-model --oper", ["--operation"]],
  ["connect claude-c", ["claude-code"]],
  ["connect codex --wr", ["--write"]],
  ["users create a@example.com --role d", ["developer"]],
  ["completions z", ["zsh"]],
];

async function outputOf(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", cwd: here.folder });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(err).toBe("");
  return out.trim();
}

const scriptOf = (shell: string) => join(here.folder, `completions.${shell}`);

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, out, err } = await here.run(["completions", shell]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    writeFileSync(scriptOf(shell), out);
  }
});

/** Bash has the function that it was given for the command fill COMPREPLY, as the shell itself does. */
const bash = (line: string) => `source ${scriptOf("bash")}
complete -p turnpike | grep -q -- '-F _turnpike' || exit 1
COMP_WORDS=(turnpike ${line.endsWith(" ") ? `${line}''` : line}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
_turnpike && printf '%s\\n' "\${COMPREPLY[@]}"`;

test.each(rows)("bash: turnpike %s", async (line, offered) => {
  expect((await outputOf(["bash", "--norc", "-c", bash(line)])).split("\n")).toEqual(offered);
});

describe.skipIf(Bun.which("fish") === null)("fish", () => {
  test.each(rows)("turnpike %s", async (line, offered) => {
    const program = `source ${scriptOf("fish")}; complete -C "turnpike ${line}"`;
    const out = await outputOf(["fish", "--no-config", "-c", program]);
    // Fish offers options only where a dash was typed; its order is its own.
    const wanted = offered.filter((word) => line.endsWith(" ") === false || !word.startsWith("-"));
    expect(out.split("\n").map((row) => row.split("\t")[0] ?? "")).toEqual(expect.arrayContaining(wanted));
  });
});

describe.skipIf(Bun.which("zsh") === null)("zsh", () => {
  test.each(rows)("turnpike %s", async (line, offered) => {
    const words = line.split(" ").slice(0, -1).join(" ");
    const program = `source ${scriptOf("zsh")}; _turnpike_words "$(_turnpike_path ${words})"`;
    const out = await outputOf(["zsh", "-f", "-c", program]);
    expect(out.split(" ")).toEqual(expect.arrayContaining(offered));
  });
});

test("every command has help and, but for the gateway itself, --json", async () => {
  const { out } = await here.run(["completions", "--json"]);
  const table: { words: string; candidates: { word: string }[] }[] = JSON.parse(out);
  const wordsOf = (words: string) => table.find((row) => row.words === words)?.candidates.map(({ word }) => word) ?? [];
  const isLeaf = (words: string) =>
    wordsOf(words).every((word) => word.startsWith("-") || !table.some((row) => row.words === `${words} ${word}`));
  const commands = table
    .map(({ words }) => words)
    .filter((words) => words !== "" && !words.includes("--") && isLeaf(words));
  expect(commands).toContain("routes explain");
  expect(commands.filter((words) => !wordsOf(words).includes("--help"))).toEqual([]);
  // Commands that change one key or project print a sentence.
  const printsData = (words: string) => !/^(?:keys|projects) (?!create|list)/.test(words);
  expect(commands.filter((words) => printsData(words) && !wordsOf(words).includes("--json"))).toEqual(["serve"]);
});

test("an unknown shell is refused", async () => {
  expect(await here.run(["completions", "tcsh"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("bash|zsh|fish"),
  });
});
