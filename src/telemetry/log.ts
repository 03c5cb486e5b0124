// The log: one JSON line for each event, on standard error.

export type Level = "info" | "warn" | "error";
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  write(level: Level, event: string, fields?: Fields): void;
}

/** `sink` takes one line without its line end. Control characters in fields cannot break a line: JSON escapes them. */
export function createLog(sink: (line: string) => void, now: () => number): Log {
  return {
    write(level, event, fields = {}) {
      sink(JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...fields }));
    },
  };
}

/** What is behind an error, in one line without a stack: enough for a log, never shown to a caller. */
export function causeOf(thrown: unknown): string {
  const parts: string[] = [];
  for (let cause = thrown; cause !== undefined && cause !== null && parts.length < 4; ) {
    parts.push(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
    cause = cause instanceof Error ? cause.cause : null;
  }
  return parts.join(" <- ").slice(0, 1_000);
}
