// Settings that a running gateway does not take over: they count from its next start on.
import type { JsonObject } from "../lib/json.ts";
import type { Settings } from "./environment.ts";
import { fieldChanges } from "./field-changes.ts";
import type { ConfigFile } from "./schema.ts";

/** Sections and fields of the file. */
const restartFields = ["responses", "videos", "public_url"] as const;
/** Members of `limits`: what the listener has, and what only a start uses. */
const restartLimits = ["max_body_bytes", "ledger_check_ms"];
/** Variables whose value can be in a file that changes. */
const restartVariables = {
  secret: "TURNPIKE_SECRET",
  previousSecret: "TURNPIKE_PREVIOUS_SECRET",
  webhookSecret: "TURNPIKE_WEBHOOK_SECRET",
  databaseUrl: "DATABASE_URL",
} as const satisfies Partial<Record<keyof Settings, string>>;

/** Whether a field of the file, by its dotted path, counts only after the next start. */
export function needsRestart(field: string): boolean {
  const [section = "", name = ""] = field.split(".");
  return (
    (restartFields as readonly string[]).includes(section) || (section === "limits" && restartLimits.includes(name))
  );
}

type Limits = NonNullable<ConfigFile["limits"]>;

/** The limits of `next`, with those of `running` where they cannot change. */
function limitsUntilRestart(next: Limits = {}, running: Limits = {}): Limits {
  const isFixed = ([name]: [string, unknown]): boolean => restartLimits.includes(name);
  const open = Object.entries(next).filter((entry) => !isFixed(entry));
  return Object.fromEntries([...open, ...Object.entries(running).filter(isFixed)]) as Limits;
}

/** The file as it counts until the next start, and the names of what does not count yet. */
export function untilRestart(next: ConfigFile, running: ConfigFile): { config: ConfigFile; waiting: string[] } {
  const isFixed = (name: string): boolean => (restartFields as readonly string[]).includes(name);
  const open = Object.entries(next).filter(([name]) => !isFixed(name));
  const fixed = Object.entries(running).filter(([name]) => isFixed(name));
  const config: ConfigFile = {
    ...Object.fromEntries([...open, ...fixed]),
    limits: limitsUntilRestart(next.limits, running.limits),
  };
  const waiting = fieldChanges(config as JsonObject, next as JsonObject).map(({ field }) => field);
  return { config, waiting: waiting.filter(needsRestart) };
}

/** The names of variables that have changed in their files and count only after the next start. */
export function variablesUntilRestart(next: Settings, running: Settings): string[] {
  const names = Object.entries(restartVariables);
  return names.flatMap(([member, name]) =>
    next[member as keyof typeof restartVariables] === running[member as keyof typeof restartVariables] ? [] : [name],
  );
}
