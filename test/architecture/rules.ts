// The rules of the architecture. Each takes files and returns its faults; each fault says where it is and what to do instead.
import type { SourceFile } from "./source.ts";

/** Layers by number: an import may only point to the same or a lower one. Files directly in src are the root. */
export const layers: Record<string, number> = {
  lib: 0,
  canonical: 1,
  dialects: 2,
  providers: 3,
  store: 4,
  telemetry: 5,
  gateway: 6,
  admin: 7,
  http: 8,
  config: 9,
  app: 9,
  cli: 9,
};
const root = 9;

/** May be lowered, never raised. */
export const limits = { fileLines: 300, functionLines: 60, medianFileLines: 150, medianFunctionLines: 15 };

/** A file that may do what no other may, and why. */
export type Exceptions = Record<string, string>;

export function layerOrder(files: SourceFile[]): string[] {
  return files.flatMap((file) => {
    if (layerOf(file.path) === undefined)
      return [`${file.path} is in no layer: put it into one of ${Object.keys(layers)}.`];
    const upward = file.imports.filter((target) => (layerOf(target) ?? root) > (layerOf(file.path) ?? root));
    return upward.map(
      (target) =>
        `${file.path} imports ${target}, which is in a higher layer: take what it needs as an argument, or move the shared part down.`,
    );
  });
}

export function importCycles(files: SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const faults: string[] = [];
  const walk = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      const cycle = [...trail.slice(trail.indexOf(path)), path].join(" -> ");
      faults.push(`Import cycle ${cycle}: move what both need into a file of its own.`);
    }
    if (trail.includes(path) || done.has(path)) return;
    for (const target of byPath.get(path)?.imports ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const file of files) walk(file.path, []);
  return faults;
}

/** Levels of imports inside a folder, counted along the longest way; types cost nothing at run time and do not count. */
export function importLevels(files: SourceFile[], folder: string, most: number): string[] {
  const inside = new Map(files.filter((file) => file.path.startsWith(folder)).map((file) => [file.path, file]));
  const ways = new Map<string, readonly string[]>();
  const longest = (path: string): readonly string[] => {
    const known = ways.get(path);
    if (known !== undefined) return known;
    ways.set(path, [path]);
    const below = (inside.get(path)?.valueImports ?? []).filter((target) => inside.has(target)).map(longest);
    const way = [path, ...(below.sort((left, right) => right.length - left.length)[0] ?? [])];
    ways.set(path, way);
    return way;
  };
  const way = [...inside.keys()].map(longest).sort((left, right) => right.length - left.length)[0] ?? [];
  if (way.length <= most) return [];
  return [`${way.join(" -> ")}: ${way.length} levels, ${most} are allowed. Give a file what it needs as an argument.`];
}

interface Single {
  readonly home: string;
  /** Where no other file may match. */
  readonly folder: string;
  readonly pattern: RegExp;
}

/** What exists once, with the only file that may hold it. */
export const single: Readonly<Record<string, Single>> = {
  "a settlement": {
    home: "src/gateway/ledger/settlement.ts",
    folder: "src/",
    pattern: /\bpriceNanoDollars: null\b|: LedgerSettlement (?:= )?\{|\b(?:satisfies|as) LedgerSettlement\b/,
  },
  "an attempt loop": {
    home: "src/gateway/attempts/attempt-loop.ts",
    folder: "src/",
    pattern: /\blog\.begin\(|\bmaxAttempts\b/,
  },
  "the rule for strictness": {
    home: "src/gateway/attempts/strictness.ts",
    folder: "src/gateway/",
    pattern: /\bfind\(isLoss\)|strict mode is on/,
  },
};

/** Settlements are built, candidates are tried and strictness is judged in one place each. */
export function onePlaceEach(files: SourceFile[]): string[] {
  return Object.entries(single).flatMap(([what, { home, folder, pattern }]) =>
    files
      .filter(({ path, text }) => path.startsWith(folder) && path !== home && pattern.test(text))
      .map(({ path }) => `${path} builds ${what} of its own: use ${home}.`),
  );
}

export function fileLengths(files: SourceFile[], exceptions: Exceptions = {}): string[] {
  return files
    .filter((file) => file.lines > limits.fileLines && !exceptions[file.path])
    .map(
      (file) =>
        `${file.path} has ${file.lines} lines, ${limits.fileLines} are allowed: split it where its sentence has an "and".`,
    );
}

export function functionLengths(files: SourceFile[], exceptions: Exceptions = {}): string[] {
  return files.flatMap((file) =>
    file.functions
      .filter((each) => each.lines > limits.functionLines && !exceptions[file.path])
      .map(
        (each) =>
          `${file.path}:${each.line} ${each.name} has ${each.lines} lines, ${limits.functionLines} are allowed: name its steps and make them functions.`,
      ),
  );
}

export function medians(files: SourceFile[]): string[] {
  const named = files.flatMap((file) => file.functions).filter((each) => each.isNamed);
  const fileMedian = median(files.map((file) => file.lines));
  const functionMedian = median(named.map((each) => each.lines));
  return [
    ...(fileMedian > limits.medianFileLines
      ? [`The median file has ${fileMedian} lines: ${limits.medianFileLines} are allowed. Split the largest.`]
      : []),
    ...(functionMedian > limits.medianFunctionLines
      ? [
          `The median function has ${functionMedian} lines: ${limits.medianFunctionLines} are allowed. Name the steps of the longest.`,
        ]
      : []),
  ];
}

/** What may not be written, and what to do instead. */
const banned: Record<string, string> = {
  any: "say the type, or `unknown` and check it",
  "import()": "import at the top of the file: what is loaded must be known when the source is read",
  "eval()": "text is never run as code: use a table of functions",
  "new Function": "text is never run as code: use a table of functions",
  "Bun.spawn": "the gateway starts no processes: only the launcher and the command line may",
  "Bun.spawnSync": "the gateway starts no processes: only the launcher and the command line may",
  "unsafe(${})": "give values as parameters of the statement: a filled template is an injection",
};

export function bannedHabits(files: SourceFile[], exceptions: Exceptions = {}): string[] {
  return files.flatMap((file) =>
    file.habits.flatMap(({ what, line }) => {
      const instead = what.startsWith("console.")
        ? "give it to the log of src/telemetry, or print it from the command line"
        : banned[what];
      const isAllowed = exceptions[`${file.path} ${what}`] ?? (what.startsWith("console.") && isCommandLine(file.path));
      return instead && !isAllowed ? [`${file.path}:${line} has ${what}: ${instead}.`] : [];
    }),
  );
}

const vendors = /open-?ai|anthropic|claude|gemini|kling|jimeng/i;
/** Ordinary words that are names of providers where they stand alone as a text. */
const providerKinds = new Set(["compatible", "sandbox"]);
const homes = [/^src\/dialects\//, /^src\/providers\//, /^src\/http\/(?:\w+-)?endpoints\.ts$/];

/** Prose may name a vendor; a word that code compares or calls may not. */
export function namesAtHome(files: SourceFile[], exceptions: Exceptions = {}): string[] {
  const faults = files
    .filter((file) => !homes.some((home) => home.test(file.path)) && !exceptions[file.path])
    .flatMap((file) =>
      file.words
        .filter(({ text, isText }) => !/\s/.test(text) && (vendors.test(text) || (isText && providerKinds.has(text))))
        .map(
          ({ text }) =>
            `${file.path} says ${text}: names of providers and dialects live in src/providers, src/dialects and the table of endpoints. Ask them through the contract.`,
        ),
    );
  return [...new Set(faults)];
}

const ownNames = /^src\/(?:lib|canonical|config)\//;
const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/;

/** Members as the dialects write them on the wire: the gateway's own names are written in another way, or in the layers that it shares. */
export function wireMembers(files: SourceFile[]): Set<string> {
  const own = new Set(
    files.filter(({ path }) => ownNames.test(path)).flatMap(({ words }) => words.map(({ text }) => text)),
  );
  const written = files.filter(({ path }) => path.startsWith("src/dialects/")).flatMap(({ members }) => members);
  return new Set(written.map(({ name }) => name).filter((name) => snakeCase.test(name) && !own.has(name)));
}

const aboveDialects = /^src\/(?:gateway|http|store|telemetry)\//;
/** Values that hold a request or a reply as it is on the wire. */
const wires = new Set(["wire", "json"]);

/** Tables of endpoints may name members: in paths, and as parameters. `fields` are members of any spelling. */
export function wireAtHome(
  files: SourceFile[],
  members: ReadonlySet<string>,
  fields: ReadonlySet<string>,
  exceptions: Exceptions = {},
): string[] {
  const faults = files
    .filter(({ path }) => aboveDialects.test(path) && !homes.some((home) => home.test(path)) && !exceptions[path])
    .flatMap(({ path, words, members: read }) => {
      const named = words
        .filter(({ text }) => !/\s/.test(text))
        .flatMap(({ text, line }) => text.split(/[^A-Za-z0-9_]+/).map((name) => ({ name, line })))
        .filter(({ name }) => members.has(name));
      const taken = read.filter(({ name, of = "" }) => wires.has(of) && fields.has(name));
      return [...named, ...taken].map(
        ({ name, line }) =>
          `${path}:${line} names the wire member ${name}: ask a function of the dialect for what is meant by it.`,
      );
    });
  return [...new Set(faults)];
}

export function openingSentences(files: SourceFile[]): string[] {
  return files
    .filter((file) => !/^\/\/ \S.*[.:]$/m.test(firstComment(file.text)))
    .map((file) => `${file.path} does not open with a sentence: say in one comment line what this file is for.`);
}

function firstComment(text: string): string {
  const lines = text.replace(/^#!.*\n/, "").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines.slice(0, end < 0 ? lines.length : end).join("\n");
}

function isCommandLine(path: string): boolean {
  return /^src\/cli[./]/.test(path);
}

function layerOf(path: string): number | undefined {
  // Data of the repository, such as package.json.
  if (!path.startsWith("src/")) return 0;
  const [, first = "", second] = path.split("/");
  return second === undefined ? root : layers[first];
}

function median(values: number[]): number {
  return values.sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
