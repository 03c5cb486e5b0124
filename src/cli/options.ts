// Parses the command line: options by table, help for every command, and one error for invalid arguments.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { didYouMean } from "../config/suggest.ts";

/** Invalid arguments: exit code 2. */
export class UsageError extends Error {}

export type Run = (words: readonly string[]) => Promise<void> | void;

/** One command: its usage line, its summary, and its function or its subcommands. */
export interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly options?: Readonly<Record<string, string>>;
  /** The values of an argument that has a list of them, for completions. */
  readonly choices?: readonly string[];
  readonly run?: Run;
  readonly commands?: Readonly<Record<string, Command>>;
}

const isHelp = (word: string | undefined): boolean => word === "--help" || word === "-h" || word === "help";

/** The values of options and the positional arguments. Throws UsageError for an unknown option. */
export function parseCommonFields<Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: Options,
  mostPositionals = 0,
) {
  try {
    const parsed = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
    const extra = parsed.positionals[mostPositionals];
    if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra}'.`);
    return parsed;
  } catch (thrown) {
    if (thrown instanceof UsageError || !(thrown instanceof TypeError)) throw thrown;
    throw new UsageError(optionFault(thrown.message, Object.keys(options)));
  }
}

/** The runtime's error for an option, in one sentence. */
function optionFault(message: string, names: readonly string[]): string {
  const option = /'(?:-\w, )?(--?[^\s'=]+)/.exec(message)?.[1] ?? "";
  if (message.startsWith("Unknown option")) {
    const known = names.map((name) => `--${name}`);
    const shortened = known.find((name) => name.startsWith(`${option}-`));
    const suggestion = shortened === undefined ? didYouMean(option, known) : `. Did you mean '${shortened}'?`;
    return `Unknown option '${option}'${suggestion || ". Add --help for the options."}`;
  }
  if (message.includes("does not take an argument")) return `Option '${option}' does not accept a value.`;
  return `Option '${option}' needs a value.`;
}

/** The help text of a command and its subcommands. */
export function helpOf({ usage, summary, options = {}, commands = {} }: Command): string {
  const rows = [...Object.values(commands).map((inner) => [inner.usage, inner.summary]), ...Object.entries(options)];
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  const list = rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`);
  return [`${usage}: ${summary}`, ...(list.length === 0 ? [] : ["", ...list])].join("\n");
}

/** Runs the command that the arguments name, or prints its help on request. */
export async function runCommand(
  command: Command,
  words: readonly string[],
  print: (text: string) => void,
): Promise<void> {
  const [first, ...others] = words;
  const inner = first === undefined ? undefined : command.commands?.[first];
  if (inner !== undefined) return await runCommand(inner, others, print);
  if (words.some(isHelp)) return print(helpOf(command));
  if (command.run !== undefined) return await command.run(words);
  const names = Object.keys(command.commands ?? {});
  if (first === undefined) throw new UsageError(`Missing subcommand. Usage: ${command.usage} ${names.join("|")}.`);
  const suggestion = didYouMean(first, names) || `. Use one of: ${names.join(", ")}.`;
  throw new UsageError(`Unknown command '${first}'${suggestion}`);
}
