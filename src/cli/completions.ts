// `turnpike completions`: shell completion scripts for commands and options, generated from the command table.
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText } from "./print.ts";

/** The possible next words after some words of the command line. */
interface Completion {
  /** The previous words, separated by spaces; empty at the start. */
  readonly words: string;
  readonly candidates: readonly { readonly word: string; readonly summary: string }[];
}

/** `--by model|key` is the option `--by` with these values. */
function optionOf(usage: string): { readonly word: string; readonly values: readonly string[] } {
  const [word = "", value = ""] = usage.split(" ");
  return { word, values: /^[a-z][\w-]*(?:\|[\w-]+)+$/.test(value) ? value.split("|") : [] };
}

/** The rows for a command and everything below it: subcommands, options, and the values of options. */
function completionsOf(words: string, { commands = {}, options = {}, choices = [] }: Command): Completion[] {
  const inner = Object.entries(commands).map(([word, { summary }]) => ({ word, summary }));
  const named = choices.map((word) => ({ word, summary: "" }));
  const own = Object.entries(options).map(([usage, summary]) => ({ ...optionOf(usage), summary }));
  const below = (word: string): string => (words === "" ? word : `${words} ${word}`);
  return [
    { words, candidates: [...inner, ...named, ...own, { word: "--help", summary: "print help" }] },
    ...own.flatMap(({ word, values, summary }) =>
      values.length === 0 ? [] : [{ words: below(word), candidates: values.map((each) => ({ word: each, summary })) }],
    ),
    ...Object.entries(commands).flatMap(([word, command]) => completionsOf(below(word), command)),
  ];
}

const inSingleQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Fish has escapes in single quotes. */
const fishQuotes = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const wordsOf = ({ candidates }: Completion): string => candidates.map(({ word }) => word).join(" ");

/** Options before the cursor are not part of the command, but the last one may have values. */
const pathFunction = `  local path="" word last=""
  for word in "\${words[@]}"; do
    case "$word" in
      -*) last="$word" ;;
      *) last=""; if [ -n "$(_turnpike_words "\${path:+$path }$word")" ]; then path="\${path:+$path }$word"; fi ;;
    esac
  done
  if [ -n "$last" ] && [ -n "$(_turnpike_words "\${path:+$path }$last")" ]; then path="\${path:+$path }$last"; fi`;

const caseFunction = (rows: readonly Completion[]): string =>
  [
    "_turnpike_words() {",
    '  case "$1" in',
    ...rows.map((row) => `    ${inSingleQuotes(row.words)}) echo ${inSingleQuotes(wordsOf(row))} ;;`),
    "  esac",
    "}",
  ].join("\n");

const bash = (
  rows: readonly Completion[],
): string => `# Completions of turnpike for bash: source <(turnpike completions bash)
${caseFunction(rows)}
_turnpike() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${pathFunction}
  COMPREPLY=($(compgen -W "$(_turnpike_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _turnpike turnpike`;

const zsh = (rows: readonly Completion[]): string => `#compdef turnpike
# Completions of turnpike for zsh: source <(turnpike completions zsh)
${caseFunction(rows)}
_turnpike_path() {
  local -a words=("$@")
${pathFunction}
  print -r -- "$path"
}
_turnpike() {
  local -a found
  found=(\${=$(_turnpike_words "$(_turnpike_path "\${(@)words[2,CURRENT-1]}")")})
  compadd -- $found
  _files
}
if (( $+functions[compdef] )); then compdef _turnpike turnpike; fi`;

/** Each word with its condition for fish: the words before the cursor, without options. */
function fish(rows: readonly Completion[]): string {
  const lines = rows.flatMap(({ words, candidates }) =>
    candidates.map(({ word, summary }) => {
      const condition = inSingleQuotes(`_turnpike_at "${words}"`);
      return `complete -c turnpike -f -n ${condition} -a ${inSingleQuotes(word)} -d ${fishQuotes(summary)}`;
    }),
  );
  const known = rows.map(({ words }) => inSingleQuotes(words)).join(" ");
  return `# Completions of turnpike for fish: turnpike completions fish | source
function _turnpike_at
  set -l known ${known}
  set -l path ''
  set -l last ''
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$path $word")
    set last ''
    if string match -q -- '-*' $word
      set last $next
    else if contains -- $next $known
      set path $next
    end
  end
  if test -n "$last"; and contains -- $last $known
    set path $last
  end
  test "$path" = "$argv[1]"
end
${lines.join("\n")}`;
}

const shells = { bash, zsh, fish } as const;

const isShell = (name: string): name is keyof typeof shells => Object.hasOwn(shells, name);

/** The command for a table of commands, which includes the command itself. */
export function completionsCommand(root: () => Command): Command {
  const names = Object.keys(shells).join("|");
  return {
    usage: `turnpike completions ${names}`,
    summary: "print a script that completes commands in a shell",
    options: { "--json": "print what completes what, as JSON" },
    choices: Object.keys(shells),
    run(words) {
      const { values, positionals } = parseCommonFields(words, { json: { type: "boolean" } } as const, 1);
      const rows = completionsOf("", root());
      const [shell = ""] = positionals;
      if (!values.json && !isShell(shell)) throw new UsageError(`Missing shell. Usage: turnpike completions ${names}.`);
      console.log(values.json || !isShell(shell) ? jsonText(rows) : shells[shell](rows));
    },
  };
}
