// The log: one line per event, as JSON for programs or as text for a terminal.

/** In ascending order of severity. */
export const levels = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof levels)[number];
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** `text` and `colored` are for terminals. */
export type LogFormat = "json" | "text" | "colored";

export interface Log {
  write(level: Level, event: string, fields?: Fields): void;
  /** False if lines of this level are not written, so that their fields need not be computed. */
  isOn(level: Level): boolean;
  /** From now on this is the least level that is written. */
  setLevel(level: Level): void;
}

export interface LogOptions {
  /** Receives one line without its line end. */
  sink(line: string): void;
  /** Unix milliseconds. */
  now(): number;
  /** The lowest level that is written; default `info`. */
  readonly level?: Level;
  /** Default `json`. */
  readonly format?: LogFormat;
  /** The last step for each line: removes secrets. */
  redact?(line: string): string;
}

/** Control characters in fields cannot break a line, and never reach a terminal. */
export function createLog({ sink, now, level = "info", format = "json", redact = (line) => line }: LogOptions): Log {
  let least = levels.indexOf(level);
  const isOn = (lineLevel: Level): boolean => levels.indexOf(lineLevel) >= least;
  const lineOf = format === "json" ? jsonLine : (line: Line) => textLine(line, format === "colored");
  return {
    isOn,
    setLevel(next) {
      least = levels.indexOf(next);
    },
    write(lineLevel, event, fields = {}) {
      if (isOn(lineLevel)) sink(redact(lineOf({ atMs: now(), level: lineLevel, event, fields })));
    },
  };
}

interface Line {
  readonly atMs: number;
  readonly level: Level;
  readonly event: string;
  readonly fields: Fields;
}

const jsonLine = ({ atMs, level, event, fields }: Line): string =>
  JSON.stringify({ time: new Date(atMs).toISOString(), level, event, ...fields });

const colors: { readonly [level in Level]: number } = { debug: 90, info: 36, warn: 33, error: 31 };

/** As in `14:03:07 warn  attempt_failed provider=alpha code=upstream_failed`, with the local time. */
function textLine({ atMs, level, event, fields }: Line, isColored: boolean): string {
  const shown = isColored ? `\u001b[${colors[level]}m${level.padEnd(5)}\u001b[0m` : level.padEnd(5);
  const words = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${textValue(value)}`],
  );
  return [new Date(atMs).toTimeString().slice(0, 8), shown, event, ...words].join(" ");
}

/**
 * Quotes everything that is not plain: JSON leaves some control characters, and those that change the direction of
 * text.
 */
function textValue(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  if (/^[\w.:/@+-]+$/.test(value)) return value;
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
