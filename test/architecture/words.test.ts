// Texts that people see, documents, comments and names use the words of the field.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles, readSource, repository, sourceFiles } from "./source.ts";
import { allowedNameWords, allowedTexts } from "./word-exceptions.ts";
import {
  commentsOf,
  commentWords,
  documentProse,
  localNames,
  nameFaults,
  proseOf,
  sentences,
  wordFaults,
} from "./words.ts";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const source = sourceFiles("src");
const documents = [
  ...["README.md", "SECURITY.md", "CONTRIBUTING.md"],
  ...[...listFiles("docs"), ...listFiles("examples")].filter((path) => path.endsWith(".md")),
];

/** The newest part of the changelog, with what is before it; releases keep the text with which they were made. */
const unreleased = (): string => read("CHANGELOG.md").split(/^## /m).slice(0, 2).join("## ");

test("sentences in the source", () => {
  expect(wordFaults(proseOf(source), allowedTexts)).toEqual([]);
});

test("comments in the source", () => {
  expect(wordFaults(commentsOf(source), allowedTexts, [...sentences, ...commentWords])).toEqual([]);
});

test.each(documents)("%s", (path) => {
  expect(wordFaults(documentProse(path, read(path)), allowedTexts)).toEqual([]);
});

test("the unreleased part of the changelog", () => {
  expect(wordFaults(documentProse("CHANGELOG.md", unreleased()), allowedTexts)).toEqual([]);
});

test("exported names", () => {
  expect(nameFaults(source, allowedNameWords)).toEqual([]);
});

test("names of variables, parameters and private functions", () => {
  expect(nameFaults(source, allowedNameWords, localNames)).toEqual([]);
});

test.each(["test", "bench", "scripts"])("names in %s", (folder) => {
  const files = sourceFiles(folder);
  expect(nameFaults(files, allowedNameWords)).toEqual([]);
  expect(nameFaults(files, allowedNameWords, localNames)).toEqual([]);
});

test("every exception is still needed", () => {
  const texts = [...source.map(({ text }) => text), ...documents.map(read), unreleased()].join("\n");
  expect(Object.keys(allowedTexts).filter((part) => !texts.includes(part))).toEqual([]);
});

test.each([
  "The model tells none.",
  "It is no list.",
  "Nobody answers.",
  "It takes images by their address.",
  "Text alone.",
  "The task goes on.",
])("finds the word in: %s", (text) => {
  expect(wordFaults([{ path: "a.ts", line: 1, text }], {})).toHaveLength(1);
});

test("finds it in comments and in names that are not exported", () => {
  const file = readSource(
    "src/lib/a.ts",
    "// One.\n/** What the client\n * told it. `told` is code. */\nfunction f({ a: kept }: A, ...said: B): void {}\n",
  );
  expect(wordFaults(commentsOf([file]), {})).toEqual([expect.stringContaining("a.ts:2")]);
  expect(nameFaults([file], {}, localNames)).toHaveLength(2);
});

test("finds it in literals, documents and names, and leaves plain sentences, code and SQL", () => {
  const file = readSource("src/lib/a.ts", '// One.\nexport const toldOnce = "the model knows it";\n');
  expect(wordFaults(proseOf([file]), {})).toHaveLength(1);
  expect(nameFaults([file], {})).toHaveLength(1);
  expect(wordFaults(documentProse("a.md", "It `says` so.\n\nWhoever asks."), {})).toEqual([
    expect.stringContaining("a.md:3"),
  ]);
  const good = readSource(
    "src/lib/b.ts",
    '// One.\nexport const a = ["There is no key.", "select told from a", "is no longer here"];\n',
  );
  expect(wordFaults(proseOf([good]), {})).toEqual([]);
  expect(sentences.length).toBeGreaterThan(15);
});
