// Values that are in files, which a variable with `_FILE` at its end names: as secrets are mounted into containers.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { providerKinds } from "../providers/index.ts";
import { otlpSecrets } from "./opentelemetry.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the gateway itself whose value may be in a file. Those that turnpike.yaml names may be, too. */
const secretVariables = [
  ...["TURNPIKE_SECRET", "TURNPIKE_PREVIOUS_SECRET", "TURNPIKE_ADMIN_KEY", "TURNPIKE_KEY", "TURNPIKE_WEBHOOK_SECRET"],
  ...["DATABASE_URL", ...otlpSecrets, ...providerKinds.flatMap(({ environment }) => environment?.credential ?? [])],
];

/** The code of a failure to read a file, such as ENOENT. */
export const failureCode = (cause: unknown): string => String(Object(cause).code ?? "unknown reason");

/** The file that has the value of a variable; null where it is not in a file. */
export function secretFileOf(name: string, environment: Environment, workingFolder: string): string | null {
  const path = environment[`${name}_FILE`]?.trim();
  return path && !environment[name]?.trim() ? resolve(workingFolder, path) : null;
}

/** Throws an Error with one sentence, without the period at its end. */
export function readSecretFile(name: string, read: () => string): string {
  try {
    return read().trim();
  } catch (cause) {
    const problem = `${name}_FILE cannot be read (${failureCode(cause)}). Check the path and its permissions`;
    throw new Error(problem, { cause });
  }
}

interface WithFiles {
  readonly environment: Environment;
  /** Those that were read. */
  readonly files: readonly string[];
}

/** The environment with the values of the files that it names. Throws where a value is given in both ways. */
export function withSecretFiles(environment: Environment, workingFolder: string): WithFiles {
  const found = secretVariables.flatMap((name) => {
    if (environment[name]?.trim() && environment[`${name}_FILE`]?.trim())
      throw new Error(`${name} and ${name}_FILE are both set. Set only one.`);
    const file = secretFileOf(name, environment, workingFolder);
    return file === null ? [] : [{ name, file }];
  });
  if (found.length === 0) return { environment, files: [] };
  const values = found.map(({ name, file }) => [name, readSecretFile(name, () => readFileSync(file, "utf8"))] as const);
  return { environment: { ...environment, ...Object.fromEntries(values) }, files: found.map(({ file }) => file) };
}
