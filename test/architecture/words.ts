// The words that texts for people and exported names must not have, with the word of the field for each.
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

/** What an exported name must not have, word by word. */
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
};

/** A text that must have such a word, because another's wire or a proper name has it, and why. */
export type Reasons = Readonly<Record<string, string>>;

export interface Prose {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Each breach with the word to use. `reasons` are texts, or parts of them, that are allowed. */
export function wordFaults(texts: readonly Prose[], reasons: Reasons): string[] {
  return texts.flatMap(({ path, line, text }) =>
    sentences.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(withoutReasons(text, reasons))?.[0];
      return found === undefined
        ? []
        : [`${path}:${line} has "${found.trim()}": write ${instead}. (${text.trim().slice(0, 100)})`];
    }),
  );
}

/** Exported names with such a word. */
export function nameFaults(files: readonly SourceFile[], reasons: Reasons): string[] {
  return files.flatMap(({ path, text }) =>
    exportedNames(path, text).flatMap((name) => {
      const words = name
        .replace(/([A-Z])/g, " $1")
        .toLowerCase()
        .split(/[\s_-]+/);
      const found = words.find((each) => Object.hasOwn(nameWords, each));
      return found === undefined || reasons[name] !== undefined
        ? []
        : [`${path} exports ${name}: in place of "${found}" use ${nameWords[found]}.`];
    }),
  );
}

function exportedNames(path: string, text: string): string[] {
  const { module } = parseSync(path, text);
  return module.staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName }) => exportName.name ?? []));
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
