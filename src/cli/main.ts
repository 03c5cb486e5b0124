// The command line: which command was asked for, and what to say when there is none such.
import { keysCommand } from "./keys.ts";
import { serveCommand } from "./serve.ts";
import { usageCommand } from "./usage.ts";
import { webhooksCommand } from "./webhooks.ts";

const help = `turnpike: one address and one key in front of every AI model

  turnpike                                   start the gateway
  turnpike keys create --name NAME           make a client key and print it once
           [--expires-in-days N]
  turnpike keys list                         every key, without its secret
  turnpike keys revoke NAME-OR-ID            end a key
  turnpike usage [--by model|key|day|provider] [--since YYYY-MM-DD] [--until YYYY-MM-DD] [--key ID]
  turnpike webhooks secret [NAME-OR-ID]      how receivers check the signatures of a key's webhooks
  turnpike help

Settings come from the environment and from turnpike.yaml: see docs/configuration.md.`;

type Command = (words: readonly string[]) => Promise<void> | void;

const commands: { readonly [name: string]: Command } = {
  serve: serveCommand,
  keys: keysCommand,
  usage: usageCommand,
  webhooks: webhooksCommand,
  help: () => console.log(help),
  "--help": () => console.log(help),
  "-h": () => console.log(help),
};

/** Runs one command; a failure is one sentence on standard error and exit code 1, wrong words exit 2. */
export async function run(words: readonly string[]): Promise<void> {
  const command = commands[words[0] ?? "serve"];
  if (command === undefined) {
    console.error(`turnpike: there is no command '${words[0]}'.\n\n${help}`);
    process.exit(2);
  }
  try {
    await command(words.slice(1));
  } catch (thrown) {
    console.error(`turnpike: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    process.exit(1);
  }
}
