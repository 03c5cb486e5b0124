// The words that texts for people, comments and names must not have, with the word of the field for each.
import { parseSync } from "oxc-parser";
import type { SourceFile } from "./source.ts";

interface Word {
  readonly pattern: RegExp;
  readonly instead: string;
}

const word = (pattern: string, instead: string): Word => ({
  pattern: new RegExp(`\\b(?:${pattern})\\b`, "i"),
  instead,
});

/** What must not be in a sentence that people see. */
export const sentences: readonly Word[] = [
  word("tells?|told|telling", "return, report or show"),
  word("knows|knew", "support, have or recognize"),
  { pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b)/i, instead: "is not" },
  word("stands?|stood", "is, or apply"),
  word("beside", "in addition to"),
  word("nobody|somebody|whoever|anybody", "the provider, the client or the user"),
  word("films?", "video"),
  word("wish(?:es|ed)?", "request"),
  word("errands?", "job"),
  word("mend(?:s|ed|ing)?", "fix or patch"),
  word("verbatim", "unchanged, or passthrough"),
  word("lanes?|corridors?|roads?", "path"),
  word("house|rooms?", "gateway, repository or space"),
  word("judges?|judged|judging", "classify, or moderation model"),
  word("painters?", "image model"),
  word("hears?|heard", "accept, or audio"),
  word("says?|said|saying", "specify, return or contain"),
  word("takes? (?:no|only|texts?|images?|at most|bytes|the form|one|both)", "accept or support"),
  word("alone", "only"),
  word("go(?:es)? on|went on", "continue"),
  word("kept(?!-alive)", "stored"),
];

/** What must not be in a comment, in addition. */
export const commentWords: readonly Word[] = [
  word(
    "who(?:m|ever)?(?= (?:asks?|asked|waits?|gives?|takes?|wants?|reads?|needs?|holds?)\\b)",
    "the client, the caller or the reader",
  ),
  word("asked (?:for|in|when|again|last)|is asked|are asked|was asked|were asked", "requested or called"),
  word("hop(?:es|ed|ing)", "expect, or a candidate without a model list"),
  word("strangers?", "client"),
  word("for good", "permanently"),
  word("makes? no sense", "is invalid"),
];

/** What a name must not have, word by word. */
export const nameWords: Readonly<Record<string, string>> = {
  told: "a verb: render, return, report",
  tells: "returns",
  tell: "send or return",
  nobody: "none",
  whoever: "the role of the caller",
  beside: "the relation itself: with, native",
  stands: "is",
  film: "video",
  wish: "request, params or options",
  wished: "requested",
  errand: "job",
  mend: "patch or normalize",
  verbatim: "passthrough",
  lane: "plan or path",
  corridor: "path",
  house: "gateway",
  judge: "moderator, or check",
  judged: "moderated",
  painter: "imageModel",
  hear: "a verb of the field: transcribe, read",
  heard: "transcribed or read",
  said: "a noun: params, text",
  kept: "stored",
  alone: "only",
  asked: "requested",
  hoped: "possible or unlisted",
  wishes: "requests",
};

/** A text that must have such a word, because another's wire or a proper name has it, and why. */
export type Reasons = Readonly<Record<string, string>>;

export interface Prose {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Each breach with the word to use. `reasons` are texts, or parts of them, that are allowed. */
export function wordFaults(texts: readonly Prose[], reasons: Reasons, list = sentences): string[] {
  return texts.flatMap(({ path, line, text }) =>
    list.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(withoutReasons(text, reasons))?.[0];
      return found === undefined
        ? []
        : [`${path}:${line} has "${found.trim()}": write ${instead}. (${text.trim().slice(0, 100)})`];
    }),
  );
}

/** Names with such a word: `namesOf` gives those of a file. */
export function nameFaults(
  files: readonly SourceFile[],
  reasons: Reasons,
  namesOf: (path: string, text: string) => readonly string[] = exportedNames,
): string[] {
  return files.flatMap(({ path, text }) =>
    namesOf(path, text).flatMap((name) => {
      const words = name
        .replace(/([A-Z])/g, " $1")
        .toLowerCase()
        .split(/[\s_-]+/);
      const found = words.find((each) => Object.hasOwn(nameWords, each));
      return found === undefined || reasons[name] !== undefined
        ? []
        : [`${path} has ${name}: in place of "${found}" use ${nameWords[found]}.`];
    }),
  );
}

export function exportedNames(path: string, text: string): string[] {
  const { module } = parseSync(path, text);
  return module.staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName }) => exportName.name ?? []));
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const declarations = new Set([
  ...["VariableDeclarator", "FunctionDeclaration", "ClassDeclaration"],
  ...["TSInterfaceDeclaration", "TSTypeAliasDeclaration"],
]);

/** The names that a file declares: variables, parameters, functions, classes and types. */
export function localNames(path: string, text: string): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const node = value as Node;
    if (declarations.has(node.type)) addPattern(node["id"], names);
    if (Array.isArray(node["params"])) for (const each of node["params"]) addPattern(each, names);
    for (const member of Object.values(node)) visit(member);
  };
  visit(parseSync(path, text).program);
  return [...names];
}

/** The names that a pattern binds. */
function addPattern(pattern: unknown, names: Set<string>): void {
  if (typeof pattern !== "object" || pattern === null) return;
  const { type, name, properties, elements, left, argument, value } = pattern as Node;
  if (type === "Identifier") names.add(String(name));
  for (const each of [properties, elements].flat()) addPattern(each, names);
  for (const each of [left, argument, value]) addPattern(each, names);
}

/** The comments of source, without code between backquotes. */
export function commentsOf(files: readonly SourceFile[]): Prose[] {
  return files.flatMap(({ path, text }) =>
    parseSync(path, text).comments.map(({ start, value }) => ({
      path,
      line: text.slice(0, start).split("\n").length,
      text: value.replace(/`[^`]*`/g, "``").replace(/\n\s*\*?/g, " "),
    })),
  );
}

/** The string and template literals of source that are sentences: they have a space. SQL is left out. */
export function proseOf(files: readonly SourceFile[]): Prose[] {
  return files.flatMap(({ path, words }) =>
    words
      .filter(({ text, isText }) => isText && /\w\s+\w/.test(text) && !sql.test(text))
      .map(({ text, line }) => ({ path, line, text })),
  );
}

const sql =
  /^\s*(?:select|insert|update|delete|create|alter|pragma|where|with|on conflict|coalesce|case|sum)\b|\b(?:bigint|_at_ms|\w+_by text)\b/i;

/** The lines of a document, without code: neither fenced nor between backquotes. */
export function documentProse(path: string, text: string): Prose[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, "")).replace(/`[^`\n]*`/g, "``");
  return prose.split("\n").map((line, index) => ({ path, line: index + 1, text: line }));
}

function withoutReasons(text: string, reasons: Reasons): string {
  return Object.keys(reasons).reduce((rest, part) => rest.replaceAll(part, ""), text);
}
