// The repository follows its own rules: order of layers, sizes and names, checked on its source.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { dialects } from "../../src/dialects/index.ts";
import { allowedHabits, allowedNames, allowedWire, longFiles, longFunctions } from "./exceptions.ts";
import * as rules from "./rules.ts";
import { repository, sourceFiles } from "./source.ts";

const source = sourceFiles("src");
const everything = [
  ...source,
  ...sourceFiles("test"),
  ...(existsSync(join(repository, "scripts")) ? sourceFiles("scripts") : []),
];

const members = rules.wireMembers(source);
/** Members of the requests that clients send, and of the replies to them. */
const fields = new Set([
  ...dialects.flatMap(({ request }) => Object.keys((request.schema as { properties?: object }).properties ?? {})),
  ...["id", "object", "status", "output", "choices", "content", "data", "usage", "error"],
]);

const checks: Record<string, () => string[]> = {
  "imports point to lower layers": () => rules.layerOrder(source),
  "there are no import cycles": () => rules.importCycles(source),
  "the gateway stands on few levels of imports": () => rules.importLevels(source, "src/gateway/", 7),
  "settlements, attempts and strictness have one place each": () => rules.onePlaceEach(source),
  "files are short": () => rules.fileLengths(everything, longFiles),
  "functions are short": () => rules.functionLengths(source, longFunctions),
  "the typical file and function are short": () => rules.medians(source),
  "nothing banned is written": () => rules.bannedHabits(source, allowedHabits),
  "names of providers and dialects stay at home": () => rules.namesAtHome(source, allowedNames),
  "members of a wire are named in its dialect": () => rules.wireAtHome(source, members, fields, allowedWire),
  "every file opens with a sentence": () => rules.openingSentences(everything),
  "every exception is still needed": () => unneeded(),
};

test.each(Object.entries(checks))("%s", (_name, check) => {
  expect(check()).toEqual([]);
});

function unneeded(): string[] {
  const table = { ...longFiles, ...longFunctions, ...allowedNames, ...allowedWire, ...allowedHabits };
  return Object.keys(table)
    .map((entry) => entry.split(" ")[0] ?? "")
    .filter((path) => !existsSync(join(repository, path)))
    .map(
      (path) => `The exception for ${path} has no file any more: remove its line from test/architecture/exceptions.ts.`,
    );
}
