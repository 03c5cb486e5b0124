// Faults of the catalog after a change, as the error of the request that made it.
import { GatewayError } from "../canonical/error.ts";

/** A path in the configuration (section, name, field), and what is wrong there. */
interface EntryFault {
  readonly path: readonly string[];
  readonly problem: string;
}

const textOf = ({ path, problem }: EntryFault): string => JSON.stringify([path, problem]);

const dotted = (path: readonly string[]): string =>
  path.reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : `${text}.${part}`), "config");

/** Sections of the configuration, as one entry of each is called. */
const titles: Readonly<Record<string, string>> = { providers: "provider", models: "route", prices: "price" };

/** The error of a change that adds a fault; null if it adds none. */
export function entryConflict(before: readonly EntryFault[], after: readonly EntryFault[]): GatewayError | null {
  const known = new Set(before.map(textOf));
  const fault = after.find((each) => !known.has(textOf(each)));
  if (fault === undefined) return null;
  const [section, name = "", ...field] = fault.path;
  const param = dotted(field);
  return new GatewayError(
    "invalid_value",
    `The ${titles[section ?? ""] ?? "entry"} '${name}' is not valid: ${param}: ${fault.problem}.`,
    {
      param,
    },
  );
}
