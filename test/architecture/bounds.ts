// The rule that every bound has a row in a table: constants that are named as bounds are in src/config/limits.ts, in scripts/fixed-limits.json, or in excepted-bounds.ts with a reason.
import { constantsOf, inlineNumbersOf } from "../../scripts/constants.ts";
import type { SourceFile } from "./source.ts";

const comparative =
  /^(?:max|min|most|least|longest|shortest|largest|smallest|default|usual|at)(?=[A-Z])|^(?:deepest|windows|growth)$/;
const unit =
  /(?:Ms|Seconds|Minutes|Hours|Days|Bytes|Chars|Characters|Tokens|Limits?|Tries|Items|Parts|Rows|Calls|Steps|Depth|Misses|Texts|Side|Pixels|Keys|Dimensions|Containers|Quotes)$/;

/** True for a name that bounds something, or has a unit. */
export const isBoundName = (name: string): boolean =>
  name.split(".").some((word) => comparative.test(word) || unit.test(word));

const inTable = /^src\/config\/(?:\w+-)?limits\.ts$/;

/** Rows of vendors' models, each with its source: `model_capabilities` adds to them. */
const isVendorTable = /^src\/dialects\/(?:video\/upstreams\/|[\w-]+\/model-(?:tables|capabilities)\.ts$)/;

/** Words of JSON Schema: `/openapi.json` shows these bounds. */
const isSchemaWord = /^(?:min|max)(?:Length|Items|Properties)$/;

/** Bounds of the source, as `path name`, outside the table of limits. Members of objects count wherever they are. */
export function boundsIn(files: readonly Pick<SourceFile, "path" | "text">[]): string[] {
  return files
    .filter(({ path }) => !inTable.test(path))
    .flatMap(({ path, text }) => {
      const inline = isVendorTable.test(path) ? [] : inlineNumbersOf(path, text);
      const names = [...constantsOf(path, text), ...inline.filter(({ name }) => !isSchemaWord.test(name))]
        .filter(({ name, value }) => value !== 0 && isBoundName(name))
        .map(({ name }) => `${path} ${name}`);
      return [...new Set(names)];
    });
}

/** Bounds that are in no table. */
export function boundsWithoutRow(
  files: readonly Pick<SourceFile, "path" | "text">[],
  listed: ReadonlySet<string>,
): string[] {
  return boundsIn(files)
    .filter((bound) => !listed.has(bound))
    .map(
      (bound) =>
        `${bound}: make it a row of src/config/limits.ts. If it cannot be set, list it in scripts/fixed-limits.json where a user can meet it, else in test/architecture/excepted-bounds.ts with its reason.`,
    );
}
