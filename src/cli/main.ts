// The command line: selects the command, and maps its result to the exit code.
import { version } from "../../package.json";
import { backupCommand } from "./backup.ts";
import { completionsCommand } from "./completions.ts";
import { configCommand } from "./config.ts";
import { connectCommand } from "./connect.ts";
import { consoleCommand } from "./console.ts";
import { doctorCommand } from "./doctor.ts";
import { endUsersCommand } from "./end-users.ts";
import { healthCommand } from "./health.ts";
import { keysCommand } from "./keys.ts";
import { modelsCommand, providersCommand, routesCommand } from "./models.ts";
import { type Command, helpOf, parseCommonFields, runCommand, UsageError } from "./options.ts";
import { pricesCommand } from "./prices.ts";
import { jsonText } from "./print.ts";
import { projectsCommand } from "./projects.ts";
import { reconcileCommand } from "./reconcile.ts";
import { requestsCommand } from "./requests.ts";
import { usageCommand } from "./usage.ts";
import { usersCommand } from "./users.ts";
import { webhooksCommand } from "./webhooks.ts";

const printVersion = (): void => console.log(version);

const root: Command = {
  usage: "turnpike",
  summary: "one address and one key in front of every AI model",
  commands: {
    serve: {
      usage: "turnpike",
      summary: "start the gateway",
      run: async (words) => {
        parseCommonFields(words, {});
        // Half of the code: other commands start sooner without it.
        const { serve } = await import("./serve.ts");
        await serve();
      },
    },
    keys: keysCommand,
    projects: projectsCommand,
    prices: pricesCommand,
    requests: requestsCommand,
    "end-users": endUsersCommand,
    users: usersCommand,
    usage: usageCommand,
    reconcile: reconcileCommand,
    webhooks: webhooksCommand,
    models: modelsCommand,
    providers: providersCommand,
    routes: routesCommand,
    config: configCommand,
    connect: connectCommand,
    console: consoleCommand,
    doctor: doctorCommand,
    health: healthCommand,
    backup: backupCommand,
    completions: completionsCommand(() => root),
    version: {
      usage: "turnpike version",
      summary: "print the version",
      options: { "--json": "print JSON" },
      run(words) {
        const { values } = parseCommonFields(words, { json: { type: "boolean" } } as const);
        if (values.json) console.log(jsonText({ version }));
        else printVersion();
      },
    },
  },
};

/** The help text: every command in one line. */
function help(): string {
  const leaves = (command: Command): Command[] =>
    command.run === undefined ? Object.values(command.commands ?? {}).flatMap(leaves) : [command];
  const all = { ...root, commands: Object.fromEntries(leaves(root).map((leaf) => [leaf.usage, leaf])) };
  return [
    helpOf(all),
    "",
    "Add --help to a command for its options.",
    "Settings come from the environment and from turnpike.yaml: see docs/configuration.md.",
  ].join("\n");
}

/** How long what a command has left open may keep its process alive. */
const lingerMs = 1_000;

/**
 * A process without anything to do ends by itself. A connection that is still being opened, which the runtime cannot cancel,
 * would keep it alive for minutes.
 */
function endSoon(): void {
  const exit = (): void => process.exit(process.exitCode ?? 0);
  setTimeout(() => process.stdout.write("", exit), lingerMs).unref();
}

/** Runs one command. A failure is one sentence on standard error and exit code 1; invalid arguments exit with 2. */
export async function run(words: readonly string[]): Promise<void> {
  const [first = "serve", ...others] = words;
  if (first === "--version" || first === "-v") return printVersion();
  if (first === "--help" || first === "-h" || (first === "help" && others.length === 0)) return console.log(help());
  const commandWords = first === "help" ? [...others, "--help"] : [first, ...others];
  try {
    await runCommand(root, commandWords, (text) => console.log(text));
    if (commandWords[0] !== "serve") endSoon();
  } catch (thrown) {
    console.error(`turnpike: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    process.exit(thrown instanceof UsageError ? 2 : 1);
  }
}
