// Which tool a prompt asks for without naming it: a question or a request that has the words of the tool's name or description.

interface Described {
  readonly name: string;
  readonly description?: string;
}

/** Words that many tools and many prompts have. */
const common = new Set(
  (
    "a an and any are as at be by can current data do for from get fetch find given has have how i in info information is " +
    "it its list look lookup make me my new of on or please query return returns run search see set show tell that the " +
    "then this to tool use user using value what when where which who will with you your"
  ).split(" "),
);

/** What a question or a request begins with, where it has no question mark. */
const request =
  /\?|^\W*(?:please|what|when|where|which|who|how|can|could|would|will|is|are|do|does|i (?:need|want)|(?:add|book|calculate|call|check|compute|convert|create|delete|fetch|find|get|give|list|look|make|open|play|read|run|search|send|set|show|tell|translate|turn|update|use|write)\b)/i;

/** Lower-case words without an ending of the plural, common ones left out. */
function wordsOf(text: string): Set<string> {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]{2,40}/gu);
  return new Set((words ?? []).filter((word) => !common.has(word)).map((word) => word.replace(/(?<=\w{3})s$/, "")));
}

const shared = (words: ReadonlySet<string>, prompt: ReadonlySet<string>): number =>
  [...words].filter((word) => prompt.has(word)).length;

/** A word of the name counts twice: one is enough, of the description it takes two. */
function scoreOf({ name, description = "" }: Described, prompt: ReadonlySet<string>): number {
  return 2 * shared(wordsOf(name), prompt) + shared(wordsOf(description), prompt);
}

const enough = 2;

/** The one tool that a prompt asks for most clearly, the first of several; none where it does not ask, or for nothing that a tool does. */
export function relevantTools<Tool extends Described>(prompt: string, tools: readonly Tool[]): Tool[] {
  if (!request.test(prompt)) return [];
  const words = wordsOf(prompt.slice(0, 10_000));
  const scores = tools.map((tool) => scoreOf(tool, words));
  const best = Math.max(0, ...scores);
  const tool = tools[scores.indexOf(best)];
  return best >= enough && tool !== undefined ? [tool] : [];
}
